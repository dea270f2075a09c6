"""Which of two formats a model gets right."""

from __future__ import annotations

import pytest

from lightrag_engine.language.health import HealthReport
from lightrag_engine.language.trial import ModelTest, compare
from lightrag_engine.records import EntityRecord


def reading(entities: int, **health: int) -> ModelTest:
    found = tuple(EntityRecord(f"Name {n}", "person", "It is.", "chunk-1") for n in range(entities))
    usual = {"prompt_tokens": 1000, "reply_tokens": 500}
    return ModelTest("model", "a sample text", 100, found, (), 1.0, HealthReport(**(usual | health)), ())


@pytest.mark.parametrize(
    ("as_json", "as_records", "better", "why"),
    [
        (reading(0, failed=1), reading(0, failed=1), "", "larger model"),
        (reading(0), reading(0), "", "neither"),
        (reading(0, failed=1), reading(3), "records", "gave nothing"),
        (reading(9), reading(20), "records", "20 records of it can be used, of the other one 9"),
        (reading(20, ungrounded=12), reading(12), "records", "12 records of it"),
        (reading(20, ungrounded=1), reading(20), "json", "as many tokens"),
        (reading(20, dropped=4), reading(20), "records", "0 of its records were lost, of the other one 4"),
        (reading(20), reading(20, truncated=1), "json", "were lost"),
        (reading(20), reading(20, reply_tokens=300), "records", "1,300 tokens instead of 1,500"),
        (reading(20), reading(20, reply_tokens=450, repaired=9), "json", "can hold a model"),
    ],
)
def test_it_is_the_one_that_brings_more_or_loses_less_or_costs_less(
    as_json: ModelTest, as_records: ModelTest, better: str, why: str
) -> None:
    compared = compare(as_json, as_records)
    assert compared.better == better
    assert why in compared.verdict
    assert (compared.json, compared.records) == (as_json, as_records)
