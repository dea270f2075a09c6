"""Documents in and out: added, replaced, paused, cancelled, read again, deleted."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from lightrag_engine.documents import document_id, safe_name
from lightrag_engine.errors import DocumentError
from lightrag_engine.indexing.replacing import cut_cycles, older_version, superseded
from lightrag_engine.indexing.work import loaded_report
from lightrag_engine.opened import OpenWorkspace
from lightrag_engine.records import DocumentReport, DocumentState, DocumentStatus, IndexEvent, NameConflict
from lightrag_engine.uploads import Upload, sample_files

SameName = Literal["keep", "replace"]
_TAKEN_IN_AGAIN = (DocumentState.FAILED, DocumentState.CANCELLED)
_CAN_BE_RETRIED = (*_TAKEN_IN_AGAIN, DocumentState.PROBLEMS)


class DocumentLife(OpenWorkspace):
    """The documents of a workspace; see `lightrag_engine.LightRAG`.

    `same_name` says what becomes of a document whose name a new one with other content has: ``keep`` both
    (the new one is shown as ``name (2)``), or ``replace`` it. A replaced document stays in the graph until
    the new one is merged; then one transaction puts that in its place. Chunks that both have are not read
    again. The same content under any name is one document that knows all its names.
    """

    def submit(self, files: Sequence[Upload], same_name: SameName = "keep") -> list[DocumentStatus]:
        """Put files into the queue and return at once; the same content is never indexed twice."""
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
                raise DocumentError(f"{status.name} is {state}.", hint="Resume or retry it.")
        return [status.id for status in statuses]

    def insert(
        self, texts: str | Sequence[str], names: Sequence[str] = (), same_name: SameName = "keep"
    ) -> list[str]:
        """See `ainsert`."""
        return self._loop.run(self.ainsert(texts, names, same_name))

    async def ainsert_files(
        self,
        files: Sequence[Path | Upload],
        on_event: Callable[[IndexEvent], None] | None = None,
        same_name: SameName = "keep",
    ) -> list[DocumentStatus]:
        """Index files and wait; return the status of each. One that fails does not touch the others.

        `on_event` is called, in the engine's thread, with every step of these documents. When the queue is
        paused nothing is waited for.
        """
        taken: list[Upload | DocumentStatus] = []
        for file in files:
            try:
                taken.append(file if isinstance(file, Upload) else Upload.from_path(file))
            except DocumentError as error:
                taken.append(_unreadable(str(file), error))
        uploads = [item for item in taken if isinstance(item, Upload)]
        done = iter(await self._loop.await_(self._insert(uploads, on_event, same_name)))
        return [next(done) if isinstance(item, Upload) else item for item in taken]

    def insert_files(
        self,
        files: Sequence[Path | Upload],
        on_event: Callable[[IndexEvent], None] | None = None,
        same_name: SameName = "keep",
    ) -> list[DocumentStatus]:
        """See `ainsert_files`."""
        return self._loop.run(self.ainsert_files(files, on_event, same_name))

    def load_samples(self) -> list[DocumentStatus]:
        """Put the sample documents into the queue and return at once."""
        return self.submit([Upload.from_path(path) for path in sample_files()])

    def name_conflicts(self, files: Sequence[Upload]) -> list[NameConflict]:
        """Return those files that have the name of a document with other content, each with that document.

        It is the one that `same_name="replace"` would replace.
        """
        found = self._older_versions(files)
        return [
            NameConflict(safe_name(file.name), old)
            for file, old in zip(files, found, strict=True)
            if old is not None
        ]

    # What is known of one

    def document_file(self, document_id: str) -> tuple[str, bytes]:
        """Return the name of a document's original file and its bytes.

        Raises
        ------
        DocumentError
            When there is no such document, or its file was not kept.
        """
        status = self._known(document_id)
        try:
            return status.names[0], (self._workspace.originals / document_id).read_bytes()
        except OSError:
            raise DocumentError(
                f"The original file of {status.name} is not here.",
                hint="Add the file again: it is recognised, and kept from then on.",
            ) from None

    def document_report(self, document_id: str) -> DocumentReport:
        """Return how a document was read, in numbers; nothing but times and zeros before it is merged.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        status = self._known(document_id)
        kept = self._workspace.reports.get(document_id) or {"document_id": document_id}
        return loaded_report(kept, status)

    # Changing its course

    async def adelete_document(self, document_id: str) -> str:
        """Take a document out of everything, as if it had never been added.

        Returns
        -------
        str
            What a person should know, usually nothing: when the language model that shortens long
            descriptions was away they were shortened without it.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        return await self._loop.await_(self._delete(document_id))

    def delete_document(self, document_id: str) -> str:
        """See `adelete_document`."""
        return self._loop.run(self.adelete_document(document_id))

    async def aretry_document(self, document_id: str) -> None:
        """Read those chunks of a document again that could not be read, and nothing else.

        One that failed as a whole, or was cancelled, goes into the queue again; what was read well is kept.
        Nothing happens to a document that is done or under way.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        await self._loop.await_(self._retry(document_id))

    def retry_document(self, document_id: str) -> None:
        """See `aretry_document`."""
        self._loop.run(self.aretry_document(document_id))

    async def areindex(self, document_id: str) -> None:
        """Read a document again from its file, with the present model and settings.

        What is in the graph stays until that is done, and for good when it is cancelled or fails. What was
        read by the same model under the same settings is taken as it is: it would say the same.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        await self._loop.await_(self._reindex(document_id))

    def reindex(self, document_id: str) -> None:
        """See `areindex`."""
        self._loop.run(self.areindex(document_id))

    async def apause_document(self, document_id: str) -> None:
        """Stop the work on a document until it is resumed, also when the workspace is closed meanwhile.

        Raises
        ------
        DocumentError
            When there is no such document, or there is nothing left to pause.
        """
        await self._loop.await_(self._pause(document_id))

    def pause_document(self, document_id: str) -> None:
        """See `apause_document`."""
        self._loop.run(self.apause_document(document_id))

    async def aresume_document(self, document_id: str) -> None:
        """Let the work on a paused document go on where it was; nothing happens to another one.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        await self._loop.await_(self._resume(document_id))

    def resume_document(self, document_id: str) -> None:
        """See `aresume_document`."""
        self._loop.run(self.aresume_document(document_id))

    async def acancel_document(self, document_id: str) -> None:
        """Stop the work on a document and leave everything as it was before.

        Of a new document only its file stays, so that it can be retried; one that was being read again is
        what it was before; an older version that was to be replaced stays.

        Raises
        ------
        DocumentError
            When there is no such document, or it is merged already.
        """
        await self._loop.await_(self._cancel(document_id))

    def cancel_document(self, document_id: str) -> None:
        """See `acancel_document`."""
        self._loop.run(self.acancel_document(document_id))

    async def apause_queue(self) -> None:
        """Stop all work on documents until it is resumed, also when the workspace is closed meanwhile."""
        await self._loop.await_(self._pipeline.pause_all())

    def pause_queue(self) -> None:
        """See `apause_queue`."""
        self._loop.run(self.apause_queue())

    async def aresume_queue(self) -> None:
        """Let the work on documents go on; those that were paused one by one stay paused."""
        await self._loop.await_(self._resume_queue())

    def resume_queue(self) -> None:
        """See `aresume_queue`."""
        self._loop.run(self.aresume_queue())

    @property
    def queue_paused(self) -> bool:
        """Whether the queue is paused."""
        return self._pipeline.is_paused

    async def _resume_queue(self) -> None:
        self._pipeline.resume_all()

    async def _delete(self, document_id: str) -> str:
        self._workspace.check_open()
        self._known(document_id)
        stand_ins = await self._pipeline.delete(document_id)
        if not stand_ins:
            return ""
        some = "1 long description was" if stand_ins == 1 else f"{stand_ins} long descriptions were"
        return (
            f"The language model did not answer, so {some} shortened without it; it does so itself with the "
            "next document."
        )

    async def _retry(self, document_id: str) -> None:
        if self._known(document_id).state in _CAN_BE_RETRIED:
            self._pipeline.enqueue(document_id)

    async def _reindex(self, document_id: str) -> None:
        self._workspace.check_open()
        self._known(document_id)
        await self._pipeline.read_again(document_id)

    async def _pause(self, document_id: str) -> None:
        self._known(document_id)
        await self._pipeline.pause(document_id)
        self._check_reached(document_id, DocumentState.PAUSED)

    async def _resume(self, document_id: str) -> None:
        if self._known(document_id).state == DocumentState.PAUSED:
            self._pipeline.enqueue(document_id)

    async def _cancel(self, document_id: str) -> None:
        status = self._known(document_id)
        if status.state.stoppable or status.state == DocumentState.PAUSED:
            await self._pipeline.cancel(document_id)
            if self._known(document_id).state != DocumentState.EMBEDDING:
                return
        self._check_reached(document_id, DocumentState.CANCELLED)

    def _check_reached(self, document_id: str, state: DocumentState) -> None:
        status = self._known(document_id)
        if status.state == state:
            return
        merged = status.state == DocumentState.EMBEDDING
        raise DocumentError(
            f"{status.name} cannot be {state}: it is "
            + ("merged already, only its vectors are still made." if merged else f"{status.state}."),
            hint="Wait for it, or delete it." if merged else "",
        )

    def _known(self, document_id: str) -> DocumentStatus:
        status = self._statuses.get(document_id)
        if status is None:
            raise DocumentError(
                f"There is no document {document_id}.", hint="It may have been deleted: look at the list."
            )
        return status

    # Taking in

    async def _insert(
        self,
        uploads: Sequence[Upload],
        on_event: Callable[[IndexEvent], None] | None,
        same_name: SameName,
    ) -> list[DocumentStatus]:
        end = self._statuses.watch(on_event) if on_event else None
        try:
            submitted = await self._submit(uploads, same_name)
            await self._statuses.wait_for([status.id for status in submitted])
        finally:
            if end:
                end()
        return [self._statuses.get(status.id) or status for status in submitted]

    async def _submit(self, files: Sequence[Upload], same_name: SameName) -> list[DocumentStatus]:
        self._workspace.check_open()
        if same_name not in ("keep", "replace"):
            raise ValueError(f"same_name must be 'keep' or 'replace', not {same_name!r}")
        olds = self._older_versions(files) if same_name == "replace" else [None] * len(files)
        return [self._submit_one(file, old) for file, old in zip(files, olds, strict=True)]

    def _older_versions(self, files: Sequence[Upload]) -> list[DocumentStatus | None]:
        """Return for each file the document of its name with other content; two files never share one."""
        statuses = self._statuses.all()
        # Two files of one name in one upload are two documents, not two versions.
        taken = {document_id(file.data) for file in files}
        found: list[DocumentStatus | None] = []
        for file in files:
            old = older_version(safe_name(file.name), statuses, taken)
            found.append(old)
            taken |= set(superseded(old, statuses)) if old else set()
        return found

    def _submit_one(self, file: Upload, old: DocumentStatus | None) -> DocumentStatus:
        id_, name = document_id(file.data), safe_name(file.name)
        known, statuses = self._statuses.get(id_), self._statuses.all()
        replaces = superseded(old, statuses) if old else ()
        for status in cut_cycles(id_, replaces, statuses):
            self._statuses.put(status)
        if known is not None and known.state not in _TAKEN_IN_AGAIN:
            return self._also_known_as(known, name, replaces, file)
        if known is not None:
            # The new name leads: a wrong ending may have been the fault.
            names = tuple(dict.fromkeys([name, *known.names]))
            shown = known.name if known.names[0] == name else self._statuses.free_name(name)
            return self._take_in(replace(known, name=shown, names=names, replaces=replaces), file)
        now = time.time()
        status = DocumentStatus(
            id=id_,
            name=self._statuses.free_name(name),
            names=(name,),
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
        self, known: DocumentStatus, name: str, replaces: tuple[str, ...], file: Upload
    ) -> DocumentStatus:
        names = tuple(dict.fromkeys([*known.names, name]))
        status = self._statuses.put(replace(known, names=names, replaces=replaces or known.replaces))
        if not (self._workspace.originals / known.id).exists():
            self._keep_original(status, file)
        if replaces and not known.state.stoppable and known.state != DocumentState.PAUSED:
            self._pipeline.enqueue(known.id)
        return self._statuses.get(known.id) or status

    def _take_in(self, status: DocumentStatus, file: Upload) -> DocumentStatus:
        try:
            # The file is on disk before the row that promises it.
            self._keep_original(status, file)
            self._statuses.put(status)
        except (OSError, sqlite3.Error) as error:
            (self._workspace.originals / status.id).unlink(missing_ok=True)
            problem = DocumentError(
                f"{status.name} cannot be saved: {error}.",
                hint="Make room on the disk that holds the workspace, then add the file again.",
            )
            return _unreadable(status.name, problem)
        self._pipeline.enqueue(status.id)
        return self._statuses.get(status.id) or status

    def _keep_original(self, status: DocumentStatus, file: Upload) -> None:
        path = self._workspace.originals / status.id
        part = path.with_suffix(".part")
        part.write_bytes(file.data)
        part.replace(path)


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
