"""What the extraction benchmark counts, and the sample that comes with it."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.redocred import (
    SAMPLE,
    Prediction,
    find_paragraphs,
    fold,
    is_held_back,
    score_entities,
    score_pairs,
)

ROW: dict[str, Any] = {
    "id": "one",
    "title": "Oslo",
    "text": "",
    "entities": [
        {"i": 0, "name": "Oslo", "aliases": ["Kristiania"], "type": "LOC"},
        {"i": 1, "name": "the Norway", "aliases": [], "type": "LOC"},
        {"i": 2, "name": "Ann", "aliases": ["Ann Berg"], "type": "PER"},
    ],
    "relations": [{"h": 0, "t": 1}, {"h": 1, "t": 0}, {"h": 2, "t": 1}],
}


def test_aliases_count_only_where_they_are_asked_for() -> None:
    found = [Prediction({"kristiania": "location", "norway": "location", "berlin": "location"})]
    aware, strict = score_entities([ROW], found), score_entities([ROW], found, aliases=False)
    assert (aware.total.precision, aware.total.recall) == (2 / 3, 2 / 3)
    assert (strict.total.precision, strict.total.recall) == (1 / 3, 1 / 3)
    assert aware.by_gold["LOC"].recall == 1.0
    assert aware.by_gold["PER"].recall == 0.0
    assert aware.by_predicted["location"].precision == 2 / 3


def test_two_names_of_one_entity_are_both_right_and_found_once() -> None:
    total = score_entities([ROW], [Prediction({"oslo": "location", "kristiania": "location"})]).total
    assert (total.right, total.predicted, total.found, total.gold) == (2, 2, 1, 3)


def test_pairs_are_undirected_counted_once_and_wrong_when_an_end_is_unknown() -> None:
    pairs = {
        ("norway", "oslo"): "copula",
        ("kristiania", "norway"): "region",
        ("ann", "berlin"): "post",
        ("ann", "oslo"): "post",
    }
    score = score_pairs([ROW], [Prediction({}, pairs)])
    assert (score.total.right, score.total.predicted, score.total.gold) == (1, 3, 2)
    assert score.total.f1 == pytest.approx(0.4)
    assert score.by_rule["copula"].precision == 1.0
    assert score.by_rule["post"].precision == 0.0
    assert score.by_types["LOC–LOC"].f1 == 1.0
    assert score.by_types["LOC–PER"].recall == 0.0


def test_nothing_found_scores_nothing() -> None:
    score = score_pairs([ROW], [Prediction({})])
    assert (score.total.precision, score.total.recall, score.total.f1) == (0.0, 0.0, 0.0)


def test_names_are_compared_without_article_case_and_marks() -> None:
    assert fold("The U.S. Army ") == fold("us army")


def test_the_sample_is_whole_and_has_both_parts() -> None:
    rows = find_paragraphs(SAMPLE)
    held = [row for row in rows if is_held_back(row)]
    assert 10 <= len(rows) <= 15
    assert 0 < len(held) < len(rows) / 2
    for row in rows:
        numbers = {entity["i"] for entity in row["entities"]}
        assert all({relation["h"], relation["t"]} <= numbers for relation in row["relations"])


def test_a_folder_without_paragraphs_is_refused_with_what_is_needed() -> None:
    with pytest.raises(SystemExit, match=r"Re-DocRED"):
        find_paragraphs(SAMPLE.parent / "udhr")
