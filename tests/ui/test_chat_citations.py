"""The names of citations."""

from lightrag_engine.records import Citation
from ui.chat.citations import citation_labels


def citation(number, document, page="", content=""):
    return Citation(number, f"chunk-{number}", "doc-1", document, page, content)


def test_citations_of_one_place_are_told_apart_by_their_first_words():
    labels = citation_labels(
        (
            citation(1, "ferry.txt", content="Mara Quill founded\nthe Brindle Valley Ferry."),
            citation(2, "ferry.txt", content="Tobias Renn built the steamer."),
            citation(3, "annual.pdf", "12", "Ilse Vogt inspected it."),
            citation(4, "annual.pdf", "13", "Ilse Vogt left."),
        )
    )
    assert labels == {
        1: "ferry.txt: Mara Quill founded the Brin…",
        2: "ferry.txt: Tobias Renn built the steam…",
        3: "annual.pdf, p. 12",
        4: "annual.pdf, p. 13",
    }


def test_long_names_are_cut_but_keep_their_page():
    (label,) = citation_labels((citation(1, "a" * 90 + ".pdf", "7"),)).values()
    assert label.endswith("…, p. 7")
    assert len(label) <= 55
