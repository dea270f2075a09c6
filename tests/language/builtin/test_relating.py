import pytest

from lightrag_engine.language.builtin.evidence import candidates
from lightrag_engine.language.builtin.relating import asked_ends, connecting
from lightrag_engine.records import EntityRow, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context


def source(number: int, text: str) -> SourceText:
    return SourceText(number, text, f"{number}.txt", "", f"chunk-{number}", f"doc-{number}")


def told(ends: tuple[str, str], context: Context) -> list[str]:
    return [candidate.text for candidate in connecting(ends, candidates(context), context)]


@pytest.mark.parametrize(
    ("question", "ends"),
    [
        ("How are Mara Quill and Tobias Renn related?", ("Mara Quill", "Tobias Renn")),
        ("How is Mara Quill closely connected to the Cormorant?", ("Mara Quill", "Cormorant")),
        ("What links Mara Quill and Low Harrow?", ("Mara Quill", "Low Harrow")),
        ("Explain the relationship between Mara Quill and Tobias Renn.", ("Mara Quill", "Tobias Renn")),
        ("What has Mara Quill to do with the Cormorant?", ("Mara Quill", "Cormorant")),
        ("林远和苏桥是什么关系？", ("林远", "苏桥")),
        ("Who is Mara Quill?", None),
        ("How are you?", None),
    ],
)
def test_questions_for_a_relation(question: str, ends: tuple[str, str] | None) -> None:
    assert asked_ends(question) == ends


def test_sentences_that_name_both_are_all_there_is_to_say() -> None:
    text = (
        "How are Mara Quill and Tobias Renn related? Mara Quill was a miller. Mara Quill hired Tobias Renn. "
        "Renn sold a boat. Renn left. In that year he wrote to Quill."
    )
    found = told(("Mara Quill", "Tobias Renn"), Context("naive", source_rows=(source(1, text),)))
    assert found == ["Mara Quill hired Tobias Renn.", "In that year he wrote to Quill."]


def test_else_the_way_over_the_relations() -> None:
    texts = (
        "Mara Quill built the Cormorant.",
        "The Cormorant sailed for Hallam & Sons.",
        "Hallam paid Renn.",
    )
    rows = (
        RelationRow(1, "Mara Quill", "Cormorant", "", texts[0], 1, 1, ("chunk-1",)),
        RelationRow(2, "Hallam & Sons", "Cormorant", "", texts[1], 1, 1, ("chunk-2",)),
        RelationRow(3, "Hallam & Sons", "Tobias Renn", "", texts[2], 1, 1, ("chunk-9",)),
    )
    sources = (source(1, texts[0]), source(2, texts[1]))
    context = Context("hybrid", relation_rows=rows, source_rows=sources)
    found = connecting(("Mara Quill", "Tobias Renn"), candidates(context), context)
    assert [c.text for c in found] == list(texts)
    assert [c.number for c in found] == [1, 2, 0]
    assert found[2].relation == rows[2]


def test_else_over_a_third_thing_that_both_share_a_sentence_with() -> None:
    text = "Mara Quill bought the Cormorant. The sea was calm. Tobias Renn repaired the Cormorant."
    context = Context(
        "hybrid",
        entity_rows=(EntityRow(1, "Cormorant", "product", "", 2),),
        source_rows=(source(1, text),),
    )
    assert told(("Mara Quill", "Tobias Renn"), context) == [
        "Mara Quill bought the Cormorant.",
        "Tobias Renn repaired the Cormorant.",
    ]


def test_nothing_where_nothing_links_them() -> None:
    context = Context("naive", source_rows=(source(1, "Mara Quill was a miller. Tobias Renn slept."),))
    assert told(("Mara Quill", "Tobias Renn"), context) == []
