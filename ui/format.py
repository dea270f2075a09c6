"""Numbers, sizes and times as people read them."""

from __future__ import annotations

from collections.abc import Sequence


def number(value: int) -> str:
    """Return a count with thousands separators.

    Examples
    --------
    >>> number(3056)
    '3,056'
    """
    return f"{value:,}"


def counted(value: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "entity", "entities"), counted(3056, "entity", "entities"), counted(2, "chunk")
    ('1 entity', '3,056 entities', '2 chunks')
    """
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """Return a time span: tenths below ten seconds, the two largest units above.

    Examples
    --------
    >>> duration(0.21), duration(42), duration(130), duration(3725)
    ('0.2 s', '42 s', '2 min 10 s', '1 h 2 min')
    """
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def roughly(seconds: float) -> str:
    """Return an estimate without false precision.

    Examples
    --------
    >>> roughly(4), roughly(47), roughly(130), roughly(4000)
    ('a few seconds', 'about 50 s', 'about 2 min', 'about 1.1 h')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 55:
        return f"about {round(seconds, -1):.0f} s"
    if seconds < 3600:
        return f"about {max(round(seconds / 60), 1)} min"
    return f"about {seconds / 3600:.1f} h"


def size(count: int) -> str:
    """Return a file size in bytes with its unit (1 kB = 1,000 bytes).

    Examples
    --------
    >>> size(512), size(20480), size(3_400_000), size(2_019_393_189)
    ('512 B', '20 kB', '3.4 MB', '2.0 GB')
    """
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.0f} kB"
    if count < 1_000_000_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1_000_000_000:.1f} GB"


def shortened(text: str, length: int) -> str:
    """Return a text in one line and at most `length` characters, cut with an ellipsis.

    Examples
    --------
    >>> shortened("Marie Skłodowska-Curie", 12)
    'Marie Skłod…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
