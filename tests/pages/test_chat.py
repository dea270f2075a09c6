"""Questions and answers with their evidence, kept through reruns."""

import re
import shutil
from concurrent.futures import Future

import pytest
from markdown_it import MarkdownIt

from lightrag_engine.evaluation.support import SentenceSupport


@pytest.fixture
def chatting(filled_folder, tmp_path, open_folder):
    """Open the Chat page, or another one, on a copy of the filled folder: conversations are kept in it."""
    folder = tmp_path / "data"
    shutil.copytree(filled_folder, folder)
    return lambda page="chat", **query: open_folder(folder, page, **query)


def ask(app, question):
    app.chat_input[0].set_value(question).run()
    assert not app.exception
    return app


def turns(app):
    return app.session_state["chats"]["default"].turns


def address(app):
    given = app.query_params["conversation"]
    return given if isinstance(given, str) else given[0]


def kept(app):
    return [turn.record for turn in turns(app)]


def picker(app):
    return next(box for box in app.selectbox if box.label == "Conversation")


def button(app, label):
    return next(button for button in app.button if button.label.startswith(label))


def in_mode(app, mode):
    return app.get("segmented_control")[0].set_value(mode).run()


def answer_text(app):
    return " ".join(text.value for message in app.chat_message for text in message.markdown)


