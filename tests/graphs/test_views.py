"""From what a person wants to see to what is shown."""

import networkx as nx
import pytest
from graphs.conftest import add, relate

from lightrag_engine.graphs import MOST_SHOWN, GraphViewState, Scope
from lightrag_engine.graphs.views import EXPANDED


def test_the_best_connected_come_first_and_the_line_says_how_many_there_are(show, town):
    found = show(town, shown=3)
    assert found.keys == ("town", "dov", "uma")
    assert found.pairs == (("dov", "town"), ("dov", "uma"), ("town", "uma"))
    assert found.line == "3 of 10 entities, the best connected"
    assert show(town).line == "All 10 entities"


def test_a_big_graph_is_never_drawn_whole(show, big):
    """The browser froze for minutes on a graph of thousands: what is drawn is bounded, and says so."""
    assert show(big, shown=MOST_SHOWN).line == "1,000 of 3,000 entities, the best connected"
    hub = max(big, key=big.degree)
    for fields in (
        {"scope": Scope.AROUND, "focus": (hub,), "hops": 3, "shown": MOST_SHOWN},
        {"scope": Scope.SEARCH, "find": "entity"},
        {"scope": Scope.EVIDENCE, "nodes": tuple(big)},
        {"shown": MOST_SHOWN, "expanded": tuple(big)},
    ):
        assert len(show(big, **fields).keys) <= MOST_SHOWN


def test_what_is_asked_for_takes_the_place_of_the_last_of_the_best(show, big):
    """At the bound a double-click added nothing, and said nothing."""
    leaf = min(big, key=lambda key: (big.degree(key), key))
    found = show(big, shown=MOST_SHOWN, expanded=(leaf,))
    assert {leaf, *big[leaf]} <= set(found.keys)
    assert len(found.keys) == MOST_SHOWN
    assert "you asked for" in found.line


def test_neighbours_are_added_step_by_step(show):
    graph = nx.Graph()
    hub = add(graph, "Hub")
    for n in range(2 * EXPANDED + 5):
        relate(graph, hub, add(graph, f"Leaf {n:02}"))
    for times, shown in ((1, EXPANDED), (2, 2 * EXPANDED), (3, 2 * EXPANDED + 5)):
        found = show(graph, scope=Scope.SEARCH, find="hub", expanded=(hub,) * times)
        assert len(found.keys) == 1 + shown


@pytest.mark.parametrize(
    ("filters", "kept", "said"),
    [
        ({"types": ("location",)}, {"town"}, "of type location"),
        ({"documents": ("doc-2",)}, {"uma", "vic", "wes", "xan", "town"}, "in two.txt"),
        ({"min_degree": 5}, {"town", "dov", "uma"}, "with at least 5 relations"),
        ({"keyword": "FRIEND"}, {"dov", "uma"}, "related by “FRIEND”"),
        ({"text": "strange"}, {"stranger"}, "that mention “strange”"),
        (
            {"min_weight": 3, "types": ("person",), "documents": ("doc-1",)},
            {"ada", "ben", "cia", "dov"},
            "in",
        ),
    ],
)
def test_filters_combine_and_are_said(show, town, filters, kept, said):
    found = show(town, **filters)
    assert set(found.keys) == kept
    assert said in found.line


def test_filters_on_relations_hide_the_others(show, town):
    assert show(town, keyword="friendship").pairs == (("dov", "uma"),)
    assert show(town, keyword="met at the fair").pairs == (("dov", "uma"),)
    assert ("dov", "uma") not in show(town, min_weight=1.0).pairs


def test_a_filter_never_takes_away_what_one_looks_at(show, town):
    found = show(town, scope=Scope.AROUND, focus=("ada",), types=("location",))
    assert found.keys == ("ada", "town")
    assert show(town, types=("location",), chosen=("ada",)).keys == ("town", "ada")


def test_hops_widen_the_neighbourhood(show, town):
    one = show(town, scope=Scope.AROUND, focus=("ada",), keyword="family")
    assert set(one.keys) == {"ada", "ben", "cia", "dov"}
    two = show(town, scope=Scope.AROUND, focus=("ada",), hops=2)
    assert set(two.keys) == set(town) - {"stranger"}
    assert two.line == "9 of 10 entities, within 2 steps of Ada"
    assert show(town, scope=Scope.AROUND, focus=("ada", "uma")).focus == ("ada", "uma")


