"""Questions and answers with their evidence, kept through reruns."""

import re

import pytest
from markdown_it import MarkdownIt


def ask(app, question):
    app.chat_input[0].set_value(question).run()
    assert not app.exception
    return app


def in_mode(app, mode):
    return app.get("segmented_control")[0].set_value(mode).run()


def answer_text(app):
    return " ".join(text.value for message in app.chat_message for text in message.markdown)


def test_an_answer_has_citations_and_three_tables(filled):
    app = ask(filled("chat"), "Who did Mara Quill hire?")
    assert "Tobias Renn" in answer_text(app)
    assert ":blue-badge[1]" in answer_text(app)
    assert [tab.label.split()[0] for tab in app.tabs] == ["Entities", "Relations", "Sources"]
    assert len(app.dataframe) == 3
    assert "Mara Quill" in set(app.dataframe[0].value["entity"])
    assert "named: Mara Quill" in app.dataframe[2].value["why"][0]
    assert len(app.get("download_button")) == 3
    assert any("retrieval" in caption.value for caption in app.caption)


def test_a_citation_opens_its_passage(filled):
    app = ask(filled("chat"), "Who did Mara Quill hire?")
    citation = next(pills for pills in app.get("pills") if pills.label.startswith("Citations"))
    citation.set_value(1).run()
    assert not app.exception
    passage = next(e for e in app.get("bidi_component") if e.proto.component_name == "lightrag_passage")
    assert '"used"' in passage.proto.json
    assert any("ferry.txt" in caption.value.replace("\\", "") for caption in app.caption)
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert any(caption.startswith("Why this passage: named: Mara Quill") for caption in captions), captions


def test_answers_keep_their_evidence_through_reruns_and_pages(filled):
    app = ask(filled("chat"), "Who did Mara Quill hire?")
    app.switch_page("pages/overview.py").run()
    app.switch_page("pages/chat.py").run()
    assert "Tobias Renn" in answer_text(app)
    ask(app, "Where did Ilse Vogt study?")
    assert len(app.chat_message) == 4
    assert "Hamburg" in answer_text(app)
    assert len(app.dataframe) == 6


def test_the_mode_is_used_and_said(filled):
    app = in_mode(filled("chat"), "naive")
    assert any(caption.value.startswith("Naive:") for caption in app.caption)
    ask(app, "Who did Mara Quill hire?")
    assert app.session_state["chats"]["default"][0].answer.mode == "naive"


@pytest.mark.parametrize("mode", ["naive", "local", "global", "hybrid", "mix"])
def test_every_mode_answers(filled, mode):
    app = ask(in_mode(filled("chat"), mode), "Who did Mara Quill hire?")
    assert app.session_state["chats"]["default"][0].answer.mode == mode
    assert "Tobias Renn" in answer_text(app)


def test_a_suggested_question_is_asked(filled):
    app = filled("chat")
    pills = next(pills for pills in app.get("pills") if pills.label == "For example")
    pills.set_value(pills.options[0] if isinstance(pills.options[0], str) else "").run()
    assert not app.exception
    assert len(app.chat_message) == 2


def test_a_new_chat_forgets(filled):
    app = ask(filled("chat"), "Who did Mara Quill hire?")
    next(button for button in app.button if button.label == "New chat").click().run()
    assert not app.chat_message


def test_hostile_questions_and_documents_stay_text(filled):
    app = ask(filled("chat"), "Who is the stoker called ![x](https://example.invalid/q) :red[a]?")
    for message in app.chat_message:
        for text in message.markdown:
            tokens = [
                child.type for token in MarkdownIt().parse(text.value) for child in token.children or ()
            ]
            assert {"image", "link_open", "html_inline"}.isdisjoint(tokens)
            assert not re.search(r"(?<!\\):red", text.value)


def test_chinese_questions_find_chinese_passages(filled):
    app = ask(filled("chat"), "谁在云渡坊造船？")
    assert "马清和" in answer_text(app)
