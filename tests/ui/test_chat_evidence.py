"""What of the evidence is looked at in the graph, and how a question was asked, in a line."""

from lightrag_engine import Keywords, QueryParam
from lightrag_engine.graphs import Scope, from_params, to_params
from lightrag_engine.records import EntityRow, RelationRow
from lightrag_engine.retrieval.context import Context
from ui.chat.drawer import options_line
from ui.chat.evidence import looked_at

ENTITIES = tuple(EntityRow(n, f"E{n}", "person", "", 1, key=f"e{n}") for n in range(200))
RELATIONS = tuple(
    RelationRow(n, f"E{n + 1}", f"E{n}", "", "", 1.0, 2, source_key=f"e{n + 1}", target_key=f"e{n}")
    for n in range(199)
)
CONTEXT = Context("mix", ENTITIES, RELATIONS)


def test_a_row_is_chosen_amid_the_evidence_even_if_that_is_more_than_an_address_holds():
    for row, chosen, edge in (
        (None, (), None),
        (ENTITIES[199], ("e199",), None),
        (RELATIONS[180], (), ("e180", "e181")),
    ):
        state = looked_at(CONTEXT, row)
        assert state.scope is Scope.EVIDENCE
        assert len(state.nodes) == 150
        assert (state.chosen, state.edge) == (chosen, edge)
        if edge:
            assert edge in state.pairs
        assert from_params(to_params(state)) == (state, [])


def test_how_a_question_was_asked_is_said_where_it_differs_from_the_defaults():
    default = QueryParam()
    names = {"a": "ferry.txt", "b": "annual.pdf"}
    assert options_line(QueryParam(mode="local"), default, names) == ""
    asked = QueryParam(
        documents=("a", "gone"),
        entity_types=("person",),
        keywords=Keywords(("x",)),
        only_need_prompt=True,
        response_type="Table",
        history_turns=0,
        max_token_for_prompt=4000,
    )
    assert options_line(asked, default, names) == (
        "only in ferry.txt and a deleted document · only person · your keywords · only the prompt · "
        "as Table · earlier turns 0 · whole prompt within 4,000"
    )
    assert options_line(QueryParam(documents=tuple("abcd")), default, names) == "only in 4 documents"
