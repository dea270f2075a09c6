"""Files on their way in: a name and bytes, from a browser, a path, a text or the samples."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lightrag_engine.documents.graph_table import read_graph_table
from lightrag_engine.errors import DocumentError

GRAPH_SUFFIX = ".graph"  # of the name under which an imported graph is shown
SAMPLES = Path(__file__).parent.parent / "data" / "samples"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was given: its name and its bytes."""

    name: str
    data: bytes

    @classmethod
    def from_path(cls, path: Path) -> Upload:
        """Read a file.

        Raises
        ------
        DocumentError
            When there is no such file or it cannot be opened.
        """
        try:
            return cls(path.name, path.read_bytes())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DocumentError(
                f"{path.name} cannot be opened: {reason}.", hint=f"Check the path {path} and its permissions."
            ) from error

    @classmethod
    def from_text(cls, text: str, name: str = "") -> Upload:
        """Take a text as a file; without a name it is called after its first words."""
        first = " ".join(text.split()[:6])[:60].strip(" .,;:#*")
        # A lone surrogate cannot be encoded: it becomes a replacement character here.
        return cls(name or f"{first or 'pasted text'}.txt", text.encode("utf-8", "replace"))


def graph_upload(relations: Path | Upload, entities: Path | Upload | None = None, name: str = "") -> Upload:
    """Return a graph that comes as tables, of relations and perhaps of entities, as one file.

    Raises
    ------
    DocumentError
        When a file cannot be opened, or a table lacks its columns.
    """
    edges = relations if isinstance(relations, Upload) else Upload.from_path(relations)
    nodes = Upload.from_path(entities) if isinstance(entities, Path) else entities
    table = read_graph_table(
        edges.data,
        nodes.data if nodes else b"",
        relations_name=edges.name,
        entities_name=nodes.name if nodes else "",
    )
    return Upload(f"{name.strip() or Path(edges.name).stem}{GRAPH_SUFFIX}", table.to_bytes())


def sample_files() -> list[Path]:
    """Return the sample documents that come with the project."""
    return sorted(path for path in SAMPLES.glob("*") if path.is_file() and path.stem.upper() != "README")
