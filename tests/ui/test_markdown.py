"""Answers and document text in Markdown: what is kept, and that nothing active comes through."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lightrag_engine.sentences import split_sentences
from ui.markdown import MARKED, literal, safe_answer

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def token_types(markdown: str) -> set[str]:
    tokens = PARSER.parse(markdown)
    return {t.type for t in tokens} | {c.type for t in tokens for c in t.children or ()}


def shown(markdown: str) -> str:
    tokens = PARSER.parse(markdown)
    return "".join(c.content for t in tokens for c in t.children or ())


@pytest.mark.parametrize(
    "attack",
    [
        "![x](https://example.invalid/leak?q=secret)",
        "[![x](https://example.invalid/a)](https://example.invalid/b)",
        "![x][r]\n\n[r]: https://example.invalid/leak",
        "<img src=https://example.invalid/leak onerror=alert(1)>",
        "<https://example.invalid>",
        "[click](javascript:alert(1))",
        "| a |\n| - |\n| ![x](https://example.invalid) |",
        "> - ![x](https://example.invalid)",
        "`` ` `` ![x](https://example.invalid)",
        "\\`![x](https://example.invalid)`",
        "[n]: <https://example.invalid>\n\n![n]",
    ],
)
def test_pictures_and_links_are_taken_out(attack):
    safe = safe_answer(attack)
    assert token_types(safe).isdisjoint({"image", "link_open", "html_block", "html_inline"})


def test_the_words_of_links_and_pictures_stay():
    assert shown(safe_answer("[the report](https://example.invalid/r)")).startswith("the report (https")
    assert "a boat" in shown(safe_answer("![a boat](x.png)"))


@pytest.mark.parametrize(
    "fence", ["```mermaid", "~~~mermaid", "> ```mermaid", "- ```mermaid", "```Mermaid x"]
)
def test_no_diagram_is_drawn(fence):
    mark = fence[: len(fence) - len(fence.lstrip("> -"))]
    safe = safe_answer(f"{fence}\n{mark}graph TD\n")
    assert "mermaid" not in safe.casefold()


@pytest.mark.parametrize("code", [":red[x]", ":material/home:", ":smile:", ":blue-badge[9]", ":shimmer[x]"])
def test_streamlit_codes_of_the_text_are_plain(code):
    assert re.search(r"(?<!\\):\w+[\[:/]", safe_answer(f"a {code} b").replace("\u2060", "\\")) is None


def test_dollar_amounts_stay_readable():
    assert shown(safe_answer("Fares rose from $3.20 to $4.10")) == "Fares rose from $3.20 to $4.10"
    assert re.search(r"(?<!\\)\$", safe_answer("from $3.20 to $4.10")) is None


def test_citations_become_badges():
    assert safe_answer("It sank [1]. It rose [2, 3].") == (
        "It sank :blue-badge[1]. It rose :blue-badge[2] :blue-badge[3]."
    )


def test_structure_stays():
    answer = "# Head\n\nA **bold** and *soft* word.\n\n- one\n- two\n  1. deep\n\n> said\n\n"
    answer += "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n---"
    kinds = token_types(safe_answer(answer))
    assert kinds >= {
        "heading_open",
        "strong_open",
        "em_open",
        "bullet_list_open",
        "ordered_list_open",
        "blockquote_open",
        "table_open",
        "hr",
    }


def test_code_is_shown_as_it_is():
    safe = safe_answer("```python\nprint('![x](y)')\n```")
    code = [token.content for token in PARSER.parse(safe) if token.type == "fence"]
    assert code == ["print('![x](y)')\n"]


@given(st.text())
@example("*a*b ![")
@example("[a](b\n)")
@example("a\n===\n")
@example("1) ![x](y)")
def test_nothing_active_for_any_text(text):
    assert token_types(safe_answer(text)).isdisjoint({"image", "link_open", "html_block", "html_inline"})


def test_marked_sentences_get_a_ground_through_emphasis_lists_and_citations():
    text = "- Ada **runs it. And** she [1] left.\n- Then `code]` :red[x] came."
    start, end = text.index("And"), text.index("came.") + 5
    assert safe_answer(text, [(start, end)]) == (
        "- Ada **runs it. :orange-background[And]** :orange-background[she] :blue-badge[1] "
        ":orange-background[left.]\n"
        "- :orange-background[Then] `code]` :orange-background[\\:red\\[x\\] came.]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "# One\n\nTwo **three.** Four",
        "1. One. Two\n2. Three",
        "> *One.*",
        "| a | b |\n| - | - |\n| One. | Two. |",
    ],
)
def test_marks_change_nothing_but_the_ground(text):
    spans = [(span.start, span.end) for span in split_sentences(text)]
    marked = safe_answer(text, spans)
    assert MARKED in marked
    assert re.sub(rf"{MARKED}\[([^\]]*)\]", r"\1", marked) == safe_answer(text)


@given(st.text(), st.integers(0, 20), st.integers(0, 20))
@example("**a** ]", 0, 7)
@example("\ue000 \ue001", 0, 3)
def test_nothing_active_for_any_marks(text, start, length):
    safe = safe_answer(text, [(start, start + length)])
    assert token_types(safe).isdisjoint({"image", "link_open", "html_block", "html_inline"})
    assert not re.search("[\ue000\ue001]", safe)


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1))
def test_literal_shows_the_very_text(text):
    assert shown(literal(text)).replace("\u2060", "") == " ".join(text.split())


def test_addresses_are_no_links():
    for address in ("http://example.invalid/x", "www.example.invalid", "mate@example.invalid"):
        assert address not in literal(address).replace("\\", "")
