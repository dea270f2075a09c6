"""Which words a chunk is found by: those of its text and of the titles of its documents."""

from __future__ import annotations

from collections.abc import Iterable

from lightrag_engine.storage.sqlite import batches
from lightrag_engine.storage.words import Words
from lightrag_engine.storage.workspace import Workspace


def index_words(workspace: Workspace, chunk_ids: Iterable[str]) -> None:
    """Bring the words of these chunks up to date: a chunk that is gone loses them."""
    # Imported here: the built-in language takes a second, and only who reads or asks needs it.
    from lightrag_engine.language.builtin.matching import match_terms

    for batch in batches(chunk_ids):
        kept = workspace.chunks.get_many(batch)
        titles: dict[str, set[str]] = {id_: set() for id_ in kept}
        places = workspace.extractions.placements_of(kept)
        documents = workspace.documents.get_many(list(dict.fromkeys(row["document_id"] for row in places)))
        for row in places:
            titles[row["chunk_id"]].add(documents.get(row["document_id"], {}).get("title", ""))
        workspace.words.delete_many(set(batch) - set(kept))
        workspace.words.put_many(
            {
                id_: Words(match_terms(" ".join(sorted(titles[id_]))), match_terms(value["content"]))
                for id_, value in kept.items()
            }
        )


def index_missing_words(workspace: Workspace) -> int:
    """Index the chunks of a workspace that was written before there were words; return how many."""
    present, wanted = workspace.words.ids(), set(workspace.chunks.keys())
    index_words(workspace, sorted(wanted ^ present))
    return len(wanted - present)
