"""The course of a document that is in: looked at, paused, cancelled, retried, read again, deleted."""

from __future__ import annotations

from lightrag_engine.documents import document_id as id_of
from lightrag_engine.documents import safe_name
from lightrag_engine.documents.names import suffix_of
from lightrag_engine.errors import DocumentError
from lightrag_engine.indexing.replacing import superseded
from lightrag_engine.indexing.work import loaded_report
from lightrag_engine.records import DocumentReport, DocumentState, DocumentStatus
from lightrag_engine.taking_in import TAKEN_IN_AGAIN, TakingIn
from lightrag_engine.uploads import Upload

_CAN_BE_RETRIED = (*TAKEN_IN_AGAIN, DocumentState.PROBLEMS)


class DocumentLife(TakingIn):
    """The documents of a workspace; see `lightrag_engine.LightRAG`."""

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
            return status.names[0], self._workspace.originals.read(document_id)
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

    def replace_document(self, document_id: str, file: Upload) -> DocumentStatus:
        """Put a new version in the place of a document, under its names, and return at once.

        The document stays in the graph until the new version is merged. See `submit` about names.

        Raises
        ------
        DocumentError
            When there is no such document, or the file is the same, or of another type.
        """
        return self._loop.run(self._replace(document_id, file))

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

        One that failed as a whole, and may then have been cancelled, goes into the queue again; what was read
        well is kept. Nothing happens to a document that is done or under way.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        await self._loop.await_(self._retry(document_id))

    def retry_document(self, document_id: str) -> None:
        """See `aretry_document`."""
        self._loop.run(self.aretry_document(document_id))

    async def areindex(self, document_id: str, *, ask_again: bool = False) -> None:
        """Read a document again from its file, with the present model and settings.

        What is in the graph stays until that is done, and for good when it is cancelled or fails. What was
        read by the same model under the same settings is taken as it is, unless the model is to be asked
        again: then every chunk costs a call, as the first time. Replies are asked for with temperature 0, so
        a model that has not changed mostly says the same.

        Raises
        ------
        DocumentError
            When there is no such document.
        """
        await self._loop.await_(self._reindex(document_id, ask_again))

    def reindex(self, document_id: str, *, ask_again: bool = False) -> None:
        """See `areindex`."""
        self._loop.run(self.areindex(document_id, ask_again=ask_again))

    async def apause_document(self, document_id: str) -> None:
        """Stop the work on a document until it is resumed, also when the workspace is closed meanwhile.

        What was read of it is kept. Of one that is merged, and embedded just now, the vectors made so far are
        kept, too; it is found by them and in the graph.

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

        A new document is gone, as if it had never been added; one that had failed before stays in the list,
        with its file, and can be retried; one that was being read again is what it was before; an older
        version that was to be replaced stays.

        Raises
        ------
        DocumentError
            When there is no such document, or it is done, or merged in the place of what was there before.
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
        return f"The language model did not answer, so {some} shortened without it; it is asked again later."

    async def _replace(self, document_id: str, file: Upload) -> DocumentStatus:
        self._workspace.check_open()
        status = self._known(document_id)
        name, *others = status.names
        if id_of(file.data) == document_id:
            raise DocumentError(
                f"{safe_name(file.name)} is what {status.name} was read from: nothing has changed.",
                hint="Choose the new version, or index the document again.",
            )
        wanted, given = suffix_of(name).lower(), suffix_of(safe_name(file.name)).lower()
        if wanted != given:
            raise DocumentError(
                f"{safe_name(file.name)} cannot replace {status.name}: its type is another one.",
                hint=f"Choose a {wanted or 'plain text'} file, or add this one and delete the old document.",
            )
        version = Upload(name, file.data)
        return self._submit_one(version, superseded(status, self._statuses.all()), tuple(others))

    async def _retry(self, document_id: str) -> None:
        if self._known(document_id).state in _CAN_BE_RETRIED:
            self._pipeline.enqueue(document_id)

    async def _reindex(self, document_id: str, ask_again: bool) -> None:
        self._workspace.check_open()
        self._known(document_id)
        await self._pipeline.read_again(document_id, ask_again)

    async def _pause(self, document_id: str) -> None:
        self._known(document_id)
        await self._pipeline.pause(document_id)
        status = self._known(document_id)
        if status.state != DocumentState.PAUSED:
            raise DocumentError(f"{status.name} cannot be paused: it is {status.state}.")

    async def _resume(self, document_id: str) -> None:
        if self._known(document_id).state == DocumentState.PAUSED:
            self._pipeline.resume(document_id)

    async def _cancel(self, document_id: str) -> None:
        status = self._known(document_id)
        if await self._pipeline.cancel(document_id):
            return
        status = self._statuses.get(document_id) or status
        merged = status.state in (DocumentState.EMBEDDING, DocumentState.PAUSED)
        raise DocumentError(
            f"{status.name} cannot be cancelled: it is "
            + ("in the place of what was there before already." if merged else f"{status.state}."),
            hint="Let its vectors be made, or delete it." if merged else "",
        )

    def _known(self, document_id: str) -> DocumentStatus:
        status = self._statuses.get(document_id)
        if status is None:
            raise DocumentError(
                f"There is no document {document_id}.", hint="It may have been deleted: look at the list."
            )
        return status
