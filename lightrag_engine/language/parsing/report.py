"""Counts of repairs and losses as a sentence for a person."""

from __future__ import annotations

from collections import Counter

from lightrag_engine.language.parsing.reply import LOSSES, Repair


def sentence(repairs: Counter[Repair]) -> str:
    """Return what was repaired and dropped, in words; empty when nothing was.

    Examples
    --------
    >>> sentence(Counter({Repair.BRACKET: 2, Repair.SELF_LOOP: 1}))
    '2 records repaired (missing brackets), 1 record dropped (related to itself)'
    """
    parts = []
    for done, lost in (("repaired", False), ("dropped", True)):
        counts = {kind: n for kind, n in sorted(repairs.items()) if n and (kind in LOSSES) == lost}
        total = sum(counts.values())
        if total:
            listed = ", ".join(f"{n} {kind}" if len(counts) > 1 else str(kind) for kind, n in counts.items())
            parts.append(f"{total} record{'s' if total > 1 else ''} {done} ({listed})")
    return ", ".join(parts)
