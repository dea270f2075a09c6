"""What the benchmark of indexing measures, on a text of two sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.indexing import SAMPLE, Stopwatch, measured, text_files


def test_stages_add_up_to_the_whole_and_an_inner_one_is_not_counted_twice() -> None:
    watch = Stopwatch()
    watch.enter("store")
    with watch.within("embed"):
        sum(range(200_000))
    watch.stop()
    assert set(watch.spent) == {"open", "store", "embed"}
    assert watch.spent["embed"][1] > 0
    assert all(clock >= 0 and processor >= 0 for clock, processor in watch.spent.values())


def test_every_stage_of_a_document_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("Maria Lindgren lives in Oslo. Oslo is the capital of Norway.", encoding="utf-8")
    watch, counts, best = measured([file], "builtin", "")
    assert {"open", "chunk", "extract", "merge", "embed", "store"} <= set(watch.spent)
    assert (counts.documents, counts.chunks, counts.entities) == (1, 1, 3)
    assert "Oslo (2)" in best
    assert max(watch.peak.values()) > 1


def test_files_are_taken_from_folders_and_none_is_an_error(tmp_path: Path) -> None:
    assert [file.suffix for file in text_files([SAMPLE])] == [".txt"]
    with pytest.raises(SystemExit, match="No text files"):
        text_files([tmp_path])
