"""What is compared: a mode, and optionally another model or another number of hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lightrag_engine.errors import QueryError
from lightrag_engine.records import MODES

FEWEST, MOST = 2, 5
_TOP_K, _MODEL = ":top_k=", ":model="


@dataclass(frozen=True, slots=True, order=True)
class Variant:
    """One way to answer. `top_k` 0 and `model` "" stand for what the workspace is set to.

    `str(variant)` is its code, for addresses and the shell: ``mix:top_k=10:model=ollama:qwen3:4b``.

    Raises
    ------
    ValueError
        When the mode is unknown or `top_k` is negative.

    Examples
    --------
    >>> str(Variant("mix", top_k=10)), Variant("mix", top_k=10).label
    ('mix:top_k=10', 'Mix · top 10')
    """

    mode: str
    top_k: int = 0
    model: str = ""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"unknown mode {self.mode!r}: choose one of {', '.join(MODES)}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be a whole number of at least 1, not {self.top_k}")

    def __str__(self) -> str:
        top_k = f"{_TOP_K}{self.top_k}" if self.top_k else ""
        model = f"{_MODEL}{self.model}" if self.model else ""
        return f"{self.mode}{top_k}{model}"

    @property
    def label(self) -> str:
        """What a person reads."""
        model = self.model.partition(":")[2] or self.model
        parts = (self.mode.capitalize(), f"top {self.top_k}" if self.top_k else "", model)
        return " · ".join(part for part in parts if part)


def parse_variant(code: str) -> Variant:
    """Return the variant of a code.

    Raises
    ------
    QueryError
        When it is none; the message says what one looks like.
    """
    rest, _, model = code.strip().partition(_MODEL)
    mode, has_top_k, top_k = rest.partition(_TOP_K)
    try:
        return Variant(mode.strip().casefold(), int(top_k) if has_top_k else 0, model.strip())
    except ValueError:
        raise QueryError(
            f"“{code}” is no variant to compare.",
            hint=f"Write a mode ({', '.join(MODES)}), and if need be {_TOP_K}20 and {_MODEL}NAME after it.",
        ) from None


def variants_of(chosen: Iterable[Variant | str]) -> tuple[Variant, ...]:
    """Return variants, given as such or as codes, each once.

    Raises
    ------
    QueryError
        When a code is no variant.
    """
    return tuple(dict.fromkeys(v if isinstance(v, Variant) else parse_variant(v) for v in chosen))


def check_number(variants: Sequence[Variant]) -> None:
    """Raise `QueryError` unless two to five variants are to be compared."""
    if not FEWEST <= len(variants) <= MOST:
        raise QueryError(
            f"Two to five variants can be compared, not {len(variants)}.",
            hint="Choose other modes, or the same mode with another model or top_k.",
        )
