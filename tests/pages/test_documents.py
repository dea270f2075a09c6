"""Adding, watching, looking into and deleting documents."""

import time
from pathlib import Path

import pytest
from made_files import make_zip

from lightrag_engine import Upload
from ui import document_jobs, documents, engine


@pytest.fixture(autouse=True)
def patient_page(monkeypatch):
    """What a page would go on with beside itself on a busy machine is awaited: a run then shows its end."""
    monkeypatch.setattr(document_jobs, "_WAIT_SECONDS", 60.0)


def rag_of(app):
    return engine._opened(app.session_state["workspace"], engine.Settings())


def wait(app):
    """Wait until nothing is being read any more, then show the page again."""
    rag = rag_of(app)
    until = time.monotonic() + 60
    while document_jobs.busy(rag) or documents.active(rag.documents()):
        assert time.monotonic() < until, [status.state for status in rag.documents()]
        time.sleep(0.05)
    return app.run()


def wait_for_job(app):
    """Wait until what was begun with the documents is through; they may still be read."""
    until = time.monotonic() + 60
    while document_jobs.busy(rag_of(app)):
        assert time.monotonic() < until
        time.sleep(0.02)


def table(app):
    return app.dataframe[0].value.set_index("name")


def press(app, label):
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception
    return app


def choose(app, *names):
    app.session_state["chosen_documents"] = [
        status.id for status in rag_of(app).documents() if not names or status.name in names
    ]
    return app.run()


