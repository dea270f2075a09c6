from __future__ import annotations

from lightrag_engine.answering import find_citations
from lightrag_engine.markdown import escape_markdown
from lightrag_engine.records import SourceText

FERRY = SourceText(
    1,
    "Mara Quill founded the ferry in 1911. It costs $4 now.\nTobias Renn repairs it.",
    "a.pdf",
    "3",
    "c1",
    "d1",
)
CHINESE = SourceText(2, "马清和创办了云岭轮渡公司。公司总部在安塞港。", "b.txt", "", "c2", "d2")
SOURCES = (FERRY, CHINESE)


def test_each_cited_source_comes_once_in_order_of_citing_with_the_sentences_used() -> None:
    text = (
        "The ferry was founded by Mara Quill in 1911 [1].\n\n"
        "- 云岭轮渡公司由马清和创办 [2]\n- Tobias Renn repairs it. [1]"
    )
    citations, unknown = find_citations(text, SOURCES)
    assert unknown == ()
    assert [c.number for c in citations] == [1, 2]
    assert citations[0].sentences == ("Mara Quill founded the ferry in 1911.", "Tobias Renn repairs it.")
    assert citations[1].sentences == ("马清和创办了云岭轮渡公司。",)
    assert (citations[0].document, citations[0].page, citations[0].content) == ("a.pdf", "3", FERRY.content)


def test_numbers_side_by_side_belong_to_one_statement() -> None:
    for marks in ("[1][2]", "[1] [2]", "[1, 2]", "[1; 2]"):
        citations, _ = find_citations(f"Mara Quill founded the ferry in 1911 {marks}.", SOURCES)
        assert [c.number for c in citations] == [1, 2]
        assert citations[0].sentences == ("Mara Quill founded the ferry in 1911.",)


def test_a_number_that_names_no_source_is_reported() -> None:
    citations, unknown = find_citations("Surely so [7] and [1].", SOURCES)
    assert unknown == (7,)
    assert [c.number for c in citations] == [1]


def test_escaped_brackets_of_a_document_are_no_citation_and_its_sentence_is_recognised() -> None:
    source = SourceText(1, "See note [2] on *costs* of $4_000. Other words stand here.", "a", "", "c", "d")
    text = f"{escape_markdown('See note [2] on *costs* of $4_000.')} [1]"
    citations, unknown = find_citations(text, (source,))
    assert unknown == ()
    assert [c.number for c in citations] == [1]
    assert citations[0].sentences == ("See note [2] on *costs* of $4_000.",)


def test_sentences_that_the_answer_does_not_repeat_are_not_marked() -> None:
    (citation,), _ = find_citations("Something else entirely [1].", SOURCES)
    assert citation.sentences == ()
