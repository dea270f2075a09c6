"""Which documents a file of the same name replaces, and what is left of those that have other names, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from lightrag_engine.records import DocumentState, DocumentStatus

_NOT_IN = (DocumentState.FAILED, DocumentState.CANCELLED)


def older_version(
    name: str, statuses: Iterable[DocumentStatus], others: Collection[str] = ()
) -> DocumentStatus | None:
    """Return the document whose place a file of this name would take; `others` are ids that it is not.

    The one that is shown by this name, else the one that had it first. A new version that waits to replace
    another one is not meant, unless there is no other.
    """
    found = [status for status in statuses if name in status.names and status.id not in others]
    return min(found, key=lambda s: (bool(s.replaces), s.name != name, s.added_at, s.id), default=None)


def superseded(version: DocumentStatus, statuses: Iterable[DocumentStatus]) -> tuple[str, ...]:
    """Return a version and all that wait to replace it: the newest takes the place of each of them."""
    return (version.id, *(status.id for status in statuses if version.id in status.replaces))


def newer_than(document_id: str, name: str, statuses: Iterable[DocumentStatus]) -> tuple[str, ...] | None:
    """Return what waits to replace a document that has this name already; None when it has not.

    Its content is given once more under its own name: that replaces nothing, but newer versions under way.
    """
    statuses = list(statuses)
    if not any(s.id == document_id and name in s.names and s.state not in _NOT_IN for s in statuses):
        return None
    return tuple(status.id for status in statuses if document_id in status.replaces)


def replaced_by(
    files: Sequence[tuple[str, str]], statuses: Iterable[DocumentStatus]
) -> list[tuple[str, ...]]:
    """Return for each file, its id and name, which documents it would replace.

    No document is replaced by two of them.
    """
    named: dict[str, list[DocumentStatus]] = {}
    replacing: list[DocumentStatus] = []
    for status in statuses:
        replacing += [status] if status.replaces else []
        for name in status.names:
            named.setdefault(name, []).append(status)
    # Two files of one name in one upload are two documents, not two versions.
    taken = {id_ for id_, _ in files}
    found: list[tuple[str, ...]] = []
    for id_, name in files:
        known = list({status.id: status for status in (*named.get(name, ()), *replacing)}.values())
        ids = newer_than(id_, name, known)
        if ids is None:
            old = older_version(name, known, taken)
            ids = superseded(old, known) if old else ()
        found.append(ids)
        taken |= set(ids)
    return found


def cut_cycles(
    document_id: str, targets: Iterable[str], statuses: Collection[DocumentStatus]
) -> list[DocumentStatus]:
    """Return those documents, changed, that would replace the one that is now to replace `targets`."""
    by_id = {status.id: status for status in statuses}
    open_, seen = list(targets), set()
    while open_:
        if (id_ := open_.pop()) in by_id and id_ not in seen:
            seen.add(id_)
            open_ += by_id[id_].replaces
    return [
        replace(by_id[id_], replaces=tuple(old for old in by_id[id_].replaces if old != document_id))
        for id_ in sorted(seen)
        if document_id in by_id[id_].replaces
    ]


def without_names(version: DocumentStatus, statuses: Iterable[DocumentStatus]) -> list[DocumentStatus]:
    """Return the documents that a version replaces, without the names that it has taken from them.

    One that has no other name is gone with that. `name`, by which it is shown, is left as it was.
    """
    by_id = {status.id: status for status in statuses}
    return [
        replace(old, names=tuple(name for name in old.names if name not in version.names))
        for id_ in version.replaces
        if (old := by_id.get(id_)) is not None
    ]
