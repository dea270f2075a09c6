from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lightrag_engine.storage.originals import Originals

TEXT = b"Mara Quill founded the Brindle Valley Ferry.\n" * 200


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.binary(), second=st.binary().map(lambda data: data * 40))
def test_a_file_comes_back_as_it_came_whatever_it_replaces(
    tmp_path: Path, first: bytes, second: bytes
) -> None:
    originals = Originals(tmp_path)
    for data in (first, second, first):
        originals.write("doc-1", data)
        assert originals.read("doc-1") == data
        assert len(list(tmp_path.iterdir())) == 1
    originals.remove("doc-1")
    originals.remove("doc-1")
    assert not originals.has("doc-1")
    assert list(tmp_path.iterdir()) == []


def test_only_what_gets_smaller_is_compressed(tmp_path: Path) -> None:
    originals = Originals(tmp_path)
    noise = os.urandom(5000)
    originals.write("text", TEXT)
    originals.write("noise", noise)
    assert gzip.decompress((tmp_path / "text.gz").read_bytes()) == TEXT
    assert (tmp_path / "noise").read_bytes() == noise


def test_files_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    (tmp_path / "doc-1").write_bytes(TEXT)
    assert Originals(tmp_path).has("doc-1")
    assert Originals(tmp_path).read("doc-1") == TEXT


@pytest.mark.parametrize(
    "damage",
    [b"", b"no gzip", gzip.compress(TEXT)[:-9], gzip.compress(TEXT)[:40]],
    ids=["empty", "other", "end", "half"],
)
def test_a_damaged_file_is_an_error_of_the_disk(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "doc-1.gz").write_bytes(damage)
    with pytest.raises(OSError, match=r"doc-1\.gz"):
        Originals(tmp_path).read("doc-1")
    with pytest.raises(FileNotFoundError):
        Originals(tmp_path).read("doc-2")