def test_paths_show_only_the_relations_they_follow(show, town):
    found = show(town, scope=Scope.PATHS, focus=("ada", "xan"), paths=2)
    assert found.paths[0].keys == ("ada", "town", "xan")
    assert set(found.pairs) == {pair for path in found.paths for pair in path.pairs}
    assert found.line.startswith("2 shortest paths between Ada and Xan, 2–3 steps")
    alone = show(town, scope=Scope.PATHS, focus=("ada", "stranger"))
    assert (alone.keys, alone.line) == (("ada", "stranger"), "Nothing connects Ada and Stranger")


def test_paths_respect_the_filters_but_for_their_ends(show, town):
    found = show(town, scope=Scope.PATHS, focus=("ada", "uma"), types=("person",), paths=1)
    assert [path.keys for path in found.paths] == [("ada", "dov", "uma")]


def test_the_evidence_of_an_answer_shows_its_relations_only(show, town):
    found = show(town, scope=Scope.EVIDENCE, nodes=("cia", "gone"), pairs=(("ada", "town"), ("ada", "x")))
    assert set(found.keys) == {"cia", "ada", "town"}
    assert found.pairs == (("ada", "town"),)
    assert found.problems == ("2 of what was picked for this view is no longer in the graph.",)
    among = show(town, scope=Scope.EVIDENCE, nodes=("ada", "ben"))
    assert among.pairs == (("ada", "ben"),)


def test_everything_of_documents(show, town):
    found = show(town, scope=Scope.DOCUMENTS, documents=("doc-1", "gone"))
    assert set(found.keys) == {"ada", "ben", "cia", "dov", "town"}
    assert found.line == "5 of 10 entities, those of one.txt"
    assert found.problems == ("1 document of this view no longer exists.",)


def test_a_community_and_the_overview_of_all(show, town):
    found = show(town, scope=Scope.COMMUNITY, community="vic")
    assert {"uma", "vic", "wes", "xan"} <= set(found.keys)
    overview = show(town, scope=Scope.OVERVIEW)
    assert len(overview.keys) == 2
    assert "of 10 entities" in overview.line


def test_search_results(show, town):
    assert show(town, scope=Scope.SEARCH, find="st").keys == ("stranger",)
    assert show(town, scope=Scope.SEARCH, find="  ").keys == ()


def test_expanding_adds_the_best_connected_neighbours():
    graph = nx.Graph()
    hub = add(graph, "Hub")
    for n in range(EXPANDED + 9):
        relate(graph, hub, add(graph, f"Leaf {n:02}"))
    relate(graph, add(graph, "Leaf 48"), add(graph, "Twig"))
    from graphs.conftest import show as make

    found = make.__wrapped__()(graph, shown=10, types=("none",), expanded=("hub",))
    assert "hub" in found.keys
    assert found.line.endswith("1 entity you asked for")
    found = make.__wrapped__()(graph, scope=Scope.AROUND, focus=("leaf 00",), expanded=("hub", "gone"))
    assert len(found.keys) == 2 + EXPANDED
    assert "leaf 48" in found.keys
    assert (
        found.line
        == f"2 of {len(graph)} entities, within 1 step of Leaf 00, and {EXPANDED} entities you asked for"
    )


@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_answers_for_an_empty_graph_and_for_what_is_gone(show, scope):
    empty = show(nx.Graph(), scope=scope)
    assert (empty.keys, empty.pairs) == ((), ())
    graph = nx.Graph()
    add(graph, "Only")
    found = show(graph, scope=scope, focus=("gone", "too"), documents=("no",), community="x", nodes=("y",))
    assert "gone" not in found.keys
    assert found.line


def test_a_picture_does_not_depend_on_what_is_selected():
    state = GraphViewState(chosen=("a",), edge=("a", "b"), types=("person",))
    assert state.picture == GraphViewState(types=("person",))
    assert state.filtered
    assert not state.without_filters().filtered
