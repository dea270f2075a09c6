import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine.documents.table import rows_text
from lightrag_engine.sentences import LONGEST, LONGEST_DENSE, Span, sentence_texts, split_sentences

PARTS = st.text(alphabet='aB1中の.。!?…"” \n\u3000-#|,，', max_size=200) | st.text(max_size=200)


@given(PARTS)
def test_spans_are_ordered_trimmed_and_cover_all_but_white_space(text: str) -> None:
    spans = split_sentences(text)
    covered = [False] * len(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert end - start <= LONGEST
        covered[start:end] = [True] * (end - start)
        previous = end
    assert all(covered[at] or text[at].isspace() for at in range(len(text)))


@pytest.mark.parametrize(
    "sentences",
    [
        ["Mr. Smith met Dr. J. R. Quill at 3.15 p.m. on deck.", "They left."],
        ["The U.S. Navy came.", "It left the U.S.", "The rest stayed."],
        ["He works for Harrow Ltd.", "They build boats.", "See fig. 3 and e.g. Table 2."],
        ['"Stop!" she cried.', "“Why?”", "He did not say…", "Then he went."],
        ["Is it true?!", "Yes!", "(It is.)", "Good."],
        ["Visit www.example.com or mail a.b@c.org.", "Version 2.0.1 is out."],
        ["Am 10. Dezember 1948 trat sie z. B. in Kraft.", "Dr. Müller kam."],
        ["En 1948 M. Dupont vint.", "Il partit."],
        ["В 1948 г. она принята.", "И вступила в силу."],
        ["刘备入蜀。", "诸葛亮从之！", "“何也？”", "曹操怒。"],
        ["すべて人は平等である。", "何人も奴隷にされない。"],
        ["كل الناس سواء؟", "نعم.", "هذا حق۔"],
        ["सभी मनुष्य समान हैं ।", "उन्हें अधिकार है ॥"],
        ["He was born in 1850.", "Later he moved."],
        ["Order no. 5 came.", "She said no.", "He saw nothing of that kind of art.", "Nobody did."],
        ["It was shown by Quill et al. in 1990.", "So we trust it.", "See J. Harrow."],
    ],
)
def test_sentences_of_many_languages(sentences: list[str]) -> None:
    joiner = "" if sentences[0][0] in "刘す" else " "
    assert sentence_texts(joiner.join(sentences)) == sentences


def test_wrapped_lines_are_joined() -> None:
    text = (
        "The Brindle Valley ferry was founded by\nMara Quill, who came from the town of\n"
        "Port Ansel. It crossed the river until\nthe bridge was built."
    )
    assert sentence_texts(text) == [
        "The Brindle Valley ferry was founded by\nMara Quill, who came from the town of\nPort Ansel.",
        "It crossed the river until\nthe bridge was built.",
    ]


def test_wrapped_chinese_lines_are_joined() -> None:
    text = "刘备与关羽张飞结为兄弟共起\n义兵讨伐黄巾后来又到荆州依\n附刘表。曹操南征。"
    assert sentence_texts(text) == [
        "刘备与关羽张飞结为兄弟共起\n义兵讨伐黄巾后来又到荆州依\n附刘表。",
        "曹操南征。",
    ]


def test_lines_that_are_meant_are_kept_apart() -> None:
    text = (
        "# The ferry\nIt was founded in 1851 by a woman who knew the river well\n"
        "- first item\n- second item\n1. Introduction\n| a | b |\n| c | d |\n\nShort line\n\n　　正文"
    )
    assert sentence_texts(text) == [
        "# The ferry",
        "It was founded in 1851 by a woman who knew the river well",
        "- first item",
        "- second item",
        "1. Introduction",
        "| a | b |",
        "| c | d |",
        "Short line",
        "正文",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [["name", "role", "city"], ["Maria Lind", "founder", "Port Ansel"], ["Harold Beck", "", "Bergen"]],
        [["Maria Lind", "1921"], ["Harold Beck", "1948"], ["Ada Storm", "1955"]],
    ],
)
def test_each_row_of_a_table_is_a_sentence(rows: list[list[str]]) -> None:
    """Short rows were joined like wrapped lines, so that each name was described by its neighbours' rows."""
    text = rows_text(rows)
    assert sentence_texts(text) == text.split("\n")
    assert len(sentence_texts(text)) == len(rows)


def test_the_head_lines_of_a_letter_are_sentences() -> None:
    text = "From: Ada Storm\nTo: Harold Beck\nSubject: The Svana\n\nDear Harold, she leaves today."
    assert sentence_texts(text) == [line for line in text.split("\n") if line]


def test_text_without_marks_is_cut_at_clauses() -> None:
    clause = "the ferry crossed the river again, "
    parts = sentence_texts(clause * 60)
    assert all(part.endswith(",") and len(part) <= LONGEST for part in parts)
    assert all(len(part) <= LONGEST_DENSE for part in sentence_texts("刘备入蜀" * 200))


def test_nothing_gives_nothing() -> None:
    assert split_sentences("") == []
    assert split_sentences(" \n\t\u3000 ") == []
    assert split_sentences(" a ") == [Span(1, 2)]


@pytest.mark.parametrize(
    "text", ["." * 400_000, " " * 400_000, "\n \n a" * 60_000, "x" * 400_000, "中" * 200_000]
)
def test_hostile_runs_take_linear_time(text: str) -> None:
    split_sentences(text)
