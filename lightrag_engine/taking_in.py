"""Documents on their way in: taken in, recognised, or put in the place of an older version."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from lightrag_engine.documents import document_id, safe_name
from lightrag_engine.documents.unpacking import unpacked
from lightrag_engine.errors import DocumentError
from lightrag_engine.indexing.replacing import cut_cycles, replaced_by
from lightrag_engine.opened import OpenWorkspace
from lightrag_engine.records import DocumentState, DocumentStatus, IndexEvent, NameConflict
from lightrag_engine.uploads import Upload, graph_upload, sample_files

SameName = Literal["keep", "replace"]
NameChoice = Literal["keep", "replace", "leave out"]
TAKEN_IN_AGAIN = (DocumentState.FAILED, DocumentState.CANCELLED)


class TakingIn(OpenWorkspace):
    """Documents in; see `lightrag_engine.LightRAG`.

    `same_name` says what becomes of a document whose name a new one with other content has: ``keep`` both
    (the new one is shown as ``name (2)``), or ``replace`` it. A replaced document stays in the graph until
    the new one is merged; then one transaction puts that in its place. Chunks that both have are not read
    again. The same content under any name is one document that knows all its names. It may also be a choice
    a file, by the ids of `name_conflicts`: one that is not named is kept, one that is left out has no status.
    """

    def submit(
        self, files: Sequence[Upload], same_name: SameName | Mapping[str, NameChoice] = "keep"
    ) -> list[DocumentStatus]:
        """Put files into the queue and return at once; the same content is never indexed twice.

        The documents inside a ZIP archive take its place, attachments follow their e-mail. What could not be
        taken has a status without id.
        """
        return self._loop.run(self._submit(files, same_name))

    def submit_text(self, text: str, name: str = "", same_name: SameName = "keep") -> DocumentStatus:
        """Put a text into the queue and return at once."""
        return self.submit([Upload.from_text(text, name)], same_name)[0]

    async def ainsert(
        self, texts: str | Sequence[str], names: Sequence[str] = (), same_name: SameName = "keep"
    ) -> list[str]:
        """Index one text or several and wait; return the document ids. A text may be given a name.

        Raises
        ------
        DocumentError
            When a text cannot be used, or was paused or cancelled meanwhile; the others are indexed all the
            same.
        """
        listed = [texts] if isinstance(texts, str) else list(texts)
        named = [*names, *[""] * (len(listed) - len(names))]
        uploads = [Upload.from_text(text, name) for text, name in zip(listed, named, strict=True)]
        statuses = await self._loop.await_(self._insert(uploads, None, same_name))
        for status in statuses:
            if status.state == DocumentState.FAILED:
                raise DocumentError(status.error, hint=status.hint)
            if status.state not in (DocumentState.DONE, DocumentState.PROBLEMS):
                state = "waiting: the queue is paused" if status.state.active else str(status.state)
                raise DocumentError(f"{status.name} is {state}.", hint="Resume it, or add it again.")
        return [status.id for status in statuses]

    def insert(
        self, texts: str | Sequence[str], names: Sequence[str] = (), same_name: SameName = "keep"
    ) -> list[str]:
        """See `ainsert`."""
        return self._loop.run(self.ainsert(texts, names, same_name))

    async def aimport_graph(
        self,
        relations: Path | Upload,
        entities: Path | Upload | None = None,
        name: str = "",
        same_name: SameName = "keep",
    ) -> DocumentStatus:
        """Take in a graph that comes as CSV tables, wait, and return the status of the document it became.

        One table of relations and, if there is one, of entities; see `documents.graph_table`. Each row is a
        chunk with the records it states, so the graph is merged, searched and deleted like any document's.

        Raises
        ------
        DocumentError
            When a file cannot be opened, or a table lacks its columns.
        """
        upload = graph_upload(relations, entities, name)
        (status,) = await self._loop.await_(self._insert([upload], None, same_name))
        return status

    def import_graph(
        self,
        relations: Path | Upload,
        entities: Path | Upload | None = None,
        name: str = "",
        same_name: SameName = "keep",
    ) -> DocumentStatus:
        """See `aimport_graph`."""
        return self._loop.run(self.aimport_graph(relations, entities, name, same_name))

    async def ainsert_files(
        self,
        files: Sequence[Path | Upload],
        on_event: Callable[[IndexEvent], None] | None = None,
        same_name: SameName = "keep",
    ) -> list[DocumentStatus]:
        """Index files and wait; return the status of each document. One that fails does not touch the others.

        The documents inside a ZIP archive take its place, attachments follow their e-mail. `on_event` is
        called, in the engine's thread, with every step of these documents. When the queue is paused nothing
        is waited for.
        """
        taken: list[Upload | DocumentStatus] = []
        for file in files:
            try:
                taken.append(file if isinstance(file, Upload) else Upload.from_path(file))
            except DocumentError as error:
                taken.append(_unreadable(str(file), error))
        return await self._loop.await_(self._insert(taken, on_event, same_name))

    def insert_files(
        self,
        files: Sequence[Path | Upload],
        on_event: Callable[[IndexEvent], None] | None = None,
        same_name: SameName = "keep",
    ) -> list[DocumentStatus]:
        """See `ainsert_files`."""
        return self._loop.run(self.ainsert_files(files, on_event, same_name))

    async def await_documents(
        self, document_ids: Sequence[str], on_event: Callable[[IndexEvent], None] | None = None
    ) -> list[DocumentStatus]:
        """Wait until nothing is under way of these documents, or the queue is paused; return their status.

        Those that were deleted are left out. `on_event` is called as in `ainsert_files`.
        """
        return await self._loop.await_(self._await(document_ids, on_event))

    def wait_for_documents(
        self, document_ids: Sequence[str], on_event: Callable[[IndexEvent], None] | None = None
    ) -> list[DocumentStatus]:
        """See `await_documents`."""
        return self._loop.run(self.await_documents(document_ids, on_event))

    def load_samples(self) -> list[DocumentStatus]:
        """Put the sample documents into the queue and return at once."""
        return self.submit([Upload.from_path(path) for path in sample_files()])

    def name_conflicts(self, files: Sequence[Upload]) -> list[NameConflict]:
        """Return those files that have the name of a document with other content, each with that document.

        It is the one that `same_name="replace"` would replace. Archives and e-mails are looked into.
        """
        return self._loop.run(self._name_conflicts(files))

    async def _name_conflicts(self, files: Sequence[Upload]) -> list[NameConflict]:
        self._workspace.check_open()
        # Not the bytes: an archive may hold much.
        given: dict[str, tuple[str, int]] = {}
        async with aclosing(unpacked(files, self.settings)) as items:
            async for item in items:
                if isinstance(item, Upload):
                    given.setdefault(document_id(item.data), (safe_name(item.name), len(item.data)))
        replaced = replaced_by([(id_, name) for id_, (name, _) in given.items()], self._statuses.all())
        return [
            NameConflict(id_, name, size, status)
            for (id_, (name, size)), ids in zip(given.items(), replaced, strict=True)
            if ids and (status := self._statuses.get(ids[0])) is not None
        ]

    async def _insert(
        self,
        uploads: Sequence[Upload | DocumentStatus],
        on_event: Callable[[IndexEvent], None] | None,
        same_name: SameName,
    ) -> list[DocumentStatus]:
        with self._watching(on_event):
            submitted = await self._submit(uploads, same_name)
            await self._statuses.wait_for([status.id for status in submitted])
        return [self._statuses.get(s.id) or _gone(s) for s in submitted]

    async def _await(
        self, document_ids: Sequence[str], on_event: Callable[[IndexEvent], None] | None
    ) -> list[DocumentStatus]:
        with self._watching(on_event):
            await self._statuses.wait_for(document_ids)
        return [status for id_ in document_ids if (status := self._statuses.get(id_)) is not None]

    @contextmanager
    def _watching(self, on_event: Callable[[IndexEvent], None] | None) -> Iterator[None]:
        end = self._statuses.watch(on_event) if on_event else None
        try:
            yield
        finally:
            if end:
                end()

    async def _submit(
        self, files: Sequence[Upload | DocumentStatus], same_name: SameName | Mapping[str, NameChoice]
    ) -> list[DocumentStatus]:
        self._workspace.check_open()
        choice, replaces_some = _choices(same_name)
        async with aclosing(unpacked(files, self.settings)) as items:
            if not replaces_some:  # one at a time: an archive may hold much
                return [
                    self._submit_one(item, ()) if isinstance(item, Upload) else item
                    async for item in items
                    if not isinstance(item, Upload) or choice(document_id(item.data)) != "leave out"
                ]
            taken = [item async for item in items]
        uploads = [(document_id(item.data), item) for item in taken if isinstance(item, Upload)]
        replaced = replaced_by([(id_, safe_name(item.name)) for id_, item in uploads], self._statuses.all())
        ids = iter(zip(uploads, replaced, strict=True))
        done: list[DocumentStatus] = []
        for item in taken:
            if not isinstance(item, Upload):
                done.append(item)
                continue
            (id_, _), old = next(ids)
            if (chosen := choice(id_)) != "leave out":
                done.append(self._submit_one(item, old if chosen == "replace" else ()))
        return done

    def _submit_one(
        self, file: Upload, replaces: tuple[str, ...], other_names: tuple[str, ...] = ()
    ) -> DocumentStatus:
        id_, name = document_id(file.data), safe_name(file.name)
        known = self._statuses.get(id_)
        for status in cut_cycles(id_, replaces, self._statuses.all()) if replaces else ():
            self._statuses.put(status)
        if known is not None and known.state not in TAKEN_IN_AGAIN:
            return self._also_known_as(known, (name, *other_names), replaces, file)
        if known is not None:
            # The new name leads: a wrong ending may have been the fault.
            names = tuple(dict.fromkeys([name, *other_names, *known.names]))
            shown = known.name if known.names[0] == name else self._statuses.free_name(name)
            return self._take_in(replace(known, name=shown, names=names, replaces=replaces), file)
        now = time.time()
        status = DocumentStatus(
            id=id_,
            name=self._statuses.free_name(name),
            names=tuple(dict.fromkeys([name, *other_names])),
            media_type="",
            size=len(file.data),
            state=DocumentState.QUEUED,
            added_at=now,
            updated_at=now,
            state_since=now,
            replaces=replaces,
        )
        return self._take_in(status, file)

    def _also_known_as(
        self, known: DocumentStatus, given: tuple[str, ...], replaces: tuple[str, ...], file: Upload
    ) -> DocumentStatus:
        names = tuple(dict.fromkeys([*known.names, *given]))
        status = self._statuses.put(replace(known, names=names, replaces=replaces or known.replaces))
        if not self._workspace.originals.has(known.id):
            self._workspace.originals.write(status.id, file.data)
        if replaces and not known.state.stoppable and known.state != DocumentState.PAUSED:
            self._pipeline.enqueue(known.id)
        return self._statuses.get(known.id) or status

    def _take_in(self, status: DocumentStatus, file: Upload) -> DocumentStatus:
        try:
            # The file is on disk before the row that promises it.
            self._workspace.originals.write(status.id, file.data)
            self._statuses.put(status)
        except (OSError, sqlite3.Error) as error:
            self._workspace.originals.remove(status.id)
            problem = DocumentError(
                f"{status.name} cannot be saved: {error}.",
                hint="Make room on the disk that holds the workspace, then add the file again.",
            )
            return _unreadable(status.name, problem)
        self._pipeline.enqueue(status.id)
        return self._statuses.get(status.id) or status


def _choices(
    same_name: SameName | Mapping[str, NameChoice],
) -> tuple[Callable[[str], NameChoice], bool]:
    """Return what is chosen for a file by its id, and whether any may replace a document.

    Raises
    ------
    ValueError
        When something else was chosen than there is.
    """
    chosen: Mapping[str, NameChoice] = same_name if isinstance(same_name, Mapping) else {}
    others: NameChoice = "keep" if isinstance(same_name, Mapping) else same_name
    if others not in get_args(SameName):
        raise ValueError(f"same_name must be 'keep' or 'replace', not {same_name!r}")
    if unknown := set(chosen.values()) - set(get_args(NameChoice)):
        raise ValueError(f"a file can be kept, replace another, or be left out, not {sorted(unknown)}")
    return lambda id_: chosen.get(id_, others), "replace" in (others, *chosen.values())


def _gone(status: DocumentStatus) -> DocumentStatus:
    """Return the status of a document that was cancelled, or deleted, while somebody waited for it."""
    return replace(status, state=DocumentState.CANCELLED) if status.id else status


def _unreadable(name: str, error: DocumentError) -> DocumentStatus:
    return DocumentStatus(
        id="",
        name=name,
        names=(name,),
        media_type="",
        size=0,
        state=DocumentState.FAILED,
        error=str(error),
        hint=error.hint,
    )
