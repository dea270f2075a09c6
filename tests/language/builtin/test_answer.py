import asyncio
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine.embedding.builtin import BuiltinEmbedding
from lightrag_engine.language.base import CANNOT_ANSWER, LanguageModel
from lightrag_engine.language.builtin import BuiltinLanguage
from lightrag_engine.language.builtin.layout import Layout, layout
from lightrag_engine.language.builtin.relevance import is_relevant, standing_out
from lightrag_engine.records import EntityRow, Message, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context
from lightrag_engine.settings import Settings

REPORT = (
    "The Brindle Valley Ferry was founded by Mara Quill in 1911. It links Port Ansel with Low Harrow. "
    "Ilse Vogt replaced Tobias Renn as chief engineer in 2024. The ferry company bought the steamer "
    "Cormorant from Hallam & Sons. Fares are set by the Harbour Board at $2 per crossing. At this point the "
    "river boils with rapids, and the crew wears *life jackets*."
)
CONTEXT = Context(
    "hybrid",
    entity_rows=(EntityRow(1, "Mara Quill", "person", "", 3), EntityRow(2, "Port Ansel", "location", "", 2)),
    relation_rows=(
        RelationRow(1, "Mara Quill", "Low Harrow", "", "Mara Quill lived in Low Harrow.", 1, 2, ("chunk-9",)),
        RelationRow(2, "Ilse Vogt", "Cormorant", "", "Ilse Vogt repaired the Cormorant.", 1, 2, ("chunk-2",)),
    ),
    source_rows=(
        SourceText(1, REPORT, "report_a.txt", "", "chunk-1", "doc-1"),
        SourceText(
            2, "Mara Quill was a miller. She was born in Port Ansel in 1880.", "b.txt", "", "chunk-2", "doc-2"
        ),
    ),
)


async def ask(question: str, response_type: str = "", context: Context = CONTEXT, *history: Message) -> str:
    model: LanguageModel = BuiltinLanguage(Settings())
    return "".join([piece async for piece in model.answer(question, context, history, response_type)])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Who founded the Brindle Valley ferry?",
            "The Brindle Valley Ferry was founded by Mara Quill in 1911. [1]",
        ),
        (
            "who was the founder of the ferry?",
            "The Brindle Valley Ferry was founded by Mara Quill in 1911. [1]",
        ),
        ("When was Mara Quill born?", "She was born in Port Ansel in 1880. [2]"),
        ("Who sets the fares?", r"Fares are set by the Harbour Board at \$2 per crossing. [1]"),
        (
            "Where did Mara Quill live?",
            "Mara Quill lived in Low Harrow. (from the graph: Mara Quill – Low Harrow)",
        ),
        ("What did Ilse Vogt repair?", "Ilse Vogt repaired the Cormorant. [2]"),
        ("Why are life jackets worn?", "the crew wears life jackets. [1]"),
    ],
)
async def test_the_sentence_that_answers_is_there_with_its_citation(question: str, sentence: str) -> None:
    assert sentence in await ask(question, "short")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of tungsten?",
        "How do plants make sugar from light?",
        "Who is the president of Brazil?",
        "猎豹能跑多快？",
        "Was ist der Siedepunkt von Wolfram?",
        "",
        "???",
    ],
)
async def test_absent_topics_get_the_fixed_reply(question: str) -> None:
    assert await ask(question) == CANNOT_ANSWER


@pytest.mark.anyio
async def test_an_empty_context_gets_the_fixed_reply() -> None:
    assert await ask("Who founded the ferry?", "", Context("naive")) == CANNOT_ANSWER


@pytest.mark.anyio
async def test_a_follow_up_question_knows_what_it_speaks_of() -> None:
    history = (Message("user", "Who was Mara Quill?"), Message("assistant", "A miller. [2]"))
    assert "She was born in Port Ansel in 1880. [2]" in await ask(
        "When was she born?", "short", CONTEXT, *history
    )


@pytest.mark.anyio
async def test_a_question_about_the_whole_gets_the_most_central_sentences() -> None:
    text = await ask("What are the main themes?", "2 bullet points")
    assert text.count("\n- ") == 1
    assert text.startswith("- ")
    assert re.search(r"\[[12]\]", text)


@pytest.mark.anyio
async def test_chinese() -> None:
    row = SourceText(
        1, "诸葛亮字孔明，琅邪阳都人也。刘备三往乃见。人人都有受教育的权利。", "zh", "", "c", "d"
    )
    context = Context("naive", source_rows=(row,))
    assert await ask("谁有受教育的权利？", "short", context) == "人人都有受教育的权利。 [1]"
    assert await ask("猎豹能跑多快？", "short", context) == CANNOT_ANSWER


