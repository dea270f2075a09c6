"""Variants and their codes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightrag_engine import MODES, QueryError
from lightrag_engine.evaluation.variants import Variant, check_number, parse_variant, variants_of

names = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), max_size=20)


@given(st.sampled_from(MODES), st.integers(0, 500), names.filter(lambda n: ":model=" not in n))
def test_a_code_leads_back_to_its_variant(mode: str, top_k: int, model: str) -> None:
    variant = Variant(mode, top_k, model)
    assert parse_variant(str(variant)) == variant


def test_a_model_name_may_hold_colons() -> None:
    variant = parse_variant("Mix:top_k=10:model=ollama:qwen3:4b")
    assert variant == Variant("mix", 10, "ollama:qwen3:4b")
    assert variant.label == "Mix · top 10 · qwen3:4b"


@pytest.mark.parametrize("code", ["", "best", "mix:top_k=", "mix:top_k=x", "mix:top_k=-1", "mix:k=3"])
def test_what_is_no_variant_is_said(code: str) -> None:
    with pytest.raises(QueryError) as raised:
        parse_variant(code)
    assert "naive" in raised.value.hint


def test_each_variant_counts_once_and_two_to_five_are_compared() -> None:
    assert variants_of(["mix", Variant("mix"), "local"]) == (Variant("mix"), Variant("local"))
    check_number(variants_of(MODES))
    for wrong in (["mix"], [*MODES, "mix:top_k=3"]):
        with pytest.raises(QueryError, match="Two to five"):
            check_number(variants_of(wrong))
