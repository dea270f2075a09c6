import io
import zipfile

import pytest
from made_files import make_docx, make_mail, make_zip

from lightrag_engine.documents import read
from lightrag_engine.documents.archives import Archive, Skipped
from lightrag_engine.documents.limits import Limits
from lightrag_engine.errors import DocumentError
from lightrag_engine.settings import Settings
from lightrag_engine.uploads import Upload


def inside(data: bytes, name: str = "a.zip", **limits: int) -> list[Upload | Skipped]:
    return list(Archive(Upload(name, data), Limits.of(Settings(**limits))).documents())


def names(items: list[Upload | Skipped]) -> list[str]:
    return [item.name for item in items if isinstance(item, Upload)]


def reasons(items: list[Upload | Skipped]) -> dict[str, str]:
    return {item.name: item.reason for item in items if isinstance(item, Skipped)}


def test_each_file_is_a_document_and_the_rest_is_listed() -> None:
    data = make_zip(
        {
            "notes/a.txt": "Mara Quill",
            "b.docx": make_docx(),
            "README": "text",
            "run.exe": b"MZ",
            "photo.jpg": b"x",
            "__MACOSX/notes/._a.txt": b"x",
            "notes/.DS_Store": b"x",
            "empty/": b"",
        }
    )
    items = inside(data)
    assert names(items) == ["a.txt", "b.docx", "README"]
    assert items[0] == Upload("a.txt", b"Mara Quill")
    assert reasons(items) == {
        "run.exe": ".exe files are not supported",
        "photo.jpg": ".jpg (image) files are not supported",
    }


def test_paths_lead_nowhere_and_equal_names_are_told_apart() -> None:
    data = make_zip(
        {
            "../../evil.txt": "a",
            "/etc/x.txt": "b",
            "C:\\y.txt": "c",
            "north/readme.md": "d",
            "south/readme.md": "e",
        }
    )
    assert names(inside(data)) == ["evil.txt", "x.txt", "y.txt", "north - readme.md", "south - readme.md"]


@pytest.mark.parametrize(("name", "encoding"), [("报告书说明.txt", "gbk"), ("résumé.txt", "utf-8")])
def test_names_without_the_mark_for_utf8(name: str, encoding: str) -> None:
    placeholder = "x" * len(name.encode(encoding).removesuffix(b".txt")) + ".txt"
    data = make_zip({placeholder: "a"}).replace(placeholder.encode(), name.encode(encoding))
    assert names(inside(data)) == [name]


def test_archives_and_mails_inside() -> None:
    mail = make_mail(attachments={"fees.csv": b"a,b\n1,2", "x.png": b"x"})
    inner = make_zip({"deep.txt": "x", "m.eml": mail})
    items = inside(make_zip({"inner.zip": inner, "bad.zip": b"no"}))
    assert names(items) == ["deep.txt", "m.eml", "fees.csv"]
    assert reasons(items) == {"bad.zip": "bad.zip is damaged, or no ZIP archive"}


def test_depth() -> None:
    data = make_zip({"deepest.txt": "x"})
    for level in range(3):
        data = make_zip({f"level{level}.zip": data, f"note{level}.txt": "x"})
    items = inside(data)
    assert names(items) == ["note0.txt", "note1.txt", "note2.txt"]
    assert list(reasons(items)) == ["level0.zip"]
    assert "deepest.txt" in names(inside(data, max_archive_depth=3))


def test_mail_attachments_become_documents() -> None:
    data = make_mail(attachments={"fees.csv": b"a,b\n1,2", "x.png": b"x"})
    assert inside(data, "m.eml") == [Upload("m.eml", data), Upload("fees.csv", b"a,b\n1,2")]
    assert reasons(inside(data, "m.eml", max_archive_bytes=2)).keys() == {"fees.csv"}
    assert inside(b"no mail at all", "m.eml") == [Upload("m.eml", b"no mail at all")]


@pytest.mark.parametrize(
    ("members", "limits", "message", "setting"),
    [
        ({f"{n}.txt": "x" for n in range(4)}, {"max_archive_files": 3}, "holds 4 files; at most 3", "files"),
        ({"a.txt": "x" * 5000}, {"max_archive_bytes": 4096}, r"unpack to 4\.9 KB; at most 4\.0 KB", "bytes"),
        ({"a.txt": b"\0" * (11 * 2**20)}, {}, r"unpack to [\d,]+ times its size; at most 200", "ratio"),
    ],
)
def test_limits(members: dict[str, bytes | str], limits: dict[str, int], message: str, setting: str) -> None:
    with pytest.raises(DocumentError, match=rf"a\.zip .*{message}") as raised:
        inside(make_zip(members), **limits)
    assert f"max_archive_{setting} (LIGHTRAG_MAX_ARCHIVE_{setting.upper()})" in raised.value.hint


def test_nested_archives_count_too() -> None:
    inner = make_zip({f"{n}.txt": "x" for n in range(5)})
    items = inside(make_zip({"a.txt": "x", "inner.zip": inner}), max_archive_files=5)
    assert names(items) == ["a.txt"]
    assert "at most 5 are taken" in reasons(items)["inner.zip"]


def test_a_large_file_inside() -> None:
    items = inside(make_zip({"a.txt": "x", "b.txt": "x" * 2000}), max_file_bytes=1000)
    assert reasons(items) == {"b.txt": "larger than 1000 bytes (setting max_file_bytes)"}


def encrypted(data: bytes) -> bytes:
    """Set the mark for encryption in the directory of an archive with one file."""
    at = data.rindex(b"PK\x01\x02") + 8
    return data[:at] + b"\x01" + data[at + 1 :]


def test_encrypted() -> None:
    with pytest.raises(DocumentError, match=r"a\.zip is protected with a password"):
        inside(encrypted(make_zip({"a.txt": "x"})))
    assert reasons(inside(encrypted(make_zip({"a.txt": "x", "b.txt": "y"})))) == {"b.txt": "encrypted"}


def test_damaged_files_inside() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.txt", "Mara Quill")
        archive.writestr("b.txt", "Tobias Renn")
    items = inside(target.getvalue().replace(b"Mara Quill", b"Mary Quill"))
    assert (names(items), reasons(items)) == (["b.txt"], {"a.txt": "damaged"})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"nope", "is damaged, or no ZIP archive"),
        (make_zip({}), "No document found in a.zip: it is empty"),
        (make_zip({"x.exe": b"MZ"}), "its only file cannot be read"),
        (make_docx(), "not an archive of documents, but one document"),
    ],
)
def test_nothing_inside(data: bytes, message: str, settings: Settings) -> None:
    with pytest.raises(DocumentError, match=message):
        inside(data)
    with pytest.raises(DocumentError, match=message):
        read("a.zip", data, settings)


def test_an_archive_is_no_document(settings: Settings) -> None:
    with pytest.raises(DocumentError, match=r"a\.zip is an archive of several documents"):
        read("a.zip", make_zip({"a.txt": "x"}), settings)
