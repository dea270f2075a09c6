"""The health of many chunks in words."""

from __future__ import annotations

import json
from dataclasses import asdict

from lightrag_engine.language.health import summarise_health
from lightrag_engine.records import ExtractionHealth

GOOD = ExtractionHealth(entities=9, relations=6, calls=1, prompt_tokens=1800, reply_tokens=700, seconds=2.0)


def test_good_chunks_need_no_advice() -> None:
    report = summarise_health([GOOD] * 4)
    assert report.is_good
    assert (report.chunks, report.entities, report.calls, report.seconds) == (4, 36, 4, 8.0)
    assert json.loads(json.dumps(asdict(report)))["prompt_tokens"] == 7200
    assert summarise_health([]).is_good


def test_nothing_at_all() -> None:
    report = summarise_health([ExtractionHealth(failed=True)] * 3)
    assert report.verdicts[0].startswith("Indexed without a graph")
    assert "larger model" in report.verdicts[0]
    assert len(report.verdicts) == 1


def test_mostly_empty() -> None:
    (verdict,) = summarise_health([GOOD, ExtractionHealth(), ExtractionHealth()]).verdicts
    assert "2 of 3 chunks" in verdict
    assert "server_context_tokens" in verdict


def test_some_failures_cuts_and_losses() -> None:
    bad = ExtractionHealth(entities=4, truncated=True, dropped=9, ungrounded=3, repairs=(("cut off", 9),))
    report = summarise_health([bad, bad, GOOD, ExtractionHealth(failed=True)])
    assert any("cut off for 2 of 4" in verdict for verdict in report.verdicts)
    assert any("18 of 41 records" in verdict for verdict in report.verdicts)
    assert any("6 of 17 entities" in verdict for verdict in report.verdicts)
    assert report.repairs == (("cut off", 18),)