def test_an_answer_has_citations_and_three_tables(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    assert "Tobias Renn" in answer_text(app)
    assert ":blue-badge[1]" in answer_text(app)
    assert [tab.label.split()[0] for tab in app.tabs] == ["Entities", "Relations", "Sources"]
    assert len(app.dataframe) == 3
    assert "Mara Quill" in set(app.dataframe[0].value["entity"])
    assert "named: Mara Quill" in app.dataframe[2].value["why"][0]
    assert [b.label for b in app.get("download_button") if "Download" in b.label] == [
        "Download entities as CSV",
        "Download relations as CSV",
        "Download sources as CSV",
        "Download all as ZIP",
    ]
    assert any("retrieval" in caption.value for caption in app.caption)
    # What the answer speaks of comes first.
    for table in app.dataframe:
        marks = list(table.value["cited"])
        assert marks == sorted(marks, reverse=True)
        assert marks[0] == "●"


def test_a_citation_opens_its_passage(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    citation = next(pills for pills in app.get("pills") if pills.label.startswith("Citations"))
    citation.set_value(1).run()
    assert not app.exception
    passage = next(e for e in app.get("bidi_component") if e.proto.component_name == "lightrag_passage")
    assert '"used"' in passage.proto.json
    assert any("ferry.txt" in caption.value.replace("\\", "") for caption in app.caption)
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert any(caption.startswith("Why this passage: named: Mara Quill") for caption in captions), captions


def test_answers_keep_their_evidence_through_reruns_and_pages(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    app.switch_page("pages/overview.py").run()
    app.switch_page("pages/chat.py").run()
    assert "Tobias Renn" in answer_text(app)
    ask(app, "Where did Ilse Vogt study?")
    assert len(app.chat_message) == 4
    assert "Hamburg" in answer_text(app)
    # One evidence is open at a time: the newest, or the one that was opened.
    assert len(app.dataframe) == 3
    assert "Ilse Vogt" in set(app.dataframe[0].value["entity"])
    button(app, "Evidence").click().run()
    assert not app.exception
    assert len(app.dataframe) == 3
    assert "Mara Quill" in set(app.dataframe[0].value["entity"])


def test_the_mode_is_used_and_said(chatting):
    app = in_mode(chatting(), "naive")
    assert any(caption.value.startswith("Naive:") for caption in app.caption)
    ask(app, "Who did Mara Quill hire?")
    assert turns(app)[0].answer.mode == "naive"


@pytest.mark.parametrize("mode", ["naive", "local", "global", "hybrid", "mix"])
def test_every_mode_answers(chatting, mode):
    app = ask(in_mode(chatting(), mode), "Who did Mara Quill hire?")
    assert turns(app)[0].answer.mode == mode
    assert "Tobias Renn" in answer_text(app)


def test_a_suggested_question_is_asked(chatting):
    app = chatting()
    pills = next(pills for pills in app.get("pills") if pills.label == "For example")
    pills.set_value(pills.options[0] if isinstance(pills.options[0], str) else "").run()
    assert not app.exception
    assert len(app.chat_message) == 2


def test_a_new_chat_is_empty_and_the_old_one_is_kept(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    first = address(app)
    button(app, "New chat").click().run()
    assert not app.chat_message
    assert address(app) == "new"
    ask(app, "Where did Ilse Vogt study?")
    names = picker(app).options
    assert names == ["Where did Ilse Vogt study?", "Who did Mara Quill hire?"]
    picker(app).set_value(first).run()
    assert not app.exception
    assert "Tobias Renn" in answer_text(app)
    assert address(app) == first


def test_a_conversation_is_there_again_in_another_session(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    id_ = address(app)
    for query in ({"conversation": id_}, {}):
        other = chatting(**query)
        assert "Tobias Renn" in answer_text(other)
        assert len(other.dataframe) == 3
        assert address(other) == id_
    gone = chatting(conversation="chat-gone")
    assert any("choose another one" in error.value for error in gone.error)
    assert not gone.chat_message


def test_what_another_session_asks_is_shown(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    other = ask(chatting(conversation=address(app)), "Where did Ilse Vogt study?")
    assert len(other.chat_message) == 4
    app.run()
    assert len(app.chat_message) == 4
    assert "Hamburg" in answer_text(app)


def test_a_conversation_is_renamed(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    name = next(field for field in app.text_input if field.label == "Name")
    name.set_value("Ferries")
    button(app, "Rename").click().run()
    assert picker(app).options == ["Ferries"]
    assert "Tobias Renn" in answer_text(app)


def test_an_answer_is_asked_for_again_in_its_place(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    ask(app, "Where did Ilse Vogt study?")
    button(app, "Regenerate").click().run()
    assert not app.exception
    assert len(app.chat_message) == 4
    assert len(kept(app)) == 2
    first = turns(app)[0]
    app.session_state[f"turn_{first.id}_edit"] = True
    app.run()
    assert any("The 1 turn after this one" in caption.value for caption in app.caption)
    app.text_area[0].set_value("Who built the steamer Heron?")
    button(app, "Ask again").click().run()
    assert not app.exception
    assert [turn.question for turn in kept(app)] == ["Who built the steamer Heron?"]
    assert len(app.chat_message) == 2


def test_keywords_are_changed_and_retrieved_with(chatting):
    app = ask(in_mode(chatting(), "local"), "How are Mara Quill and Ilse Vogt related?")
    (turn,) = turns(app)
    app.session_state[f"turn_{turn.id}_words"] = True
    app.run()
    details = next(field for field in app.multiselect if field.label == "Details")
    assert set(details.value) >= {"Mara Quill", "Ilse Vogt"}
    details.set_value(["Ilse Vogt"])
    button(app, "Retrieve again with these").click().run()
    assert not app.exception
    (again,) = kept(app)
    assert again.param.keywords.low_level == ("Ilse Vogt",)
    assert again.answer.keywords.low_level == ("Ilse Vogt",)


def test_sentences_that_nothing_bears_out_are_marked_as_a_hint(chatting):
    app = ask(chatting(), "Who did Mara Quill hire?")
    (turn,) = turns(app)
    assert all(one.supported for one in turn.support.result(timeout=120))
    app.run()
    assert ":orange-background[" not in answer_text(app)
    turn.support = Future()
    first = SentenceSupport(0, turn.text.index("."), supported=False, unfounded=("1921",))
    turn.support.set_result((first,))
    app.run()
    assert ":orange-background[" in answer_text(app)
    (said,) = [caption for caption in captions(app) if "[Marked]" in caption]
    assert "A hint, no verdict" in said
    assert "1921" in said


def multiselect(app, label):
    return next(field for field in app.multiselect if field.label == label)


def captions(app):
    return [caption.value.replace("\\", "") for caption in app.caption]


def test_a_question_is_restricted_to_a_document_and_says_so(chatting):
    app = ask(chatting(), "谁在云渡坊造船？")
    rows = turns(app)[0].context.source_rows
    id_ = next(row.document_id for row in rows if row.document == "渡轮.txt")
    assert len({row.document for row in rows}) > 1
    multiselect(app, "Only in these documents").set_value([id_]).run()
    assert not app.exception
    ask(app, "谁在云渡坊造船？")
    assert set(app.dataframe[2].value["document"]) == {"渡轮.txt"}
    assert "Asked only in 渡轮.txt" in captions(app)
    button(app, "Back to the defaults").click().run()
    assert multiselect(app, "Only in these documents").value == []
    ask(app, "Who did Mara Quill hire?")
    assert "ferry.txt" in set(app.dataframe[2].value["document"])


def test_options_hold_for_the_next_questions_and_other_pages(chatting):
    app = chatting()
    next(field for field in app.number_input if "top k" in field.label).set_value(3).run()
    app.switch_page("pages/overview.py").run()
    app.switch_page("pages/chat.py").run()
    ask(app, "Who did Mara Quill hire?")
    assert turns(app)[0].param.top_k == 3
    assert "Asked top k 3" in captions(app)


@pytest.mark.parametrize(("kind", "begin"), [("context", "-----Entities-----"), ("prompt", "")])
def test_the_context_or_the_prompt_is_shown_as_it_is(chatting, kind, begin):
    app = chatting()
    show = next(field for field in app.get("segmented_control") if field.label == "Show")
    show.set_value(kind).run()
    ask(app, "Who did Mara Quill hire?")
    (turn,) = turns(app)
    assert turn.answer.kind == kind
    assert app.code[0].value.strip() == turn.text.strip()
    assert turn.text.startswith(begin)
    assert "Mara Quill" in turn.text
    assert f"Asked only the {kind}" in captions(app)


def test_hostile_questions_and_documents_stay_text(chatting):
    app = ask(chatting(), "Who is the stoker called ![x](https://example.invalid/q) :red[a]?")
    for message in app.chat_message:
        for text in message.markdown:
            tokens = [
                child.type for token in MarkdownIt().parse(text.value) for child in token.children or ()
            ]
            assert {"image", "link_open", "html_inline"}.isdisjoint(tokens)
            assert not re.search(r"(?<!\\):red", text.value)


def test_chinese_questions_find_chinese_passages(chatting):
    app = ask(chatting(), "谁在云渡坊造船？")
    assert "马清和" in answer_text(app)
