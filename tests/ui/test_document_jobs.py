"""What is done with many documents, one after the other."""

from conftest import MakeRag
from made_files import make_zip

from lightrag_engine import LightRAG, Upload
from ui.document_jobs import Step, changing, taking_in


def test_one_with_which_it_is_not_possible_stops_no_other(rag: LightRAG) -> None:
    rag.insert(["Mara Quill."], ["done.txt"])
    rag.pause_queue()
    rag.submit([Upload(f"{n}.txt", f"Ilse Vogt {n}.".encode()) for n in range(3)])
    *_, last = changing(rag, rag.documents(), LightRAG.pause_document, "Paused")
    assert (last.done, last.total, last.message) == (4, 4, "Paused 3 documents.")
    (line,) = last.lines
    assert "done.txt cannot be paused" in line


def test_deleting_what_is_gone_already_is_told(rag: LightRAG) -> None:
    (id_,) = rag.insert(["Mara Quill."])
    known = rag.documents()
    rag.delete_document(id_)
    (step,) = changing(rag, known, LightRAG.delete_document, "Deleted")
    assert step.message == ""
    assert "There is no document" in step.lines[0]


def test_many_files_are_taken_in_some_at_a_time(make_rag: MakeRag) -> None:
    """Five hundred files handed over at once kept everything else waiting."""
    rag = make_rag()
    rag.pause_queue()
    files = [Upload(f"{n}.txt", f"Ilse Vogt {n}.".encode()) for n in range(25)]
    files.append(Upload("bundle.zip", make_zip({"a.txt": b"Ada Pell.", "b.exe": b"x"})))
    steps = list(taking_in(rag, files, {}))
    assert [step.done for step in steps] == [10, 20, 26]
    assert steps[-1].message == "Reading 26 new documents; the table says what comes of it."
    assert "b.exe" in steps[-1].lines[0]
    assert len(rag.documents()) == 26
    assert list(taking_in(rag, [], {})) == []
    assert Step(0, 0).message == ""
