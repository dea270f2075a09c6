"""Numbers beside each other: a row a variant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from lightrag_engine.evaluation.figures import matrix_svg, seconds_svg
from lightrag_engine.evaluation.judging import Judgement
from lightrag_engine.evaluation.measures import Measures
from lightrag_engine.evaluation.statistics import WinRate
from ui.compare.asking import label
from ui.compare.ink import ink
from ui.compare.session import Shown
from ui.markdown import literal

_text, _number = st.column_config.TextColumn, st.column_config.NumberColumn


def numbers(shown: Shown) -> None:
    """Show seconds and tokens of every column."""
    comparison, _ = shown.kept
    rows = [
        (
            result.variant.label,
            result.retrieval_seconds,
            result.first_word_seconds,
            result.seconds,
            result.prompt_tokens,
            result.answer_tokens,
        )
        for result in comparison.results
    ]
    names = ["variant", "retrieval", "first", "whole", "prompt", "answer"]
    st.dataframe(
        pd.DataFrame(rows, columns=names),
        key=f"numbers_{shown.id}",
        hide_index=True,
        column_config={
            "variant": _text("Variant"),
            "retrieval": _number("Retrieval (s)", format="%.2f"),
            "first": _number("First word (s)", format="%.2f", help="From asking to the first word"),
            "whole": _number("Whole (s)", format="%.2f"),
            "prompt": _number("Tokens in", format="localized"),
            "answer": _number("Tokens out", format="localized"),
        },
        alt="Seconds and tokens of every variant",
    )
    bars = [
        (r.variant.label, r.retrieval_seconds, r.first_word_seconds, r.seconds) for r in comparison.results
    ]
    st.image(seconds_svg(bars, ink()), width=560, alt="Seconds of every variant as bars")


def measures(shown: Shown, found: Measures) -> None:
    """Show the measures that need no judge."""
    labels = [variant.label for variant in shown.comparing.variants]
    rows = [
        (label_, one.coverage, one.support, one.cited, one.words) if one else (label_, None, None, None, None)
        for label_, one in zip(labels, found.answers, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["variant", "coverage", "support", "cited", "words"])
    st.markdown("**Measured without a judge**")
    st.dataframe(
        table.astype({"coverage": "Float64", "support": "Float64", "cited": "Float64", "words": "Int64"}),
        key=f"measures_{shown.id}",
        hide_index=True,
        column_config={
            "variant": _text("Variant"),
            "coverage": share("Sources cited", "Share of the retrieved sources that the answer cites"),
            "support": share(
                "Sentences supported",
                "Share of sentences that one retrieved sentence bears out, by its words or its meaning",
            ),
            "cited": share("Sentences with a citation", "Share of sentences that carry a citation"),
            "words": _number("Words", format="localized"),
        },
        placeholder="–",
        alt="Coverage, support and citations of every answer",
    )
    left, right = st.columns(2)
    with left:
        st.caption("How many words the answers share")
        st.image(matrix_svg(labels, found.overlap, ink()), alt="Words the answers share, pair by pair")
    with right:
        st.caption("How near the answers are in meaning (cosine of their embeddings)")
        st.image(matrix_svg(labels, found.similarity, ink()), alt="Nearness in meaning, pair by pair")


def judgement(shown: Shown, judged: Judgement) -> None:
    """Show the verdicts of a judge with their reasons."""
    rows = [
        (
            f"{label(pair.first)} – {label(pair.second)}",
            verdict.criterion,
            label(verdict.winner) if verdict.winner else "tie" if verdict.agreed else "tie (orders disagree)",
            verdict.reasons[0],
            verdict.reasons[1],
        )
        for pair in judged.pairs
        for verdict in pair.criteria
    ]
    _problems(judged)
    if rows:
        st.dataframe(
            pd.DataFrame(rows, columns=["pair", "criterion", "better", "reason", "other"]),
            key=f"verdicts_{shown.id}",
            hide_index=True,
            column_config={
                "pair": _text("Pair"),
                "criterion": _text("Criterion"),
                "better": _text("Better"),
                "reason": _text("Reason", width=320),
                "other": _text("Reason, in the other order", width=320),
            },
            alt="What the judge said of every pair",
        )


def _problems(judged: Judgement) -> None:
    """Say what went wrong, each thing once, with the pairs that it befell."""
    befell: dict[str, list[str]] = {}
    for pair in judged.pairs:
        if pair.problem:
            befell.setdefault(pair.problem, []).append(f"{label(pair.first)} – {label(pair.second)}")
    for problem, pairs in befell.items():
        where = f"All {len(judged.pairs)} pairs" if len(pairs) == len(judged.pairs) > 1 else ", ".join(pairs)
        st.warning(literal(f"{where}: {problem}"))


def win_rates(rates: Sequence[WinRate], key: str) -> None:
    """Show win rates with their intervals."""
    if not rates:
        return
    rows = [
        (
            r.criterion,
            label(r.variant),
            label(r.against),
            r.wins,
            r.ties,
            r.losses,
            r.share.value,
            f"{r.share.low:.0%} – {r.share.high:.0%}",
        )
        for r in rates
    ]
    names = ["criterion", "variant", "against", "wins", "ties", "losses", "share", "interval"]
    st.dataframe(
        pd.DataFrame(rows, columns=names),
        key=f"rates_{key}",
        hide_index=True,
        column_config={
            "criterion": _text("By"),
            "variant": _text("Variant"),
            "against": _text("Against"),
            "wins": _number("Wins"),
            "ties": _number("Ties"),
            "losses": _number("Losses"),
            "share": share("Win rate", "A tie counts as half a win"),
            "interval": _text("95 % interval", help="Wilson's score interval"),
        },
        alt="Win rates of every pair",
    )


def share(title: str, explained: str = "") -> Any:
    """Return a column of shares, as per cent."""
    return _number(title, format="percent", help=explained or None)
