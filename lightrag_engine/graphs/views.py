"""From what a person wants to see to what is shown: entities, relations, and an honest line about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx

from lightrag_engine.graphs.communities import Communities
from lightrag_engine.graphs.filters import Filter
from lightrag_engine.graphs.indexed import Indexed, Pair, indexed, pair_of
from lightrag_engine.graphs.paths import Path, shortest_paths
from lightrag_engine.graphs.state import MOST_SHOWN, GraphViewState, Rank, Scope

_GROUPS_SHOWN = 60
_BASE_LEFT = 100  # of the best, whatever else was asked for
EXPANDED = 40  # neighbours that one expansion adds


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a graph besides itself, for making views of it; each is only made when it is needed.

    `ranked` gives all keys, best first. `documents_of` gives the ids of the documents of each entity and
    `names` the names of documents; `search` finds keys by a text, best first.
    """

    by_number: Callable[[], Indexed]
    ranked: Callable[[Rank], Sequence[str]]
    communities: Callable[[], Communities]
    documents_of: Callable[[], Mapping[str, Sequence[str]]]
    names: Mapping[str, str]
    search: Callable[[str, int], Sequence[str]]


@dataclass(frozen=True, slots=True)
class GraphView:
    """What is shown: entities (best first), relations as sorted pairs, and how that is to be read.

    `line` says how much of what this is, `problems` what was asked for and is not there. `focus` is what a
    layout turns around. `paths` are the paths found, in scope PATHS.
    """

    keys: tuple[str, ...]
    pairs: tuple[Pair, ...]
    line: str
    problems: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    paths: tuple[Path, ...] = field(default=())


def view(graph: nx.Graph[str], state: GraphViewState, known: Known) -> GraphView:
    """Return what a state shows of a graph; deterministic, and never more than `MOST_SHOWN` entities."""
    passes = Filter(graph, state, known.documents_of() if state.documents else {})
    base = _SCOPES[state.scope](graph, state, known, passes)
    keys = dict.fromkeys(base.keys)
    extra = _expanded(graph, state, passes, keys)
    chosen = [key for key in state.chosen if key in graph and key not in keys]
    # What was asked for is worth more than the last of the best: they make room for it.
    over = len({*keys, *extra, *chosen}) - MOST_SHOWN
    if 0 < over < min(state.shown, len(keys)) - _BASE_LEFT:
        base = _SCOPES[state.scope](graph, state.with_(shown=state.shown - over), known, passes)
        keys = dict.fromkeys(base.keys)
        extra = _expanded(graph, state, passes, keys)
        chosen = [key for key in state.chosen if key in graph and key not in keys]
    # What is selected is always in sight, whatever the scope and the filters say.
    keys |= dict.fromkeys([*extra, *chosen][: max(MOST_SHOWN - len(keys), 0)])
    pairs = dict.fromkeys(base.pairs)
    if base.pairs and (state.scope in (Scope.PATHS, Scope.EVIDENCE)):
        added = set(extra) | set(chosen) | set(state.expanded)
        pairs |= dict.fromkeys(_among(graph, keys, passes, only=added))
    else:
        pairs = dict.fromkeys(_among(graph, keys, passes))
    if state.edge and graph.has_edge(*state.edge) and keys.keys() >= set(state.edge):
        pairs[state.edge] = None
    more = _counted(len(keys) - len(base.keys), "entity", "entities")
    line = f"{base.line}, and {more} you asked for" if len(keys) > len(base.keys) else base.line
    return GraphView(tuple(keys), tuple(sorted(pairs)), line, base.problems, base.focus, base.paths)


