"""The comparison that a session looks at: it goes on in the engine, whatever the page does."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.evaluation.comparing import Comparing, Comparison
from lightrag_engine.evaluation.difference import Difference, difference
from lightrag_engine.evaluation.judging import Judgement
from lightrag_engine.evaluation.measures import Measures
from lightrag_engine.evaluation.variants import variants_of
from lightrag_engine.evaluation.votes import Vote, shuffled

_KEPT = 12  # comparisons that the server keeps for addresses opened again
QUESTION_KEY, MODES_KEY, BLIND_KEY = "compared_question", "compared_modes", "compared_blind"
_QUESTION, _MODES = "question", "modes"
_PARTED = ","


@dataclass
class Shown:
    """A comparison on the page. `order` is the order of its columns; names are hidden until `revealed`.

    A plain object: columns that are drawn in threads of their own look at it.
    """

    comparing: Comparing
    blind: bool
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    vote: Vote | None = None
    measures: Measures | None = None
    judgement: Judgement | None = None
    _kept: tuple[Comparison, Difference] | None = None

    @property
    def order(self) -> tuple[int, ...]:
        """The positions of the columns from left to right."""
        count = len(self.comparing.columns)
        return shuffled(count, self.id) if self.blind else tuple(range(count))

    @property
    def revealed(self) -> bool:
        """Whether the columns have names: a blind comparison keeps them back until it was voted on."""
        return not self.blind or self.vote is not None

    def name(self, place: int) -> str:
        """Return the heading of the column at a place from the left."""
        variant = self.comparing.variants[self.order[place]]
        letter = f"Answer {'ABCDE'[place]}"
        if not self.revealed:
            return letter
        return f"{letter} · {variant.label}" if self.blind else variant.label

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return not self.comparing.running

    @property
    def kept(self) -> tuple[Comparison, Difference]:
        """The comparison and who found what; worked out once it has ended."""
        if self._kept is not None:
            return self._kept
        comparison = self.comparing.comparison
        both = comparison, difference(comparison)
        if self.ended:
            self._kept = both
        return both


def shown(rag: LightRAG) -> Shown | None:
    """Return the comparison of this session in this workspace.

    An address with ``?question=…&modes=…`` of another one shows that: the same as before if it is still
    going on, or was answered from the same state of the graph, else it is asked now. Without an address
    nothing is started.
    """
    current: Shown | None = _all().get(rag.name)
    question, codes = st.query_params.get(_QUESTION, ""), st.query_params.get(_MODES, "")
    if question and codes and (current is None or _address(current) != (question, codes)):
        st.session_state[QUESTION_KEY] = question
        asked = [code for code in codes.split(_PARTED) if code]
        started = _again(rag, question, codes) or start(rag, question, asked, False)
        if not isinstance(started, LightRAGError):
            st.session_state[MODES_KEY] = list(map(str, started.comparing.variants))
            st.session_state[BLIND_KEY] = started.blind
            return started
        st.session_state.compare_problem = started
        _forget_address()
    elif current is not None:
        _remember_address(current)
    return current


def start(rag: LightRAG, question: str, codes: Sequence[str], blind: bool) -> Shown | LightRAGError:
    """Start a comparison in place of the one before, or return why there is none."""
    try:
        comparing = rag.comparing(question, variants_of(codes))
    except LightRAGError as error:
        return error
    before = _all().get(rag.name)
    if before is not None:
        before.comparing.stop()
    comparing.start()
    current = _all()[rag.name] = Shown(comparing, blind)
    _keep(rag, current)
    _remember_address(current)
    return current


def _again(rag: LightRAG, question: str, codes: str) -> Shown | None:
    """Return the comparison of an address that this server has already: a reload must not ask again."""
    kept = _server().get((rag.name, question, codes))
    if kept is None or not (kept.comparing.running or kept.comparing.comparison.revision == rag.revision):
        return None
    _all()[rag.name] = kept
    return kept


def _keep(rag: LightRAG, current: Shown) -> None:
    server = _server()
    key = (rag.name, *_address(current))
    server.pop(key, None)
    for oldest in list(server)[: len(server) - _KEPT + 1]:
        del server[oldest]
    server[key] = current


@st.cache_resource(show_spinner=False)
def _server() -> dict[tuple[str, str, str], Shown]:
    return {}


def _all() -> dict[str, Shown]:
    kept: dict[str, Shown] = st.session_state.setdefault("comparisons", {})
    return kept


def _address(current: Shown) -> tuple[str, str]:
    comparing = current.comparing
    return comparing.question, _PARTED.join(map(str, comparing.variants))


def _remember_address(current: Shown) -> None:
    wanted = dict(zip((_QUESTION, _MODES), _address(current), strict=True))
    for name, value in wanted.items():
        if st.query_params.get(name) != value:
            st.query_params[name] = value


def _forget_address() -> None:
    for name in (_QUESTION, _MODES):
        st.query_params.pop(name, None)
