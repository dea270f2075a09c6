"""How the reading of a document or a workspace went, from the numbers of its chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lightrag_engine.records import ExtractionHealth

# Shares of all chunks from which on something is worth an advice.
_MOSTLY_EMPTY = 0.5
_OFTEN = 0.2
_MANY_LOST = 0.25  # of all records
_MANY_UNGROUNDED = 0.3  # of all entities


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Sums over chunks, and `verdicts`: sentences for a person with advice, the most important first.

    `empty` counts chunks without any record, failed ones among them.
    """

    chunks: int = 0
    empty: int = 0
    failed: int = 0
    truncated: int = 0
    entities: int = 0
    relations: int = 0
    repaired: int = 0
    dropped: int = 0
    ungrounded: int = 0
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    repairs: tuple[tuple[str, int], ...] = ()
    verdicts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The numbers in one line for a person; empty when no chat model read anything."""
        if not self.chunks:
            return ""
        counted = (
            (self.empty, "without entities"),
            (self.failed, "without a usable reply"),
            (self.truncated, "cut off"),
        )
        parts = [_chunks(self.chunks) + " read", *(f"{n} {what}" for n, what in counted if n)]
        if self.repaired or self.dropped:
            parts.append(f"{self.repaired} records repaired, {self.dropped} dropped")
        if self.calls:
            parts.append(
                f"{self.calls / self.chunks:.1f} calls and {self.seconds / self.chunks:.1f} s a chunk"
            )
            parts.append(f"{self.prompt_tokens + self.reply_tokens:,} tokens")
        return " · ".join(parts)

    @property
    def is_good(self) -> bool:
        """Whether there is nothing to advise."""
        return not self.verdicts


def summarise_health(chunks: Iterable[ExtractionHealth]) -> HealthReport:
    """Return the sums of many chunks with a verdict in words."""
    read = list(chunks)
    repairs: Counter[str] = Counter()
    for chunk in read:
        repairs.update(dict(chunk.repairs))
    empty = sum(not (chunk.entities or chunk.relations) for chunk in read)
    return HealthReport(
        chunks=len(read),
        empty=empty,
        failed=sum(chunk.failed for chunk in read),
        truncated=sum(chunk.truncated for chunk in read),
        entities=sum(chunk.entities for chunk in read),
        relations=sum(chunk.relations for chunk in read),
        repaired=sum(chunk.repaired for chunk in read),
        dropped=sum(chunk.dropped for chunk in read),
        ungrounded=sum(chunk.ungrounded for chunk in read),
        calls=sum(chunk.calls for chunk in read),
        cached_calls=sum(chunk.cached_calls for chunk in read),
        prompt_tokens=sum(chunk.prompt_tokens for chunk in read),
        reply_tokens=sum(chunk.reply_tokens for chunk in read),
        seconds=sum(chunk.seconds for chunk in read),
        repairs=tuple(sorted(repairs.items())),
        verdicts=tuple(_verdicts(read, empty)),
    )


def _verdicts(read: list[ExtractionHealth], empty: int) -> Iterable[str]:
    total = len(read)
    truncated = sum(chunk.truncated for chunk in read)
    entities = sum(chunk.entities for chunk in read)
    records = entities + sum(chunk.relations for chunk in read)
    dropped = sum(chunk.dropped for chunk in read)
    if total and empty == total:
        yield (
            f"Indexed without a graph: the model found no entity in {_chunks(total)}. It may be too small, "
            "or its context too short: try a larger model, the other extraction format, or a larger "
            "server_context_tokens."
        )
    elif total and empty > _MOSTLY_EMPTY * total:
        yield (
            f"The model found no entity in {empty} of {_chunks(total)}: try a larger model, the other "
            "extraction format, or a larger server_context_tokens."
        )
    if truncated:
        advice = (
            " Use smaller chunks or a larger server_context_tokens." if truncated > _OFTEN * total else ""
        )
        yield f"The answer was cut off for {truncated} of {_chunks(total)}: some records are missing.{advice}"
    if dropped > _MANY_LOST * (records + dropped) and dropped > total:
        total_records = records + dropped
        yield f"{dropped} of {total_records} records could not be used: a larger model writes cleaner ones."
    ungrounded = sum(chunk.ungrounded for chunk in read)
    if ungrounded > _MANY_UNGROUNDED * entities and ungrounded > total:
        yield (
            f"{ungrounded} of {entities} entities do not occur in their text by name: the model may make "
            "things up; a larger one keeps closer to the text."
        )


def _chunks(number: int) -> str:
    return "1 chunk" if number == 1 else f"{number} chunks"
