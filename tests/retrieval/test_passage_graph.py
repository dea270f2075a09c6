"""The walk over passages and names, on a corpus small enough to see through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.records import Reason
from lightrag_engine.retrieval.found import Found
from lightrag_engine.retrieval.mix import mix, walked
from lightrag_engine.retrieval.passage_graph import Named, PassageGraph

# c1 is about the film and names its composer, whom c2 is about; c3 is about another film; c4 names nothing.
TITLES = {
    "c1": ["Billy Elliot (film)"],
    "c2": ["Stephen Warbeck"],
    "c3": ["Notting Hill"],
    "c4": ["Notes"],
}
ENTITIES = [
    Named("billy elliot", "Billy Elliot", ("Billy Elliot",), ("c1",)),
    Named("london", "London", ("London",), ("c1", "c3")),
    Named("stephen warbeck", "Stephen Warbeck", ("Stephen Warbeck", "Warbeck"), ("c1", "c2")),
]


@pytest.fixture
def passages() -> PassageGraph:
    return PassageGraph(ENTITIES, TITLES, frozenset({"the", "where", "was"}))


def test_a_walk_reaches_the_passage_about_what_the_named_one_names(passages: PassageGraph) -> None:
    found = walked(passages, "Where was the composer of Billy Elliot born?")
    assert found.chunks == ("c1", "c2", "c3")
    assert found.why["c1"] == (Reason("named", 1, ("Billy Elliot",)),)
    assert found.why["c2"] == (Reason("path", 2, ("Billy Elliot", "Stephen Warbeck")),)
    assert found.entities == ("billy elliot",)


def test_a_title_that_no_text_writes_leads_to_its_passage_and_is_no_entity(passages: PassageGraph) -> None:
    found = walked(passages, "What do the notes say?")
    assert found.chunks == ("c4",)
    assert found.entities == ()
    assert found.why["c4"] == (Reason("named", 1, ("Notes",)),)


def test_the_passage_that_an_entity_is_the_title_of_comes_before_those_that_only_name_it(
    passages: PassageGraph,
) -> None:
    assert walked(passages, "Warbeck?").chunks[0] == "c2"


def test_nothing_named_leads_nowhere(passages: PassageGraph) -> None:
    assert walked(passages, "What then?") == Found()
    assert not passages.walk({}).any()
    empty = PassageGraph((), {}, frozenset())
    assert walked(empty, "Billy Elliot?") == Found()


def test_documents_of_one_title_share_its_node() -> None:
    passages = PassageGraph((), {"c1": ["Report"], "c2": ["report", "Other"]}, frozenset())
    assert set(walked(passages, "the report").chunks) == {"c1", "c2"}


def test_mix_gives_every_passage_with_all_its_reasons(passages: PassageGraph) -> None:
    near = Found(chunks=("c4", "c1"), why={"c4": (Reason("meaning", 1),), "c1": (Reason("meaning", 2),)})
    words = Found(chunks=("c1",), why={"c1": (Reason("words", 1),)})
    local = Found(chunks=("c2",), why={"c2": (Reason("entity", 1, ("Stephen Warbeck",)),)})
    mixed = mix(passages, "Where was the composer of Billy Elliot born?", near, words, local)
    assert set(mixed.chunks) == {"c1", "c2", "c3", "c4"}
    assert set(mixed.chunks[:2]) == {"c1", "c2"}
    assert [str(reason) for reason in mixed.why["c1"]] == ["named: Billy Elliot", "words", "meaning"]
    assert [str(reason) for reason in mixed.why["c2"]] == [
        "path: Billy Elliot → Stephen Warbeck",
        "entity: Stephen Warbeck",
    ]


NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
CHUNKS = st.sampled_from(["c1", "c2", "c3", "gone"])


@given(
    named=st.dictionaries(NAMES, st.lists(CHUNKS, unique=True), max_size=4),
    titles=st.dictionaries(st.sampled_from(["c1", "c2", "c3"]), st.lists(NAMES, max_size=2)),
    question=st.lists(NAMES, max_size=3),
)
def test_importance_is_never_made_and_only_chunks_that_exist_are_found(
    named: dict[str, list[str]], titles: dict[str, list[str]], question: list[str]
) -> None:
    entities = [Named(key, key.title(), (), tuple(chunks)) for key, chunks in sorted(named.items())]
    passages = PassageGraph(entities, titles, frozenset())
    found = walked(passages, " and ".join(question))
    assert set(found.chunks) <= set(titles)
    assert len(found.chunks) == len(set(found.chunks))
    for chunk, (reason,) in found.why.items():
        assert chunk in found.chunks
        assert reason.via[0].casefold() in question
    first = len(titles)
    scores = passages.walk({first + n: 1.0 for n in range(len(passages.keys))})
    assert (scores >= 0).all()
    assert np.sum(scores) <= 1 + 1e-9


def test_without_a_name_nearness_decides() -> None:
    """A common word that happens to be a title must not outweigh what the text says."""
    titles = {"c1": ["Rights"], **{f"c{n}": [f"Other {n}"] for n in range(2, 6)}}
    passages = PassageGraph((), titles, frozenset())
    near = Found(chunks=("c2", "c3", "c4", "c5", "c1"))
    assert mix(passages, "which rights are there?", near, Found(), Found()).chunks[0] == "c2"
    assert mix(passages, "What of Rights?", near, Found(), Found()).chunks[0] == "c1"
