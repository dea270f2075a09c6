"""Recorded replies of a large model, with the faults they came with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lightrag_engine.language.parsing import Repair, parse_records

DATA = Path(__file__).parents[2] / "data" / "language" / "extraction_replies.jsonl"
REPLIES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def test_there_are_as_many_as_were_recorded() -> None:
    assert len(REPLIES) == 49


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply["id"])
def test_a_recorded_reply_is_read_as_a_person_reads_it(reply: dict[str, Any]) -> None:
    parsed = parse_records(reply["output"], "chunk-1")
    assert [
        {"name": e.entity_name, "type": e.entity_type, "description": e.entity_description}
        for e in parsed.entities
    ] == reply["entities"]
    assert [
        {"source": r.src_id, "target": r.tgt_id, "description": r.description, "weight": r.weight}
        for r in parsed.relations
    ] == reply["relations"]
    assert parsed.complete == reply["complete"]
    assert not parsed.truncated
    assert parsed.dropped == 0
    damaged = "corrupted_tuple_delimiter" in reply["anomalies"]
    assert (Repair.DELIMITER in parsed.repairs) == damaged
    assert {record.source_id for record in (*parsed.entities, *parsed.relations)} == {"chunk-1"}