@pytest.mark.anyio
async def test_the_same_sentence_in_overlapping_chunks_is_said_once() -> None:
    again = SourceText(
        3, "It links Port Ansel with Low Harrow. " + REPORT[:59], "report_a.txt", "", "chunk-3", "doc-1"
    )
    context = Context("naive", source_rows=(*CONTEXT.source_rows, again))
    text = await ask("Who founded the Brindle Valley ferry?", "", context)
    assert text.count("founded by Mara Quill") == 1


@pytest.mark.anyio
async def test_paragraphs_name_the_documents_they_come_from() -> None:
    text = await ask("What is known of Mara Quill, Port Ansel, Low Harrow, the ferry and the Harbour Board?")
    assert "\n\n**" in text
    assert re.search(r"\*\*(report\\_a|b)\.txt:\*\*", text)


@pytest.mark.anyio
async def test_other_words_and_other_languages_are_found_with_an_embedding() -> None:
    model = BuiltinLanguage(Settings(), BuiltinEmbedding())
    replies = {
        question: "".join([piece async for piece in model.answer(question, CONTEXT, (), "short")])
        for question in (
            "谁创办了渡轮？",
            "Wer hat die Fähre gegründet?",
            "猎豹能跑多快？",
            "What is the boiling point of tungsten?",
        )
    }
    *present, cheetah, tungsten = replies.values()
    for reply in present:
        assert "founded by Mara Quill" in reply
    assert cheetah == tungsten == CANNOT_ANSWER


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=200), st.text(max_size=20))
def test_citations_point_at_rows_for_any_text(question: str, content: str, response_type: str) -> None:
    context = Context("naive", source_rows=(SourceText(7, content, "d", "", "c", "d"),))
    text = asyncio.run(ask(question + content[:20], response_type, context))
    assert text
    assert set(re.findall(r"(?<!\\)\[(\d+)\]", text)) <= {"7"}


@pytest.mark.parametrize(
    ("response_type", "expected"),
    [
        ("Multiple Paragraphs", Layout(8, paragraphs=True)),
        ("Single Paragraph", Layout(4)),
        ("Bullet Points", Layout(6, bullets=True)),
        ("List of 3 points", Layout(3, bullets=True)),
        ("2 sentences", Layout(2)),
        ("a short answer", Layout(2)),
        ("Multi-Page Report", Layout(14, paragraphs=True)),
        ("", Layout(8, paragraphs=True)),
        ("as a poem", Layout(8, paragraphs=True)),
    ],
)
def test_layouts(response_type: str, expected: Layout) -> None:
    assert layout(response_type) == expected


def test_standing_out_is_relative_to_the_controls() -> None:
    sentences = np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32)
    controls = np.array([[0.6, -0.8], [0.64, -0.77], [0.56, -0.83]], dtype=np.float32)
    near = standing_out(np.array([[0.98, 0.2]], dtype=np.float32), controls, sentences)
    alike = standing_out(np.array([[0.6, -0.8]], dtype=np.float32), controls, sentences)
    assert near > 10
    assert alike < 1


@pytest.mark.parametrize(
    ("covered", "known", "stands_out", "expected"),
    [
        (0.0, 0.0, None, False),
        (0.7, 0.7, None, True),
        (0.4, 0.9, None, True),
        (0.4, 0.4, None, False),
        (0.0, 0.0, 6.0, True),
        (0.0, 0.0, 2.0, False),
        (0.4, 0.4, 2.0, True),
        (0.4, 0.9, 0.5, False),
    ],
)
def test_relevance(covered: float, known: float, stands_out: float | None, expected: bool) -> None:
    assert is_relevant(covered, known, stands_out) is expected


@pytest.mark.anyio
async def test_a_namesake_is_no_evidence() -> None:
    assert await ask("Who replaced Ilse Brandauer as chief engineer?") == CANNOT_ANSWER
    assert "Ilse Vogt replaced" in await ask("Who was replaced by Ilse Vogt?")


@pytest.mark.anyio
async def test_a_question_for_a_relation_is_answered_by_what_names_both() -> None:
    assert await ask("How are Ilse Vogt and Tobias Renn related?") == (
        "Ilse Vogt replaced Tobias Renn as chief engineer in 2024. [1]"
    )