def test_files_are_taken_in_at_once_and_never_twice(empty):
    app = empty("documents")
    uploader = app.file_uploader[0]
    uploader.upload("one.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    uploader.upload("two.txt", b"Ilse Vogt studied in Hamburg.", "text/plain")
    app.run()
    assert not app.exception
    assert app.file_uploader[0].value == []
    wait(app)
    seconds = table(app)["time"].to_dict()
    revision = rag_of(app).revision
    for _ in range(3):
        app.run()
    assert sorted(table(app).index) == ["one.txt", "two.txt"]
    assert set(table(app)["state"]) == {"● done"}
    assert table(app)["time"].to_dict() == seconds
    assert rag_of(app).revision == revision


def test_a_scan_without_text_is_said_in_red_and_nothing_of_it_is_indexed(empty):
    """A scanned PDF was said to be there, and nothing of it could be found."""
    app = empty("documents")
    scan = (Path(__file__).parents[1] / "data" / "documents" / "pdf_scanned.pdf").read_bytes()
    app.file_uploader[0].upload("scan.pdf", scan, "application/pdf")
    app.file_uploader[0].upload("photo.jpg", b"\xff\xd8\xff\xe0 no text", "image/jpeg")
    app.run()
    wait(app)
    assert set(table(app)["state"]) == {"✕ failed"}
    (said,) = [text.value for text in app.markdown if text.value.startswith(":red[**✕ 2 documents failed**]")]
    assert "and 1 more" in said
    assert {status.chunks for status in rag_of(app).documents()} == {0}
    assert any("ocrmypdf" in status.hint for status in rag_of(app).documents() if status.name == "photo.jpg")


def test_what_was_there_before_is_not_counted_as_new(empty):
    app = empty("documents")
    app.file_uploader[0].upload("one.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    wait(app.run())
    app.file_uploader[0].upload("copy.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    app.file_uploader[0].upload("two.txt", b"Ilse Vogt studied in Hamburg.", "text/plain")
    app.run()
    assert [toast.value.replace("\\", "") for toast in app.toast] == [
        "Reading 1 new document; the table says what comes of it. Already here: one.txt."
    ]


def test_what_an_archive_holds_beside_documents_is_told(empty):
    app = empty("documents")
    data = make_zip(
        {"one.txt": "Mara Quill met Tobias Renn in Port Ansel.", "photo.jpg": b"x", "<b>.exe": b"x"}
    )
    app.file_uploader[0].upload("bundle.zip", data, "application/zip")
    app.run()
    assert [toast.value for toast in app.toast] == [
        "Reading 1 new document; the table says what comes of it."
    ]
    (warning,) = app.warning
    assert "bundle.zip: 2 files are not read. photo.jpg: .jpg (image) files are not supported" in (
        warning.value.replace("\\", "")
    )
    wait(app)
    assert sorted(table(app).index) == ["one.txt"]
    app.file_uploader[0].upload("two.txt", b"Ilse Vogt studied in Hamburg.", "text/plain")
    app.run()
    assert not app.warning


def test_no_retry_is_offered_for_a_file_that_cannot_be_read(empty):
    app = empty("documents")
    app.file_uploader[0].upload("empty.txt", b"", "text/plain")
    wait(app.run())
    app.session_state["chosen_documents"] = [status.id for status in rag_of(app).documents()]
    app.run()
    labels = [button.label for button in app.button]
    assert "Delete …" in labels
    assert not any(label.startswith("Retry") for label in labels)


def test_pasted_text_becomes_a_document(empty):
    app = empty("documents")
    app.text_input[1].set_value("Minutes")
    app.text_area[0].set_value("Mara Quill chaired the meeting.")
    app.form_submit_button[0].click().run()
    wait(app)
    assert not app.exception
    assert list(table(app)["state"]) == ["● done"]
    assert app.text_area[0].value == ""


def test_empty_text_is_refused_with_what_to_do(empty):
    app = empty("documents")
    app.form_submit_button[0].click().run()
    assert [warning.value for warning in app.warning] == ["There is no text to add: paste some first."]


def test_unreadable_files_are_named_and_do_not_stop_the_others(empty):
    app = empty("documents")
    uploader = app.file_uploader[0]
    uploader.upload("empty.txt", b"", "text/plain")
    uploader.upload("blank.txt", b" \n \n", "text/plain")
    uploader.upload("broken.pdf", b"%PDF-1.4 nothing", "application/pdf")
    uploader.upload("good.txt", b"Mara Quill met Tobias Renn.", "text/plain")
    app.run()
    wait(app)
    assert not app.exception
    states = table(app)["state"]
    assert states["good.txt"] == "● done"
    for name in ("empty.txt", "blank.txt", "broken.pdf"):
        assert states[name] == "✕ failed"
        assert name in table(app)["note"][name]


def test_two_files_of_one_name_are_both_kept(empty):
    app = empty("documents")
    app.file_uploader[0].upload("readme.md", b"Ada Pell works in the north.", "text/markdown")
    app.file_uploader[0].upload("readme.md", b"Bram Otto works in the south.", "text/markdown")
    app.run()
    wait(app)
    assert not app.exception
    assert len(set(table(app).index)) == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../../evil.txt", "evil.txt"),
        ("Отчёт за май 📊.txt", "Отчёт за май 📊.txt"),
        ("報告書（最終）.md", "報告書（最終）.md"),
        ("semi;colon & 'quote' %20.txt", "semi;colon & 'quote' %20.txt"),
        ("<img src=x onerror=alert(1)>.txt", "<img src=x onerror=alert(1)>.txt"),
    ],
)
def test_odd_names_are_shown(empty, name, expected):
    app = empty("documents")
    app.file_uploader[0].upload(name, b"Mara Quill met Tobias Renn.", "text/plain")
    app.run()
    wait(app)
    assert not app.exception
    (shown,) = table(app).index
    assert shown == expected


def chosen(filled, name):
    app = filled("documents")
    app.session_state["chosen_documents"] = [
        status.id for status in rag_of(app).documents() if status.name.startswith(name)
    ]
    return app.run()


def test_a_selected_document_shows_its_text_with_entities_marked(filled):
    app = chosen(filled, "ferry")
    assert not app.exception
    assert [heading.value for heading in app.subheader] == ["ferry.txt"]
    (passage,) = app.get("bidi_component")
    data = passage.proto.json if hasattr(passage.proto, "json") else str(passage.proto)
    assert "Mara Quill" in data
    assert "person" in data


def test_hostile_names_and_text_are_only_text(filled):
    app = chosen(filled, "hostile")
    assert not app.exception
    assert "\\<img" in app.subheader[0].value
    assert not any("](http" in text.value for text in app.markdown)


def test_deleting_asks_first(filled):
    app = chosen(filled, "ferry")
    press(app, "Delete …")
    assert any(button.label == "Keep" for button in app.button)
    assert len(rag_of(app).documents()) == 3


def test_documents_can_be_paused_cancelled_and_resumed_on_the_page(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.pause_queue()
    app.file_uploader[0].upload("one.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    app.run()

    def state_after(label):
        press(choose(app), label)
        wait_for_job(app)
        return rag.documents()[0].state

    assert state_after("Pause") == "paused"
    assert state_after("Resume") == "queued"
    press(choose(app), "Cancel")
    wait_for_job(app)
    assert rag.documents() == []
    app.file_uploader[0].upload("two.txt", b"Mara Quill met Tobias Renn in Low Harrow.", "text/plain")
    app.run()
    press(app, "Resume all")
    assert not rag.queue_paused
    wait(app)
    assert rag.documents()[0].state == "done"
    assert state_after("Index again") != "cancelled"
    wait(app)
    assert rag.documents()[0].state == "done"


def test_many_are_paused_at_once(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.insert(["Mara Quill met Tobias Renn."], ["done.txt"])
    rag.pause_queue()
    rag.submit([Upload(f"{n}.txt", f"Ilse Vogt went to Hamburg {n} times.".encode()) for n in range(6)])
    press(choose(app.run()), "Pause 6")
    wait_for_job(app)
    assert sorted(str(status.state) for status in rag.documents()) == ["done", *["paused"] * 6]


def test_nothing_is_done_to_documents_that_the_filter_hides(filled):
    app = choose(filled("documents"), "ferry.txt", "渡轮.txt")
    assert any("2 documents selected" in text.value for text in app.markdown)
    app.session_state["documents_text"] = "ferry"
    app.run()
    assert list(table(app).index) == ["ferry.txt"]
    assert [heading.value for heading in app.subheader] == ["ferry.txt"]
    app.session_state["documents_text"] = "nowhere to be found"
    app.run()
    assert not app.dataframe
    assert not app.subheader
    press(app, "Show all")
    assert len(table(app)) == 3


NEW = b"Tobias Renn left Port Ansel."


def test_a_taken_name_is_asked_about_before_anything_is_taken_in(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.insert(["Mara Quill met Tobias Renn.", "Ilse Vogt."], ["one.txt", "two.txt"])
    app.run()
    app.file_uploader[0].upload("one.txt", NEW, "text/plain")
    app.file_uploader[0].upload("fresh.txt", b"Ada Pell.", "text/plain")
    app.run()
    assert not app.exception
    assert sorted(status.name for status in rag.documents()) == ["one.txt", "two.txt"]
    assert any("one" in text.value and "with other content" in text.value for text in app.markdown)
    choice = next(group for group in app.button_group if group.label == "What to do")
    assert choice.options == ["Keep both", "Replace", "Leave out"]
    choice.set_value("Replace").run()
    press(app, "Continue")
    wait(app)
    assert sorted(status.name for status in rag.documents()) == ["fresh.txt", "one.txt", "two.txt"]
    assert "Tobias Renn left" in rag.document_text(
        next(status.id for status in rag.documents() if status.name == "one.txt")
    )


def test_nothing_is_taken_in_when_the_question_is_left(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.insert(["Mara Quill met Tobias Renn."], ["one.txt"])
    app.run()
    app.file_uploader[0].upload("one.txt", NEW, "text/plain")
    press(app.run(), "Add nothing")
    assert [status.name for status in rag.documents()] == ["one.txt"]
    app.run()
    assert not any(button.label == "Continue" for button in app.button)


def test_several_taken_names_are_asked_about_in_one_table(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.insert([f"Mara Quill wrote {n}." for n in range(3)], [f"{n}.txt" for n in range(3)])
    app.run()
    for n in range(3):
        app.file_uploader[0].upload(f"{n}.txt", f"Ilse Vogt wrote {n}.".encode(), "text/plain")
    app.run()
    asked = next(frame.value for frame in app.dataframe if "choice" in frame.value)
    assert asked["name"].tolist() == ["0.txt", "1.txt", "2.txt"]
    assert set(asked["choice"]) == {"Keep both"}
    press(app, "Continue")
    wait(app)
    assert len(rag.documents()) == 6


def test_the_report_says_how_a_document_was_read(filled):
    app = choose(filled("documents"), "ferry.txt")
    app.session_state["document_view"] = "Report"
    app.run()
    assert not app.exception
    rows = {label: value for table in app.table for label, value in table.value.iloc[:, 0].items()}
    assert rows["Entities"] == str(rag_of(app).documents()[-1].entities) or int(rows["Entities"]) > 0
    assert "by Built" in rows["Read"]
    assert "Extracting" in rows


def test_the_chunks_are_in_a_table(filled):
    app = choose(filled("documents"), "ferry.txt")
    app.session_state["document_view"] = "Chunks"
    app.run()
    assert not app.exception
    assert app.dataframe[1].value["text"].iloc[0].startswith("Mara Quill founded")


def test_the_original_file_is_offered_as_it_came(filled):
    app = choose(filled("documents"), "ferry.txt")
    (button,) = app.get("download_button")
    assert button.proto.label == "Download"
    assert rag_of(app).document_file(app.session_state["chosen_documents"][0])[0] == "ferry.txt"
