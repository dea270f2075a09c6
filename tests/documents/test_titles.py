import pytest

from lightrag_engine.documents import titles


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("intro\n\n# The Ferry #\n", "The Ferry"),
        ("The Ferry\n=========\ntext", "The Ferry"),
        ("```\n# a comment\n```\n## Real heading\n", "Real heading"),
        ("#hashtag and #another", ""),
        ("# ---\n", ""),
        ("no heading here", ""),
    ],
)
def test_markdown(text: str, title: str) -> None:
    assert titles.markdown_title(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Annual report\n\nThe ferry sails.", "Annual report"),
        ("\n\n  云岭轮渡公司年报\n\n正文。", "云岭轮渡公司年报"),
        ("This is a sentence.\n\nAnother.", ""),
        ("A line that goes\non in the next", ""),
        ("x" * 90 + "\n\nrest", ""),
        ("only line", ""),
        ("---\n\nrest", ""),
    ],
)
def test_first_line(text: str, title: str) -> None:
    assert titles.first_line_title(text) == title


def test_first_line_of_a_pdf_needs_no_blank_line() -> None:
    assert titles.first_line_title("Ferry rules\nMara Quill", blank_after=False) == "Ferry rules"
    assert titles.first_line_title("The ferry rules\nare long", blank_after=False) == ""


@pytest.mark.parametrize(
    "title",
    [
        "",
        "untitled",
        "Untitled-1",
        "Microsoft Word - x.doc",
        "report.pdf",
        "Document1",
        "Word Document",
        "--",
    ],
)
def test_titles_that_programs_write(title: str) -> None:
    assert titles.sensible_title(title) == ""


def test_sensible_title_is_kept() -> None:
    assert titles.sensible_title(" A Ferry\n History ") == "A Ferry History"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("annual_report-2024.txt", "annual report 2024"),
        ("Jean-Pierre Melville.txt", "Jean-Pierre Melville"),
        ("Notes on St. Petersburg", "Notes on St. Petersburg"),
        (".hidden.txt", "hidden"),
        ("___", "___"),
    ],
)
def test_name(name: str, title: str) -> None:
    assert titles.name_title(name) == title


def test_long_titles_are_shortened() -> None:
    assert len(titles.shorten("word " * 100)) <= titles.MAX_TITLE