def neighbours(
    graph: nx.Graph[str], key: str, state: GraphViewState, documents_of: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the neighbours of an entity that pass the filters, best connected first."""
    if key not in graph:
        return []
    passes = Filter(graph, state, documents_of)
    found = (other for other in graph.neighbors(key) if passes.entity(other) and passes.relation(key, other))
    return sorted(found, key=lambda other: (-graph.degree(other), other))


def _expanded(graph: nx.Graph[str], state: GraphViewState, passes: Filter, shown: Iterable[str]) -> list[str]:
    have = dict.fromkeys(shown)
    added: dict[str, None] = {}
    for key in state.expanded:
        if key not in graph:
            continue
        near = [key] if key not in have else []
        found = (
            o for o in graph.neighbors(key) if o not in have and passes.relation(key, o) and passes.entity(o)
        )
        near += sorted(found, key=lambda other: (-graph.degree(other), other))[:EXPANDED]
        added |= dict.fromkeys(near)
        have |= added
    return list(added)


def _among(
    graph: nx.Graph[str], keys: Iterable[str], passes: Filter, only: Iterable[str] | None = None
) -> list[Pair]:
    shown = set(keys)
    starts = shown if only is None else shown & set(only)
    found = {pair_of(a, b) for a in starts for b in graph.neighbors(a) if b in shown}
    return sorted(pair for pair in found if passes.relation(*pair))


def _top(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    keys = _best(known.ranked(state.rank), passes, state.shown)
    return GraphView(tuple(keys), (), _line(len(keys), graph, _ranking(state), state, known))


def _documents(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    gone = [id_ for id_ in state.documents if id_ not in known.names]
    problems = (f"{_counted(len(gone), 'document')} of this view no longer exists.",) if gone else ()
    if not state.documents:
        return GraphView((), (), "Choose one document or several", problems)
    every = [key for key in known.ranked(state.rank) if passes.entity(key)]
    keys = every[:MOST_SHOWN]
    names = _listed([known.names[id_] for id_ in state.documents if id_ in known.names])
    what = f"those of {names}" if len(every) <= MOST_SHOWN else f"the best connected of {names}"
    return GraphView(tuple(keys), (), _line(len(keys), graph, what, state, known), problems)


def _around(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    focus, problems = _there(graph, state.focus)
    if not focus:
        return GraphView((), (), "Choose the entity to look around from", problems)
    keys = dict.fromkeys(focus)
    layer: list[str] = list(focus)
    left_out = 0
    for _ in range(state.hops):
        found = {
            other
            for key in layer
            for other in graph.neighbors(key)
            if other not in keys and passes.relation(key, other) and passes.entity(other)
        }
        ranked = sorted(found, key=lambda key: (-graph.degree(key), key))
        layer = ranked[: max(state.shown - len(keys), 0)]
        left_out += len(ranked) - len(layer)
        keys |= dict.fromkeys(layer)
    names = _listed([_name(graph, key) for key in focus])
    steps = _counted(state.hops, "step")
    most = ", the best connected" if left_out else ""
    what = f"within {steps} of {names}{most}"
    return GraphView(tuple(keys), (), _line(len(keys), graph, what, state, known), problems, focus)


def _paths(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    ends, problems = _there(graph, state.focus)
    if len(ends) < 2:
        return GraphView((*ends,), (), "Choose the two entities to connect", problems, ends)
    first, last = ends[0], ends[-1]
    names = f"{_name(graph, first)} and {_name(graph, last)}"
    if state.filtered:
        # The ends are always allowed; everything between has to pass.
        kept: nx.Graph[str] = nx.Graph()
        allowed = {key for key in graph if key in (first, last) or passes.entity(key)}
        kept.add_nodes_from(allowed)
        kept.add_edges_from(
            (a, b, data)
            for a, b, data in graph.edges(data=True)
            if a in allowed and b in allowed and passes.relation(a, b)
        )
        found = shortest_paths(indexed(kept), first, last, state.paths)
    else:
        found = shortest_paths(known.by_number(), first, last, state.paths)
    keys = dict.fromkeys([first, last, *(key for path in found for key in path.keys)])
    pairs = dict.fromkeys(pair for path in found for pair in path.pairs)
    if not found:
        line = f"Nothing connects {names}{_filters(state, known)}"
    else:
        steps = sorted({len(path) for path in found})
        length = "–".join(str(n) for n in ([steps[0], steps[-1]] if len(steps) > 1 else steps))
        line = (
            f"{_counted(len(found), 'shortest path')} between {names}, "
            f"{length} {'step' if steps == [1] else 'steps'}{_filters(state, known)}"
        )
    return GraphView(tuple(keys), tuple(pairs), line, problems, (first, last), tuple(found))


def _evidence(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    pairs = [pair for pair in state.pairs if graph.has_edge(*pair)]
    keys, _ = _there(graph, [*state.nodes, *(key for pair in pairs for key in pair)])
    missing = sum(key not in graph for key in state.nodes) + len(state.pairs) - len(pairs)
    problems = (f"{missing} of what was picked for this view is no longer in the graph.",) if missing else ()
    kept = [key for key in keys if passes.entity(key)][:MOST_SHOWN]
    drawn = [pair for pair in pairs if set(pair) <= set(kept) and passes.relation(*pair)]
    related = f" and {_counted(len(drawn), 'relation')}" if pairs else ""
    line = (
        f"{len(kept):,} of {_counted(len(graph), 'entity', 'entities')}{related}, picked for this view"
        f"{_filters(state, known)}"
    )
    # Without relations of its own the evidence is shown with those among its entities.
    return GraphView(tuple(kept), tuple(drawn), line, problems)


def _community(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    group = known.communities().of(state.community)
    if group is None:
        return GraphView((), (), "Choose a community", _missing_line([state.community]))
    keys = _best(group.members, passes, state.shown)
    name = _name(graph, group.key)
    what = f"the community of {name}"
    if len(keys) < len(group.members):
        what = f"the best connected of the {len(group.members):,} in the community of {name}"
    return GraphView(tuple(keys), (), _line(len(keys), graph, what, state, known))


def _overview(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    groups = known.communities().groups
    shown = [group for group in groups if len(group.members) > 1][:_GROUPS_SHOWN]
    inside = sum(len(group.members) for group in shown)
    line = (
        f"{_counted(len(shown), 'community', 'communities')} of {len(groups):,}, "
        f"the largest; they hold {inside:,} of {len(graph):,} entities"
    )
    return GraphView(tuple(group.key for group in shown), (), line)


def _search(graph: nx.Graph[str], state: GraphViewState, known: Known, passes: Filter) -> GraphView:
    if not state.find.strip():
        return GraphView((), (), "Type what to find")
    found = [key for key in known.search(state.find, MOST_SHOWN) if passes.entity(key)]
    keys = found[: state.shown]
    most = f", the first of {len(found):,}" if len(found) > len(keys) else ""
    what = f"found for “{state.find.strip()}”{most}"
    return GraphView(tuple(keys), (), _line(len(keys), graph, what, state, known))


_SCOPES = {
    Scope.TOP: _top,
    Scope.AROUND: _around,
    Scope.DOCUMENTS: _documents,
    Scope.EVIDENCE: _evidence,
    Scope.COMMUNITY: _community,
    Scope.OVERVIEW: _overview,
    Scope.PATHS: _paths,
    Scope.SEARCH: _search,
}


def _best(ranked: Iterable[str], passes: Filter, count: int) -> list[str]:
    keys: list[str] = []
    for key in ranked:
        if len(keys) >= count:
            break
        if passes.entity(key):
            keys.append(key)
    return keys


def _there(graph: nx.Graph[str], keys: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    wanted = list(dict.fromkeys(keys))
    return tuple(key for key in wanted if key in graph), _missing_line([k for k in wanted if k not in graph])


def _missing_line(keys: Sequence[str]) -> tuple[str, ...]:
    named = [key for key in keys if key]
    return (f"There is no entity {_listed([f'“{key}”' for key in named])}.",) if named else ()


def _ranking(state: GraphViewState) -> str:
    return "the best connected" if state.rank is Rank.DEGREE else "the highest by PageRank"


def _line(count: int, graph: nx.Graph[str], what: str, state: GraphViewState, known: Known) -> str:
    """Return the sentence that says how much of the graph this is."""
    total, filters = len(graph), _filters(state, known)
    if count == total and not filters and state.scope is Scope.TOP:
        return "The only entity" if total == 1 else f"All {total:,} entities"
    return f"{count:,} of {_counted(total, 'entity', 'entities')}, {what}{filters}"


def _filters(state: GraphViewState, known: Known) -> str:
    parts = []
    if state.types:
        parts.append(f"of type {_listed(state.types, 'or')}")
    if state.documents and state.scope is not Scope.DOCUMENTS:
        parts.append(f"in {_listed([known.names.get(id_, 'a deleted document') for id_ in state.documents])}")
    if state.min_degree:
        parts.append(f"with at least {_counted(state.min_degree, 'relation')}")
    if state.min_weight:
        parts.append(f"related with weight {state.min_weight:g} or more")
    if state.keyword:
        parts.append(f"related by “{state.keyword}”")
    if state.text:
        parts.append(f"that mention “{state.text}”")
    return f" {', '.join(parts)}" if parts else ""


def _name(graph: nx.Graph[str], key: str) -> str:
    return str(graph.nodes[key].get("name", key))


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _listed(names: Sequence[str], word: str = "and") -> str:
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else ""
