import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lightrag_engine.markdown import escape_markdown

FULL = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]


def rendered(markdown: str) -> str:
    """Return the plain text of Markdown that must be one paragraph of nothing but text."""
    tokens = FULL.parse(markdown)
    if not tokens:
        return ""
    assert [token.type for token in tokens] == PARAGRAPH
    children = tokens[1].children or []
    assert {child.type for child in children} <= {"text"}
    return "".join(child.content for child in children)


def one_line(text: str) -> str:
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()


ACTIVE = st.text(alphabet="ab1 2.)(\\`*_[]<>&$~|#!{}:+-='\"/;?@^%\n\t", max_size=60)
ANY = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60)


@given(ACTIVE | ANY)
def test_renders_as_the_same_plain_text(text: str) -> None:
    assert rendered(escape_markdown(text)).replace("\u2060", "") == one_line(text).replace("\u2060", "")


@pytest.mark.parametrize(
    "text",
    [
        "![picture](http://evil.example/x.png)",
        "[click](javascript:alert(1)) and <script>alert(1)</script>",
        "# Heading",
        "1. one",
        "- item",
        "+ item",
        "=====",
        "---",
        "```python",
        "    indented code",
        "| a | b |",
        "> quote",
        "&lt;b&gt; &amp;",
        "**bold** __bold__ ~~gone~~ `code`",
        "C:\\new_folder\\*",
    ],
)
def test_markup_stays_text(text: str) -> None:
    assert rendered(escape_markdown(text)) == one_line(text)


def test_streamlit_directives_and_mathematics_are_escaped() -> None:
    assert escape_markdown("pay $5 or $6") == r"pay \$5 or \$6"
    assert escape_markdown(":smile: :red[x]") == r"\:smile\: \:red\[x\]"
    assert escape_markdown(":material/home:") == "\\:\u2060material/home\\:"
    assert escape_markdown(":streamlit:") == "\\:\u2060streamlit\\:"


def test_ordinary_prose_is_left_alone() -> None:
    prose = "Mara Quill (born 1851) founded it, she said, in Port Ansel; 5% of 10 - 2 = 8.5."
    assert escape_markdown(prose) == prose


def test_is_one_line() -> None:
    assert escape_markdown("  a\n\n# b\r\n\x00c\u2028d ") == r"a \# b c d"
