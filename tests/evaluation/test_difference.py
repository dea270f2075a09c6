"""Who found what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine import LightRAG
from lightrag_engine.evaluation.comparing import Comparison, VariantResult
from lightrag_engine.evaluation.difference import (
    KINDS,
    difference,
    jaccard,
    key_of,
    overlap_matrix,
    union_graph,
)
from lightrag_engine.evaluation.variants import Variant
from lightrag_engine.records import EntityRow, RelationRow, SourceText
from lightrag_engine.retrieval.context import Context


def entity(number: int, name: str) -> EntityRow:
    return EntityRow(number, name, "person", f"{name} is one.", 1, name.casefold())


def relation(number: int, source: str, target: str) -> RelationRow:
    return RelationRow(number, source, target, "work, sea", f"{source} and {target}.", 1.0, 2)


def source(number: int, chunk: str) -> SourceText:
    return SourceText(number, f"text of {chunk}", f"{chunk}.txt", "3", chunk, "doc")


def compared(**contexts: Context) -> Comparison:
    return Comparison(
        "Who?", tuple(VariantResult(Variant(mode), context=context) for mode, context in contexts.items())
    )


LOCAL = Context("local", (entity(1, "Ada"), entity(2, "Bo")), (relation(1, "Ada", "Bo"),), (source(1, "c1"),))
MIX = Context(
    "mix",
    (entity(1, "Bo"), entity(2, "Cy")),
    (relation(1, "Bo", "Ada"), relation(2, "Bo", "Dee")),
    (source(1, "c2"), source(2, "c1")),
)
NAIVE = Context("naive", source_rows=(source(1, "c2"),))


def test_every_row_is_there_once_with_its_rank_in_each_variant() -> None:
    found = difference(compared(naive=NAIVE, local=LOCAL, mix=MIX))
    assert [(row.label, row.ranks, row.found_by) for row in found.entities] == [
        ("Bo", (None, 2, 1), "all"),  # of those that look for entities
        ("Ada", (None, 1, None), "one"),
        ("Cy", (None, None, 2), "one"),
    ]
    assert [(row.label, row.ranks) for row in found.relations] == [
        ("Ada – Bo", (None, 1, 1)),  # whichever way it is stated
        ("Bo – Dee", (None, None, 2)),
    ]
    assert [(row.key, row.ranks, row.found_by) for row in found.sources] == [
        ("c1", (None, 1, 2), "some"),
        ("c2", (1, None, 1), "some"),
    ]
    assert found.sources[0].label == "c1.txt, p. 3"
    assert found.counts("entities") == {"all": 1, "some": 0, "one": 2}


def test_overlaps_are_known_only_between_variants_that_look_for_such_things() -> None:
    found = difference(compared(naive=NAIVE, local=LOCAL, mix=MIX))
    assert found.overlaps["entities"] == ((None, None, None), (None, 1.0, 1 / 3), (None, 1 / 3, 1.0))
    assert found.overlaps["sources"] == ((1.0, 0.0, 0.5), (0.0, 1.0, 0.5), (0.5, 0.5, 1.0))


def test_the_union_says_who_found_each_part_and_can_leave_variants_out() -> None:
    comparison = compared(naive=NAIVE, local=LOCAL, mix=MIX)
    graph = union_graph(comparison)
    assert dict(graph.nodes(data="found_by")) == {"ada": (1,), "bo": (1, 2), "cy": (2,), "dee": ()}
    assert graph.edges["ada", "bo"]["found_by"] == (1, 2)
    assert graph.edges["ada", "bo"]["keywords"] == ("work", "sea")
    only = union_graph(comparison, [1])
    assert set(only) == {"ada", "bo"}
    assert set(union_graph(comparison, [0])) == set()


def test_a_variant_that_failed_found_nothing() -> None:
    comparison = Comparison("Who?", (VariantResult(Variant("local"), LOCAL), VariantResult(Variant("mix"))))
    assert [row.ranks for row in difference(comparison).entities] == [(1, None), (2, None)]


def test_keys_of_the_engine_are_those_of_the_graph(ferry: LightRAG) -> None:
    comparison = ferry.compare("What did Mara Quill found?", ["local", "hybrid"], answers=False)
    graph = union_graph(comparison)
    assert set(graph) <= set(ferry.graph)
    assert graph.number_of_edges() > 0
    assert all(ferry.graph.has_edge(*edge) for edge in graph.edges)


keys = st.lists(st.text("abcdef", min_size=1, max_size=1), unique=True)


@given(st.lists(keys, min_size=2, max_size=5))
def test_the_matrix_is_symmetric_with_ones_on_the_diagonal(found: list[list[str]]) -> None:
    matrix = overlap_matrix(found)
    for i, row in enumerate(matrix):
        assert row[i] == (1 if found[i] else None)
        for j, cell in enumerate(row):
            assert cell == matrix[j][i] == jaccard(found[i], found[j])
            assert cell is None or 0 <= cell <= 1


@given(st.lists(keys, min_size=2, max_size=5))
def test_all_some_and_one_add_up_and_no_row_is_lost(found: list[list[str]]) -> None:
    comparison = Comparison(
        "Who?",
        tuple(
            VariantResult(
                Variant("local", top_k=position + 1),
                Context("local", tuple(entity(n, name) for n, name in enumerate(names, start=1))),
            )
            for position, names in enumerate(found)
        ),
    )
    rows = difference(comparison).entities
    assert {row.key for row in rows} == {name for names in found for name in names}
    assert sum(difference(comparison).counts("entities").values()) == len(rows)
    for row in rows:
        for rank, names in zip(row.ranks, found, strict=True):
            assert (names[rank - 1] if rank else None) == (row.key if row.key in names else None)
    assert {key_of(entity(1, row.label)) for row in rows} == {row.key for row in rows}
    assert set(KINDS) == set(difference(comparison).overlaps)
