"""File names from outside, made safe to show and to keep."""

from __future__ import annotations

import re

from lightrag_engine.documents.clean import one_line

UNNAMED = "unnamed"
MAX_NAME = 150
_SEPARATOR = re.compile(r"[/\\]|(?<=\A[A-Za-z]):")
_SUFFIX = re.compile(r"(?<=.)\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,10}$")
_SURROGATE = re.compile("[\ud800-\udfff]")


def safe_name(name: str) -> str:
    r"""Return the base name for display and storage: no folder of any system, nothing invisible, NFC.

    At most `MAX_NAME` characters, with the extension kept; "unnamed" when nothing is left. The name is
    never used to open a file, so reserved names of Windows (``CON.txt``) stay as they are.

    Examples
    --------
    >>> safe_name("..\\..\\evil.txt"), safe_name("/etc/cron.d/x.txt"), safe_name("..")
    ('evil.txt', 'x.txt', 'unnamed')
    """
    name = one_line(_SURROGATE.sub("", name))
    # Again and again: what is behind a folder or a drive may look like one.
    while (base := one_line(_SEPARATOR.split(name)[-1])) != name:
        name = base
    if not name.strip(". "):
        return UNNAMED
    if len(name) <= MAX_NAME:
        return name
    suffix = suffix_of(name)
    return name[: MAX_NAME - 1 - len(suffix)].rstrip() + "…" + suffix


def suffix_of(name: str) -> str:
    """Return the extension with its dot as written, "" when there is none.

    What follows the last dot of "Notes on St. Petersburg" or "release 1.2" is no extension.
    """
    found = _SUFFIX.search(name)
    return found[0] if found else ""
