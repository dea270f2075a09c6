"""Below the columns, once all have ended: the vote, numbers, who found what, the judge, reports."""

from __future__ import annotations

import streamlit as st

from lightrag_engine import LightRAG, LightRAGError
from lightrag_engine.evaluation.judging import Judgement, judged_line
from lightrag_engine.evaluation.statistics import win_rates
from ui.compare import tables
from ui.compare.columns import POLL_SECONDS
from ui.compare.found import found
from ui.compare.reports import downloads
from ui.compare.session import Shown
from ui.engine import show_error
from ui.format import counted
from ui.markdown import literal

_TIE = "tie"


def weighing(rag: LightRAG, shown: Shown) -> None:
    """Show what can be said of the answers, once all of them have come."""
    waiting = not shown.ended
    st.fragment(_weighing, run_every=POLL_SECONDS if waiting else None)(rag, shown, waiting)


def _weighing(rag: LightRAG, shown: Shown, waiting: bool) -> None:
    if not shown.ended:
        done = sum(column.ended for column in shown.comparing.columns)
        st.caption(f":shimmer[{done} of {len(shown.comparing.columns)} answers are complete …]")
        return
    if waiting:
        st.rerun()  # the page has a button to stop, which is of no use any more
    if not shown.revealed:
        _vote(rag, shown)
        return
    numbers, rows, judge, votes, report = st.tabs(
        ["Numbers", "Who found what", "Judge", "Votes", "Report"], key=f"weighing_{shown.id}"
    )
    with numbers:
        tables.numbers(shown)
        _measures(rag, shown)
    with rows:
        found(rag, shown)
    with judge:
        _judge(rag, shown)
    with votes:
        _vote(rag, shown)
        _votes(rag)
    with report:
        downloads(shown)


def _vote(rag: LightRAG, shown: Shown) -> None:
    places = [place for place, at in enumerate(shown.order) if shown.comparing.columns[at].stream.text]
    if not places:
        st.caption("There is no answer to vote on.")
        return
    if shown.vote is not None:
        best = [shown.name(p) for p in places if _code(shown, p) in shown.vote.best]
        st.success(f"Your vote: {literal(' and '.join(best))}", icon=":material/how_to_vote:")
        return
    chosen = st.pills(
        "Which answer is best? Choose several if they are equally good.",
        places,
        selection_mode="multi",
        format_func=lambda place: literal(shown.name(place)),
        key=f"vote_{shown.id}",
    )
    if st.button(
        "Vote", type="primary" if shown.blind else "secondary", disabled=not chosen, key=f"cast_{shown.id}"
    ):
        comparison, _ = shown.kept
        try:
            shown.vote = rag.vote(comparison, [_code(shown, place) for place in chosen], blind=shown.blind)
        except LightRAGError as error:
            show_error(error)
        else:
            st.rerun()


def _code(shown: Shown, place: int) -> str:
    return str(shown.comparing.variants[shown.order[place]])


def _votes(rag: LightRAG) -> None:
    kept = rag.votes()
    if not kept:
        st.caption("No votes in this workspace yet. Blind ones say more: switch “Blind” on before asking.")
        return
    blind = sum(vote.blind for vote in kept)
    st.caption(f"{counted(len(kept), 'vote')} in this workspace, {blind} of them blind")
    tables.win_rates(win_rates(duel for vote in kept for duel in vote.duels), "votes")


def _measures(rag: LightRAG, shown: Shown) -> None:
    if shown.measures is None:
        try:
            with st.spinner("Measuring the answers …"):
                shown.measures = rag.measure(shown.kept[0])
        except LightRAGError as error:
            show_error(error)
            return
    tables.measures(shown, shown.measures)


def _judge(rag: LightRAG, shown: Shown) -> None:
    verdicts = st.container()
    pairs = len(shown.kept[0].answered) * (len(shown.kept[0].answered) - 1) // 2
    if not pairs:
        st.caption("There are no two answers to weigh against each other.")
        return
    model = st.text_input(
        "Judge",
        key="judge_model",
        persist_state="session",
        placeholder="the model that answers",
        help="ollama:NAME or openai:NAME; empty: the model of the settings. A model tends to prefer its own "
        "answers, so another one is the fairer judge.",
        width=360,
    )
    st.caption(
        f"{counted(pairs, 'pair')}, each in both orders: {counted(2 * pairs, 'question')} to the model. "
        "Judged are comprehensiveness, diversity, empowerment and overall quality; where the orders disagree "
        "it is a tie."
    )
    again = "Judge again" if shown.judgement else "Judge"
    if st.button(again, icon=":material/balance:", key=f"judge_{shown.id}"):
        try:
            with st.spinner("The judge is reading …", show_time=True):
                shown.judgement = rag.judge(shown.kept[0], model.strip())
        except LightRAGError as error:
            show_error(error)
    if shown.judgement is not None:
        with verdicts:
            _judgement(shown, shown.judgement)


def _judgement(shown: Shown, judgement: Judgement) -> None:
    if judgement.missing:
        st.info(literal(judgement.missing), icon=":material/balance:")
        return
    tables.judgement(shown, judgement)
    if judgement.rulings:
        st.caption(literal(judged_line(judgement)))
