"""Whatever happens to one place of a reply, the records elsewhere are read as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lightrag_engine.language.parsing import parse_records
from lightrag_engine.language.parsing.fields import read_name, read_text
from lightrag_engine.names import fold_name
from lightrag_engine.records import EntityRecord, RelationRecord

LETTERS = "abcdeXYZ äß漢字 12.,;:-&'()"
END = "<|COMPLETE|>"


def is_name(text: str) -> bool:
    return (
        read_name(text) == text and not text.startswith("'") and text[-1] not in "'" and fold_name(text) != ""
    )


def is_text(text: str) -> bool:
    return read_text(text) == text and not text.startswith("'") and not text.endswith("'")


names = st.text(LETTERS, min_size=1, max_size=12).filter(
    lambda text: is_name(text) and any(c.isalpha() for c in text)
)
texts = st.text(LETTERS + '"', min_size=1, max_size=40).filter(
    lambda text: is_text(text) and any(c.isalpha() for c in text)
)
entities = st.builds(EntityRecord, names, st.sampled_from(["person", "geo"]), texts, st.just(""))
relations = st.builds(
    RelationRecord,
    names,
    names,
    texts,
    st.just(("work", "home")),
    st.integers(1, 10).map(float),
    st.just(""),
).filter(lambda r: fold_name(r.src_id) != fold_name(r.tgt_id))
Record = EntityRecord | RelationRecord
replies = st.lists(entities | relations, min_size=2, max_size=6, unique=True)


def written(record: Record) -> str:
    if isinstance(record, EntityRecord):
        return f'("entity"<|>"{record.entity_name}"<|>"{record.entity_type}"<|>"{record.entity_description}")'
    return (
        f'("relationship"<|>"{record.src_id}"<|>"{record.tgt_id}"<|>"{record.description}"'
        f'<|>"{", ".join(record.keywords)}"<|>{record.weight:g})'
    )


def read(text: str) -> set[Record]:
    parsed = parse_records(text)
    return {*parsed.entities, *parsed.relations}


@settings(max_examples=40)
@given(replies)
def test_a_well_formed_reply_is_read_as_written(records: list[Record]) -> None:
    parsed = parse_records("##\n".join(map(written, records)) + END)
    assert [*parsed.entities, *parsed.relations] == sorted(
        records, key=lambda r: isinstance(r, RelationRecord)
    )
    assert parsed.complete
    assert parsed.repairs == {}


DAMAGES: dict[str, Callable[[str], str]] = {
    "no opening bracket": lambda text: text.removeprefix("("),
    "no closing bracket": lambda text: text.removesuffix(")"),
    "no brackets": lambda text: text[1:-1],
    "damaged delimiter": lambda text: text.replace("<|>", "|>", 1),
    "other delimiter": lambda text: text.replace("<|>", "{tuple_delimiter}"),
    "wrong case": lambda text: text.replace("entity", "ENTITY").replace("relationship", "Relation"),
    "last field missing": lambda text: text[: text.rindex("<|>")] + ")",
    "name only": lambda text: "<|>".join(text.split("<|>")[:2]) + ")",
    "surplus field": lambda text: text[:-1] + '<|>"more")',
    "no kind": lambda text: "(" + text.split("<|>", 1)[1],
    "numbered": lambda text: "1. " + text,
    "bullet": lambda text: "- **" + text + "**",
    "chatter": lambda text: "Next one:\n" + text + "\nThat was it.\n",
    "heading": lambda text: "\n\n### Relationships\n\n" + text,
    "unquoted": lambda text: text.replace('"', ""),
    "self-loop": lambda text: text + '##("relationship"<|>"A b"<|>"a B"<|>"x"<|>"k"<|>3)',
}


@settings(max_examples=40)
@given(replies, st.data(), st.sampled_from(sorted(DAMAGES)), st.sampled_from(["##\n", "##", "\n", "\n##\n"]))
def test_damage_to_one_record_leaves_the_others(
    records: list[Record], data: st.DataObject, damage: str, separator: str
) -> None:
    at = data.draw(st.integers(0, len(records) - 1))
    texts = [written(record) for record in records]
    texts[at] = DAMAGES[damage](texts[at])
    found = read(separator.join(texts) + END)
    untouched = {record for number, record in enumerate(records) if number != at}
    assert untouched <= found


@settings(max_examples=40)
@given(replies, st.data())
def test_a_cut_keeps_what_stands_before_it(records: list[Record], data: st.DataObject) -> None:
    text = "##\n".join(map(written, records))
    cut = data.draw(st.integers(0, len(text) - 1))
    whole = {record for record in records if written(record) in text[:cut]}
    parsed = parse_records(text[:cut])
    found = {*parsed.entities, *parsed.relations}
    assert whole <= found
    # What the cut went through is read only when nothing but its closing bracket is missing.
    assert len(found - whole) <= 1
    assert not parsed.complete


@given(
    replies,
    st.sampled_from(["<|complete|>", "", "\n<|COMPLETE|>\nAnything else?", "\n```", "##<|COMPLETE|>"]),
)
def test_any_end_will_do(records: list[Record], end: str) -> None:
    assert read("##\n".join(map(written, records)) + end) == set(records)


@settings(max_examples=40)
@given(replies, st.text(LETTERS + "\n#*", max_size=30))
def test_chatter_in_front_is_no_record(records: list[Record], chatter: str) -> None:
    assume(not chatter.rstrip().endswith(tuple("\"'")))
    assert read(f"{chatter}\n```\n" + "##\n".join(map(written, records)) + END + "\n```") == set(records)


@given(st.text(alphabet='()<|>#"entiyrlaosh{}_dmCOMPLET \n1', max_size=300))
def test_nothing_raises(text: str) -> None:
    parse_records(text)
