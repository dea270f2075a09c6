"""Adding, watching, looking into and deleting documents."""

import time

import pytest
from made_files import make_zip

from ui import documents, engine


def rag_of(app):
    return engine._opened(app.session_state["workspace"], engine.Settings())


def wait(app):
    """Wait until nothing is being read any more, then show the page again."""
    rag = rag_of(app)
    until = time.monotonic() + 60
    while documents.active(rag.documents()):
        assert time.monotonic() < until, [status.state for status in rag.documents()]
        time.sleep(0.05)
    return app.run()


def table(app):
    return app.dataframe[0].value.set_index("name")


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


def test_what_was_there_before_is_not_counted_as_new(empty):
    app = empty("documents")
    app.file_uploader[0].upload("one.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    wait(app.run())
    app.file_uploader[0].upload("copy.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    app.file_uploader[0].upload("two.txt", b"Ilse Vogt studied in Hamburg.", "text/plain")
    app.run()
    assert [toast.value for toast in app.toast] == [
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
    assert any(label.startswith("Delete 1 document") for label in labels)
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
    next(button for button in app.button if button.label.startswith("Delete 1 document")).click().run()
    assert not app.exception
    assert any(button.label == "Keep" for button in app.button)
    assert len(rag_of(app).documents()) == 3


def test_documents_can_be_paused_cancelled_and_resumed_on_the_page(empty):
    app = empty("documents")
    rag = rag_of(app)
    rag.pause_queue()
    app.file_uploader[0].upload("one.txt", b"Mara Quill met Tobias Renn in Port Ansel.", "text/plain")
    app.run()

    def press(label):
        app.session_state["chosen_documents"] = [status.id for status in rag.documents()]
        app.run()
        next(button for button in app.button if button.label.startswith(label)).click().run()
        assert not app.exception
        return rag.documents()[0].state

    assert press("Pause 1") == "paused"
    assert press("Resume 1") == "queued"
    assert press("Cancel 1") == "cancelled"
    assert press("Retry 1") == "queued"
    press("Resume all")
    assert not rag.queue_paused
    wait(app)
    assert rag.documents()[0].state == "done"
    press("Index again 1")
    wait(app)
    assert rag.documents()[0].state == "done"
