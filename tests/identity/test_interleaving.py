"""Any sequence of edits, undoing, indexing and deleting gives what its records and its log say."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from typing import Any

from doubles import HashEmbedding, ScriptedLanguage
from hypothesis import given, settings
from hypothesis import strategies as st

from lightrag_engine import EditError, LightRAG, Settings

from .conftest import check, read_out

NAMES = ["Ada", "Ada Pell", "Bram", "Cleo", "ADA", "Dorn"]
NAME = st.sampled_from(NAMES)
TEXT = st.lists(
    st.builds(lambda a, verb, b: f"{a} {verb} {b}.", NAME, st.sampled_from(["met", "left"]), NAME),
    min_size=1,
    max_size=3,
).map(" ".join)
EDITS = st.one_of(
    st.tuples(st.just("merge_entities"), st.lists(NAME, min_size=1, max_size=2), NAME),
    st.tuples(st.just("merge_entities"), st.lists(NAME, min_size=1, max_size=2), NAME, NAME),
    st.tuples(st.just("rename_entity"), NAME, NAME),
    st.tuples(st.just("retype_entity"), NAME, st.sampled_from(["person", "unknown"])),
    st.tuples(st.just("describe_entity"), NAME, st.just("told")),
    st.tuples(st.just("add_entity"), NAME, st.just("person"), st.just("made")),
    st.tuples(st.just("delete_entity"), NAME),
    st.tuples(st.just("describe_relation"), NAME, NAME, st.just("told")),
    st.tuples(st.just("set_relation_weight"), NAME, NAME, st.just(9.0)),
    st.tuples(st.just("add_relation"), NAME, NAME, st.just("made")),
    st.tuples(st.just("delete_relation"), NAME, NAME),
    st.tuples(st.just("dismiss_duplicate"), NAME, NAME),
)
STEPS = st.one_of(
    EDITS,
    EDITS,
    st.tuples(st.just("insert"), TEXT),
    st.tuples(st.just("delete_document"), st.integers(0, 3)),
    st.tuples(st.just("undo"), st.integers(1, 8)),
    st.tuples(st.just("redo"), st.integers(1, 8)),
)


def open_rag(folder: str) -> LightRAG:
    return LightRAG(
        "w", Settings(data_dir=folder), language=ScriptedLanguage(), embedding=HashEmbedding(dimensions=8)
    )


def take(rag: LightRAG, step: tuple[Any, ...]) -> bool:
    method, *arguments = step
    if method == "delete_document":
        ids = [document.id for document in rag.documents()]
        if not ids:
            return False
        arguments = [ids[arguments[0] % len(ids)]]
    with suppress(EditError):
        getattr(rag, method)(*arguments)
        return True
    return False


@settings(max_examples=12)
@given(first=TEXT, steps=st.lists(STEPS, min_size=2, max_size=9))
def test_the_graph_is_what_records_and_log_say_after_every_step(
    first: str, steps: list[tuple[Any, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_rag(folder) as rag:
        rag.insert(first)
        for step in steps:
            take(rag, step)
            check(rag)


@settings(max_examples=12)
@given(
    texts=st.lists(TEXT, min_size=1, max_size=2, unique=True), earlier=st.lists(EDITS, max_size=3), edit=EDITS
)
def test_an_edit_that_is_undone_was_never_made(
    texts: list[str], earlier: list[tuple[Any, ...]], edit: tuple[Any, ...]
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_rag(folder) as rag:
        rag.insert(texts)
        for step in earlier:
            take(rag, step)
        before = read_out(rag)
        if take(rag, edit):
            after = read_out(rag)
            rag.undo()
            assert read_out(rag) == before
            rag.redo()
            assert read_out(rag) == after
