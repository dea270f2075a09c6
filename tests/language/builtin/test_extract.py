import logging
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.question_sets import SAMPLES
from lightrag_engine.language.builtin.extract import extract
from lightrag_engine.names import fold_name
from lightrag_engine.records import Chunk, Extraction
from lightrag_engine.settings import Settings

DATA = Path(__file__).parents[2] / "data" / "builtin"
SETTINGS = Settings()


def read(text: str, title: str = "") -> Extraction:
    return extract(Chunk("chunk-1", text, 0, 0, "doc-1", 0, len(text)), title, SETTINGS)


def types(text: str) -> dict[str, str]:
    return {entity.entity_name: entity.entity_type for entity in read(text).entities}


def pairs(text: str) -> set[frozenset[str]]:
    return {frozenset((relation.src_id, relation.tgt_id)) for relation in read(text).relations}


def assert_well_formed(extraction: Extraction) -> None:
    names = [entity.entity_name for entity in extraction.entities]
    keys = [fold_name(name) for name in names]
    assert len(keys) == len(set(keys))
    assert all(keys)
    for name in names:
        assert len(name) <= 300
        assert name == name.strip()
        assert "\n" not in name
        assert not any(ord(char) < 32 for char in name)
    for relation in extraction.relations:
        assert relation.src_id in names
        assert relation.tgt_id in names
        assert fold_name(relation.src_id) != fold_name(relation.tgt_id)
        assert relation.weight > 0
        assert relation.rule
        assert relation.description


HOSTILE = st.text(
    alphabet="刘备曹操诸葛亮在年月《》【】“”·，。abcABC éДдトヨタ株ก์नि؟\u0000\u200b\u202e\n\t1912.-",
    max_size=120,
)


@settings(max_examples=150, deadline=None)
@given(HOSTILE | st.text(max_size=120))
def test_any_text_gives_well_formed_records_twice_the_same(text: str) -> None:
    first = read(text)
    assert_well_formed(first)
    assert read(text) == first


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.glob("*.txt") if path.stem != "eng"))
def test_texts_of_many_languages(name: str) -> None:
    text = (DATA / f"{name}.txt").read_text(encoding="utf-8")[:3000]
    extraction = read(text, name)
    assert_well_formed(extraction)
    assert len(extraction.entities) >= 8
    assert len(extraction.relations) >= 5
    assert len(extraction.relations) <= 12 * len(extraction.entities)


def test_modern_chinese_names_have_types() -> None:
    found = types(
        "2019年3月5日，王小明在北京大学与谷歌公司签署了协议。《三体》是刘慈欣的小说。埃隆·马斯克访问上海。"
    )
    assert found["王小明"] == found["刘慈欣"] == found["埃隆·马斯克"] == "person"
    assert found["北京大学"] == found["谷歌公司"] == "organization"
    assert found["上海"] == "location"
    assert found["2019年3月5日"] == "date"
    assert found["三体"] == "work"


def test_neighbours_in_a_sentence_are_related_with_the_sentence_as_evidence() -> None:
    text = "王小明访问了上海。刘慈欣写小说。"
    [relation] = read(text).relations
    assert (relation.src_id, relation.tgt_id, relation.weight) == ("王小明", "上海", 1.0)
    assert relation.description == "王小明访问了上海。"
    assert relation.keywords == ("访问",)


def test_classical_given_names_count_for_the_person_named_in_full() -> None:
    text = "诸葛亮字孔明琅邪人也先主诣亮凡三往乃见亮遂与之诣成都亮曰益州险塞"
    assert frozenset(("先主", "诸葛亮")) in pairs(text)
    assert "亮" not in types(text)


def test_a_chinese_name_inside_a_longer_one_is_related_with_it() -> None:
    found = read("张伟毕业于北京大学。李娜住在北京。")
    relation = next(r for r in found.relations if {r.src_id, r.tgt_id} == {"北京", "北京大学"})
    assert (relation.rule, relation.description) == ("name_in_name", "张伟毕业于北京大学。")


def test_relations_of_modern_and_classical_chinese_are_those_of_the_text() -> None:
    declaration = (SAMPLES / "udhr" / "cmn_hans.txt").read_text(encoding="utf-8")[:1500]
    modern = {frozenset((r.src_id, r.tgt_id)): r.keywords for r in read(declaration).relations}
    assert "颁布" in modern[frozenset(("联合国大会", "世界人权宣言"))]
    classical = read("诸葛亮谓刘备曰：曹操已拥百万之众。孙权据有江东。刘备遣诸葛亮使孙权。").relations
    pairs = {frozenset((r.src_id, r.tgt_id)): r.weight for r in classical}
    assert pairs[frozenset(("诸葛亮", "刘备"))] == 2.0
    assert frozenset(("诸葛亮", "孙权")) in pairs


