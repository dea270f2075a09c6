"""Conversations and evidence as files: complete, readable by other programs, and nothing in them acts."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import MakeRag
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lightrag_engine import Answer, Keywords, LightRAG, QueryParam, SettingsError
from lightrag_engine.answering import find_citations
from lightrag_engine.conversations import (
    TABLES,
    Conversation,
    ConversationInfo,
    TableName,
    Turn,
    conversation_json,
    conversation_markdown,
    evidence_csv,
    evidence_of,
    turn_of,
    turn_zip,
)
from lightrag_engine.records import EntityRow, Reason, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context

HOSTILE = '=HYPERLINK("http://x")<script>alert(1)</script> | ![a](http://x) `code`'
CONTEXT = Context(
    "mix",
    (
        EntityRow(1, "Port Ansel", "location", "A town.", 2, "port ansel"),
        EntityRow(2, "Mara Quill", "person", 'He said "stop, now",\nthen left', 3, "mara quill"),
        EntityRow(3, "Mara", "person", HOSTILE, 1, "mara"),
    ),
    (
        RelationRow(1, "Port Ansel", "Tobias Renn", "home", "He lives there.", 1.0, 3, ("c2",)),
        RelationRow(2, "Mara Quill", "Ferry", "founding", "She founded it.", 2.0, 5, ("c1",)),
    ),
    (
        SourceText(1, "Tobias Renn lives in Port Ansel.", "=evil.txt", "", "c2", "d2"),
        SourceText(
            2,
            "Mara Quill founded the Ferry in 1921. It was red.",
            "ferry.pdf",
            "12",
            "c1",
            "d1",
            (Reason("named", 1, ("Mara Quill",)),),
        ),
    ),
)
TEXT = "**Mara Quill** founded the Ferry in 1921 [2]."


def turn(text: str = TEXT, context: Context = CONTEXT) -> Turn:
    citations, _ = find_citations(text, context.source_rows)
    answer = Answer(text, "Who?", "mix", "scripted", Keywords(("founding",), ("Ferry",)), context, citations)
    return Turn("Who founded it?", QueryParam(), answer, asked_at=1.0)


def conversation(*turns: Turn, name: str = "Ferries") -> Conversation:
    return Conversation(ConversationInfo("chat-1", name, 0.0, 60.0, len(turns)), turns)


def table(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_what_the_answer_cites_or_names_comes_first() -> None:
    answer = turn().answer
    assert answer is not None
    found = evidence_of(answer)
    assert [row.id for row in found.sources] == [2, 1]
    # "Mara" alone is another one: the longest name counts.
    assert [row.entity for row in found.entities] == ["Mara Quill", "Port Ansel", "Mara"]
    assert found.cited_entities == {2}
    assert ([row.id for row in found.relations], found.cited_relations) == ([2, 1], {2})
    shown = evidence_of(replace(answer, kind="context", citations=()))
    assert shown.cited_entities | shown.cited_relations | shown.cited_sources == frozenset()


def test_the_tables_are_csv_in_which_no_cell_is_a_formula() -> None:
    answer = turn().answer
    assert answer is not None
    entities, relations, sources = (table(evidence_csv(answer, name)) for name in TABLES)
    assert entities[0] == ["id", "entity", "type", "description", "rank", "cited"]
    assert entities[1] == ["2", "Mara Quill", "person", 'He said "stop, now",\nthen left', "3", "yes"]
    assert entities[3][3] == f"'{HOSTILE}"
    assert [row[-1] for row in relations] == ["cited", "yes", "no"]
    assert sources[0] == ["id", "content", "document", "page", "cited", "why"]
    assert sources[1][2:] == ["ferry.pdf", "12", "yes", "named: Mara Quill"]
    assert sources[2][2] == "'=evil.txt"


@given(st.lists(st.text(alphabet=st.characters(exclude_characters="\x00"), max_size=20), max_size=4))
def test_any_text_comes_out_of_a_table_as_it_went_in(texts: list[str]) -> None:
    rows = tuple(EntityRow(n, text, "t", text, 0) for n, text in enumerate(texts, start=1))
    answer = Answer("", "q", "mix", "x", Keywords(), Context("mix", rows), kind="context")
    _, *found = table(evidence_csv(answer, "entities"))
    assert [row[3].removeprefix("'") for row in found] == [text.removeprefix("'") for text in texts]


def test_the_evidence_of_an_answer_is_one_zip_file() -> None:
    data = turn_zip(turn())
    assert data == turn_zip(turn())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["entities.csv", "relations.csv", "sources.csv", "answer.md"]
        answer = turn().answer
        assert answer is not None
        for name in TABLES:
            assert archive.read(f"{name}.csv") == evidence_csv(answer, name)
        assert archive.read("answer.md").decode().startswith("# Who founded it?")
    with pytest.raises(SettingsError, match="no evidence"):
        turn_zip(replace(turn(), answer=None))


def test_markdown_says_everything_and_does_nothing() -> None:
    failed = Turn("And then?", QueryParam(), error="The server went away.", hint="Start it.")
    stopped = replace(turn(f"Some text {HOSTILE}"), stopped=True, question=HOSTILE)
    text = conversation_markdown(conversation(turn(), failed, stopped, name=HOSTILE))
    for part in ("Passages cited", "ferry.pdf, p. 12", "Mara Quill founded the Ferry in 1921"):
        assert part in text
    assert "The server went away. Start it." in text
    assert "The answer was stopped here." in text
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert "<script" not in html
    assert "<img" not in html
    assert "<a " not in html
    assert html.count("<h2>") == 3
    assert html.count("<table>") == 6


def test_json_holds_the_evidence_whole() -> None:
    failed = Turn("And then?", QueryParam(top_k=7), error="The server went away.", hint="Start it.")
    value = json.loads(conversation_json(conversation(turn(), failed)))
    first, second = value["turns"]
    assert value["conversation"] == "Ferries"
    assert first["citations"][0]["sentences"] == ["Mara Quill founded the Ferry in 1921."]
    assert (first["citations"][0]["document"], first["citations"][0]["page"]) == ("ferry.pdf", "12")
    assert [row["entity"] for row in first["entities"]] == ["Port Ansel", "Mara Quill", "Mara"]
    assert first["sources"][1]["why"] == [{"kind": "named", "place": 1, "via": ["Mara Quill"]}]
    assert (second["question"], second["error"]) == ("And then?", "The server went away. Start it.")
    assert second["parameters"]["top_k"] == 7


@pytest.mark.parametrize("ending", [".md", ".json"])
def test_a_kept_conversation_is_written_to_a_file(make_rag: MakeRag, tmp_path: Path, ending: str) -> None:
    rag: LightRAG = make_rag()
    rag.insert("三体文明位于半人马座。Mara Quill founded the Ferry.", ["三体.txt"])
    stream = rag.stream("Who is Mara Quill?")
    assert "".join(stream)
    chat = rag.create_conversation("三体")
    rag.save_turn(chat.id, turn_of(stream))
    path = rag.export_conversation(chat.id, tmp_path / "out" / f"chat{ending}")
    text = path.read_text(encoding="utf-8")
    assert "三体文明位于半人马座" in text
    assert "三体.txt" in text
    for wrong in ("chat.docx", "chat"):
        with pytest.raises(SettingsError, match="cannot be written") as caught:
            rag.export_conversation(chat.id, tmp_path / wrong)
        assert ".md" in caught.value.hint
        assert not (tmp_path / wrong).exists()


def test_the_names_of_the_tables_are_those_of_the_files() -> None:
    names: tuple[TableName, ...] = ("entities", "relations", "sources")
    assert names == TABLES
