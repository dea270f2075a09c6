"""Questions to begin with, made of what the graph holds: somebody or something, a relation, a theme, all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from lightrag_engine.graphs.communities import Communities
from lightrag_engine.graphs.kinds import best_connected, type_of
from lightrag_engine.records import UNKNOWN_TYPE

_CANDIDATES = 60  # best connected entities that are looked at
_NEVER_ASKED = frozenset({UNKNOWN_TYPE, "date", "time", "quantity", "number", "money", "percent"})
_FEW = 4
_LONGEST = 60  # characters of a name
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


@dataclass(frozen=True, slots=True)
class _Wording:
    who: str
    what: str
    related: str
    about: str
    overview: str


_ENGLISH = _Wording(
    "Who is {}?",
    "What is {}?",
    "How are {} and {} related?",
    "What do the documents say about {} and {}?",
    "What are the documents about?",
)
_CHINESE = _Wording(
    "{}是谁？", "{}是什么？", "{}和{}有什么关系？", "关于{}和{}，文档里说了什么？", "这些文档的主题是什么？"
)


def suggested_questions(graph: nx.Graph[str], found: Communities, count: int = 4) -> tuple[str, ...]:
    """Return up to `count` questions that the graph can answer; the same graph always gives the same.

    About the best connected entity; about the heaviest relation between two well connected ones; about the
    heads of a community that the first two do not touch, else of any; about everything. Dates, amounts, what
    has no type, and names that say nothing by themselves are not asked about. In Chinese where most names
    of the graph are; where names of the other kind are few among the best connected, about those, too.
    """
    asked = [key for key in best_connected(graph, _CANDIDATES) if _is_askable(graph.nodes[key])]
    if not asked:
        return ()
    in_chinese = 2 * sum(_is_chinese(graph, key) for key in graph) > len(graph)
    wording = _CHINESE if in_chinese else _ENGLISH
    alike = [key for key in asked if _is_chinese(graph, key) is in_chinese]
    # A question in one language about names of another reads badly: only where there are hardly others.
    asked = alike if len(alike) >= _FEW else asked
    names = {key: str(graph.nodes[key].get("name", key)) for key in asked}
    first = asked[0]
    is_person = type_of(graph.nodes[first]) == "person"
    questions = [(wording.who if is_person else wording.what).format(names[first])]
    used = {first}
    pair = next(_pairs(graph, asked, names), None)
    if pair is not None:
        questions.append(wording.related.format(names[pair[0]], names[pair[1]]))
        used.update(pair)
    theme = _theme(found, names, used)
    if theme is not None:
        questions.append(wording.about.format(names[theme[0]], names[theme[1]]))
    questions.append(wording.overview)
    return tuple(questions[:count])


def _is_chinese(graph: nx.Graph[str], key: str) -> bool:
    name = str(graph.nodes[key].get("name", key))
    return bool(_HAN.search(name)) and not _KANA.search(name)


def _is_askable(node: Mapping[str, Any]) -> bool:
    # Imported here: the built-in language takes a second, and only who reads or asks needs it.
    from lightrag_engine.language.builtin.detect import FUNCTION_WORDS

    name = str(node.get("name", ""))
    letters = sum(map(str.isalpha, name))
    words = re.findall(r"\w+", name.casefold())
    return (
        type_of(node).casefold() not in _NEVER_ASKED
        and 2 <= letters <= _LONGEST
        and len(name) <= _LONGEST
        and "\n" not in name
        # Mostly letters: no formula, address or number of a paragraph.
        and letters >= 0.6 * len(name.replace(" ", ""))
        # A single word in small letters means something else in every sentence.
        and (len(words) > 1 or not name.islower())
        and not all(word in FUNCTION_WORDS for word in words)
    )


def _pairs(graph: nx.Graph[str], asked: list[str], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the related pairs among entities, heaviest relation first, the better connected end in front."""
    place = {key: number for number, key in enumerate(asked)}
    edges = sorted(
        (-float(edge.get("weight", 0.0)), min(place[a], place[b]), max(place[a], place[b]))
        for a, b, edge in graph.subgraph(asked).edges(data=True)
        if a != b
    )
    for _, a, b in edges:
        first, second = names[asked[a]].casefold(), names[asked[b]].casefold()
        # "Quill" and "Mara Quill" may well be one.
        if first not in second and second not in first:
            yield asked[a], asked[b]


def _theme(found: Communities, names: Mapping[str, str], used: set[str]) -> tuple[str, str] | None:
    """Return the two heads of the largest community, one that was not asked about before others."""
    heads: list[tuple[bool, int, tuple[str, str]]] = []
    for number, group in enumerate(found.groups):
        members = [key for key in group.members if key in names]
        fresh = [key for key in members if key not in used]
        if len(fresh) >= 2:
            heads.append((len(fresh) < len(members), number, (fresh[0], fresh[1])))
    return min(heads)[2] if heads else None
