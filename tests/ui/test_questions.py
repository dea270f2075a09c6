"""What a question was understood as."""

from lightrag_engine.records import Keywords
from ui.chat.turns import keywords_line


def test_keywords_of_both_levels_in_a_line():
    assert keywords_line(Keywords(("trade",), ("Mara", "Ansel"))) == "Themes: trade · Details: Mara, Ansel"
    assert keywords_line(Keywords(low_level=("Mara",))) == "Details: Mara"
    assert keywords_line(Keywords()) == ""
