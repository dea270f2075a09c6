"""What is handed in, taken apart: archives and e-mails become the documents inside them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from lightrag_engine.documents.archives import EXPANDED, Skipped
from lightrag_engine.documents.isolated import Reader
from lightrag_engine.documents.names import safe_name, suffix_of
from lightrag_engine.errors import DocumentError
from lightrag_engine.records import DocumentState, DocumentStatus
from lightrag_engine.settings import Settings
from lightrag_engine.uploads import Upload

_LISTED = 20


async def unpacked(
    files: Sequence[Upload | DocumentStatus], settings: Settings
) -> AsyncGenerator[Upload | DocumentStatus, None]:
    """Yield the documents of files in order; after those of an archive a status of what was left out.

    An archive that cannot be taken apart is given as it is: reading it fails with the reason, so that it
    stands among the documents. The status has no id, as nothing in a workspace belongs to it. Statuses among
    the files, of some that could not be opened, keep their places.
    """
    reader = Reader()
    try:
        for file in files:
            if not isinstance(file, Upload) or suffix_of(safe_name(file.name)).lower() not in EXPANDED:
                yield file
                continue
            skipped: list[Skipped] = []
            found = 0
            try:
                async with aclosing(reader.expand(file, settings)) as items:
                    async for item in items:
                        if isinstance(item, Upload):
                            found += 1
                            yield item
                        else:
                            skipped.append(item)
            except DocumentError as error:
                if not found:
                    yield file
                    continue
                skipped.append(Skipped("everything after that", str(error).rstrip(".")))
            if skipped:
                yield _left_out(file, skipped)
    finally:
        await reader.close()


def _left_out(file: Upload, skipped: Sequence[Skipped]) -> DocumentStatus:
    name = safe_name(file.name)
    listed = "; ".join(f"{item.name}: {item.reason}" for item in skipped[:_LISTED])
    more = f"; and {len(skipped) - _LISTED:,} more" if len(skipped) > _LISTED else ""
    count = "1 file is" if len(skipped) == 1 else f"{len(skipped):,} files are"
    return DocumentStatus(
        id="",
        name=name,
        names=(name,),
        media_type="application/zip",
        size=len(file.data),
        state=DocumentState.PROBLEMS,
        warnings=(f"{count} not read. {listed}{more}.",),
    )