def test_the_main_figures_of_a_classical_text_are_best_connected() -> None:
    text = (DATA / "zh_sanguozhi_shu.txt").read_text(encoding="utf-8")
    neighbours: dict[str, set[str]] = defaultdict(set)
    for at in range(0, len(text), 1400):
        for relation in read(text[at : at + 1500]).relations:
            neighbours[relation.src_id].add(relation.tgt_id)
            neighbours[relation.tgt_id].add(relation.src_id)
    best = sorted(neighbours, key=lambda name: (-len(neighbours[name]), name))[:12]
    assert {"先主", "曹公", "诸葛亮", "刘备"} <= set(best)


def test_a_long_list_does_not_relate_everything_with_everything() -> None:
    names = "、".join(["上海", "北京", "广州", "深圳", "成都", "重庆", "武汉", "南京", "杭州", "西安"])
    assert len(read(f"他去过{names}。").relations) <= 12


def test_an_english_chunk_keeps_its_chinese_names() -> None:
    text = "Alice Walker met 诸葛亮 in Berlin in 1990. The historian wrote about the meeting for years."
    names = set(types(text))
    assert "诸葛亮" in names
    assert {"Alice Walker", "Berlin"} <= names
    assert any("诸葛亮" in pair for pair in pairs(text))
    assert_well_formed(read(text))


def test_a_chinese_chunk_keeps_its_latin_names() -> None:
    found = types("王小明在上海会见了Mara Quill，并参观了OpenAI公司，他们讨论了很多问题。")
    assert {"王小明", "上海", "Mara Quill"} <= set(found)
    assert frozenset(("上海", "Mara Quill")) in pairs("王小明在上海会见了Mara Quill，他们讨论了很多问题。")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Marie Curie est née à Varsovie en 1867. Elle aimait Paris.", {"Marie Curie", "Varsovie", "1867"}),
        ("Анна Петрова родилась в городе Самара в 1901 году.", {"Анна Петрова", "Самара"}),
        (
            "東京都のトヨタ自動車は1937年に豊田喜一郎氏によって設立された。",
            {"東京都", "トヨタ自動車", "豊田喜一郎"},
        ),
        ("서울은 대한민국의 수도이다. 서울에서 삼성전자를 설립했다. 삼성전자는 크다.", {"서울", "삼성전자"}),
        (
            "Angela Merkel wurde 1954 in Hamburg geboren. Merkel studierte in Leipzig.",
            {"Angela Merkel", "Leipzig"},
        ),
    ],
)
def test_names_of_other_languages(text: str, names: set[str]) -> None:
    assert names <= set(types(text))


def test_a_last_name_alone_is_the_person_named_in_full() -> None:
    assert "Merkel" not in types("Angela Merkel wurde 1954 in Hamburg geboren. Merkel studierte in Leipzig.")


def test_german_nouns_are_no_names() -> None:
    text = (DATA / "deu.txt").read_text(encoding="utf-8")[:4000]
    by_rule = {entity.entity_name: entity.rule for entity in read(text).entities}
    assert by_rule["Menschenrechte"] == "noun"
    assert by_rule["Vereinten Nationen"] == "capitals"
    assert "Empörung" not in by_rule


def test_repeated_terms_stand_in_for_names_where_script_has_no_case() -> None:
    names = set(types((DATA / "arb.txt").read_text(encoding="utf-8")[:4000]))
    assert {"حقوق الإنسان", "الأمم المتحدة"} <= names


def test_entity_types_follow_the_settings() -> None:
    chunk = Chunk("c", "王小明访问了上海。", 0, 0, "d")
    found = extract(chunk, "", Settings(entity_types=("Place",)))
    assert {e.entity_name: e.entity_type for e in found.entities} == {"王小明": "unknown", "上海": "Place"}


def test_jieba_is_loaded_silently_and_writes_nothing(tmp_path: Path) -> None:
    code = (
        "import warnings, logging\n"
        "from lightrag_engine.language.builtin.segment import cut\n"
        "before = list(warnings.filters)\n"
        "assert [w.text for w in cut('诸葛亮在成都')] == ['诸葛亮', '在', '成都']\n"
        "assert warnings.filters == before\n"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    environment = {"PYTHONPATH": str(Path(__file__).parents[3]), "TMPDIR": str(tmp_path), "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
    assert logging.getLogger("jieba").level in {logging.NOTSET, logging.DEBUG}


def test_a_name_in_brackets_is_the_same_in_another_script() -> None:
    text = "林远舟（Lin Yuanzhou）创立了港务局。林远舟在南京（Nanjing）工作。"
    found = read(text)
    [relation] = [r for r in found.relations if {r.src_id, r.tgt_id} == {"林远舟", "Lin Yuanzhou"}]
    assert (relation.rule, relation.keywords, relation.weight) == ("alias", ("又名",), 1.0)
    assert types(text)["Nanjing"] == "location"


def test_a_foreigner_called_by_one_part_of_the_name_is_not_cut_in_two() -> None:
    text = "船长玛格丽特·布兰多弗（Margaret Brandover）来到港口。布兰多弗买了一条船。人们记得布兰多弗的船。"
    names = {entity.entity_name for entity in read(text).entities}
    assert "玛格丽特·布兰多弗" in names
    assert not {name for name in names if name in "布兰多弗"}
