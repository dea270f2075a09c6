"""Reading Chinese, modern and classical: names by dictionary, surnames and suffixes; frequent terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from lightrag_engine.language.builtin.detect import HAN
from lightrag_engine.language.builtin.mentions import Mention
from lightrag_engine.language.builtin.segment import Word, cut, rarity, tag_of
from lightrag_engine.language.builtin.types import entity_type
from lightrag_engine.language.builtin.wordlist import word_set
from lightrag_engine.settings import Settings

REACH = 40  # characters between two related mentions
_TERMS = 12  # a chunk
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜戚谢邹章苏潘葛范彭鲁韦马苗方俞任袁柳鲍史唐费"
    "薛雷贺倪汤滕殷罗毕郝安常傅卞齐康伍余顾孟黄穆萧尹姚邵汪祁毛狄臧戴宋庞熊纪舒屈项祝董梁杜阮蓝闵"
    "贾路江颜郭梅盛"
    "林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房丁邓洪包诸左石崔吉龚程邢裴陆荣翁荀羊甄封储靳段焦谷"
    "车侯全班秋仲伊宫"
    "宁仇甘厉祖武刘景詹龙叶司黎薄白怀蒲索赖卓蔺屠乔谭劳申冉桑桂牛寿边尚温庄晏柴瞿阎连习艾容向古易"
    "廖终步都耿满匡文寇"
    "广欧聂晁敖辛简饶曾关蒯游权糜麋麦闗厐馬陳劉張趙孫吳鄭馮衛蔣楊許呂嚴魯韋湯羅畢齊顧龐紀項賈顏鍾"
    "駱盧陸榮龔葉黎譚費"
)
_DOUBLE = (
    "诸葛",
    "司马",
    "欧阳",
    "夏侯",
    "上官",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "令狐",
    "宇文",
    "长孙",
    "司徒",
    "東方",
    "东方",
)
_NOT_NAMES = word_set(
    "司马 司徒 司空 侍中 尚书令 尚书 都尉 大将军 将军 益州牧 荆州牧 冀州牧 豫州牧 徐州牧 太守 "
    "刺史 孝廉 豪杰 大王 舍人 府君 王师 车骑 贾人 诸将 广为 莫若 侯臣 魏书 吴书 蜀书 诸侯 诸子 "
    "诸军 诸君 诸公 何人 安得 万人 全军 马匹 白衣 高祖 宋本 金银 文武 文书 方伯 江水 关中 景元 "
    "常侍 任用 和平 时时 汉人 王室 车都尉 郎中令 黄门 宗室 章武 侯爵 石头 温和 高兴 安全 明白 "
    "成都 马上 方法 方面 王国 万里 江山 元首 毛病 谢谢 徐徐 于是 焉知 江东 江南 江北 江左 习凿 "
    "陈说 元年 安宁 高明 高深 全国 全部 关系 关于 白天 文化 文明 文章 金属 马车 石油 康复 平安 "
    "路人 雷电 古人 易经 舒适 章程 程度 广大 华夏 金融 任务 胡说 连接 向来 常常 万物 万一"
)
_ROLE_END = re.compile(
    "(?:将军|太守|刺史|都尉|校尉|中郎|尚书|从事|长史|司马|州牧|县令|侍郎|大夫|先生|女士|主席|"
    "总统|总理|部长|经理|教授|记者)$"
)
_HONOURED = re.compile("[公氏侯王帝后]")
_RULERS = re.compile("(?:先主|后主|.{1,2}帝|.{0,1}太后|.{1}皇后)")
_RULER_WORDS = word_set(
    "先主 后主 先帝 献帝 灵帝 武帝 文帝 明帝 光武帝 汉武帝 太后 秦始皇 成吉思汗 康熙帝 乾隆帝 "
    "慈禧太后 高帝 章帝 安帝 桓帝"
)
_NO_GIVEN = frozenset(
    "之曰也焉矣者乎于以而为与及其所不有无在是的了和到从自使遣将等皆又乃则遂既若如何谓说被把让给对"
    "向并共同各因此故曰来去入出还至上下中外这那每某"
)
_PLACE_END = re.compile(f"[{HAN}]{{1,4}}(?:[州郡县市省镇村乡岛湖江河山海城关港区]|自治区|半岛|共和国|王国)$")
_ORGANIZATION_END = re.compile(
    "(?:公司|集团|大学|学院|学校|中学|银行|委员会|协会|学会|联盟|联合国|研究所|研究院|医院|法院|"
    "法庭|政府|部队|党|局|报社|出版社|基金会|大会|安理会|"
    "博物馆|图书馆|工厂|俱乐部|组织|机构|议会|国会)$"
)
_GENERIC = word_set(
    "郡县 州郡 四海 城市 江山 河山 山海 英雄 中国海 郡国 国家 地区 地方 县城 海关 机关 有关 相关 "
    "无关 公司 集团 大学 学院 学校 政府 组织 机构 部队 大会 公海 云 委员会 协会 银行 医院 法院 "
    "法庭 工厂 国会 议会 中学 联盟 各州 诸郡 邻国 汉 国"
)
_ERAS = (
    "建安|章武|建兴|延熙|景耀|炎兴|中平|初平|兴平|光和|熹平|黄初|太和|青龙|景初|正始|嘉平|甘露|"
    "景元|咸熙|泰始|黄武|黄龙|嘉禾|赤乌|元和|永平|建武|"
    "永和|建宁|延康|太康|元康|贞观|永徽|开元|天宝|元丰|洪武|永乐|嘉靖|万历|崇祯|顺治|康熙|雍正|"
    "乾隆|嘉庆|道光|咸丰|同治|光绪|宣统|民国|公元前?"
)
_DIGITS = "[0-9０-９〇零一二三四五六七八九十百千元正]"
_DATE = re.compile(
    f"(?:{_ERAS})(?:{_DIGITS}{{1,4}}年(?:{_DIGITS}{{1,3}}月)?(?:{_DIGITS}{{1,3}}日)?)"
    f"|[0-9０-９〇零一二三四五六七八九]{{3,4}}年(?:{_DIGITS}{{1,3}}月)?(?:{_DIGITS}{{1,3}}[日号])?"
    f"|[0-9一二三四五六七八九十]{{1,3}}月[0-9一二三四五六七八九十]{{1,3}}[日号]|[0-9]{{1,2}}世纪"
)
_WORK = re.compile(r"[《〈]([^《》〈〉\n]{1,40})[》〉]")
_QUOTED = re.compile(r"[“「『\"]([^“”「」『』\"\n，。,；;！？!?]{2,12})[”」』\"]")
_SOUNDS = (
    "阿埃艾安奥巴拜班保贝本比彼宾波伯博布查茨达大戴丹道德登迪蒂丁杜多顿恩尔法菲费芬弗福盖甘冈戈格"
    "古哈海汉赫亨华怀霍基吉加贾杰金卡凯康"
    "科克肯库夸拉莱赖兰朗劳勒雷里理丽莉利连列林隆卢鲁路伦罗洛马玛迈曼毛梅门蒙米密明莫姆默穆纳娜奈"
    "南内尼宁努诺欧帕潘佩皮平普齐奇钱乔切琼让"
    "热日惠琳蒂娅妮茜露黛凯蕾洛薇瑞若萨塞桑瑟森莎沙山舍圣史什舒斯思苏索塔泰坦特腾提廷图托瓦万旺威韦维温文翁沃乌伍武西希夏"
    "谢辛欣休许雅亚延扬耶叶伊因英尤于约泽扎詹珍芝治兹"
)
_FOREIGN = re.compile(f"[{_SOUNDS}]{{1,8}}(?:[·•・][{_SOUNDS}]{{1,8}}){{1,3}}")
# Beside a name in brackets, the part after the dot may have any characters: the brackets end it.
_GLOSSED = re.compile(f"[{_SOUNDS}]{{1,8}}[·•・][{HAN}·•・]{{2,12}}(?=[（(][A-Z])")
_TRANSLITERATED = re.compile(f"[{_SOUNDS}]{{3,8}}")
_CLASSICAL = re.compile("[之曰也焉矣者乎其遂乃皆]")
_MODERN = re.compile("[的了是们这那在和]")
_STOP_TERMS = word_set(
    "时候 有人 今天 没有 自己 问题 东西 事情 情况 方面 大家 目前 时间 人人 别人 先生 妻子 天下 "
    "不得 二人 十余人 左右 百姓 之后 之前 部分 原因 其他 有权 这一 方式 样子 地方 万人 数千人 "
    "今日 明日 当时 正月"
)
_NOUNS = frozenset({"n", "nz", "vn", "ns", "nt", "nr", "nrt", "l", "i", "an", "j"})


def is_classical(text: str) -> bool:
    """Whether a text is in classical Chinese, by its function words."""
    return len(_CLASSICAL.findall(text)) > len(_MODERN.findall(text))


def mentions(text: str, settings: Settings) -> list[Mention]:
    """Find names and terms of the Chinese parts of a text.

    Returns
    -------
    list of Mention
        Persons (dictionary, or surname and given name), places, organizations, works in 《》, dates and the
        chunk's most telling terms; mentions may overlap. In classical text a given name alone counts as
        the person who is named in full nearby.
    """
    classical = is_classical(text)
    words = cut(text, guess=not classical)
    found = [*_by_pattern(text, settings), *_names(words, settings)]
    parts = list(_foreign_parts(text, found))
    covered = {(part.start, part.end) for part in parts}
    found = [mention for mention in found if (mention.start, mention.end) not in covered] + parts
    if classical:
        found += _surname_and_character(text, words, settings)
        found += _given_names(words, found)
    taken = {m.name for m in found}
    return found + _terms([w for w in words if w.text not in taken], settings)


def themes(found: Sequence[Mention]) -> list[str]:
    """Return the terms of a chunk, the most frequent first."""
    counts = Counter(mention.name for mention in found if not mention.is_name)
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))][:6]


def nested(found: Sequence[Mention]) -> list[tuple[str, str]]:
    """Return the names that begin a longer one, with that: 北京 of 北京大学, 益州 of 益州郡."""
    named = sorted({m.name for m in found if m.is_name and len(m.name) > 1 and _is_han(m.name)})
    longer = [n for n in named if _ORGANIZATION_END.search(n) or _PLACE_END.fullmatch(n)]
    return [
        (inner, outer) for outer in longer for inner in named if outer.startswith(inner) and inner != outer
    ]


def content_words(text: str) -> list[str]:
    """Return the words of at least two characters that carry meaning, in order, each once."""
    words = cut(text, guess=not is_classical(text))
    kept = (w.text for w in words if is_content(w))
    return list(dict.fromkeys(kept))


def is_term(word: Word) -> bool:
    """Whether a word names a thing or a theme."""
    return is_content(word) and word.tag in _NOUNS


def is_content(word: Word) -> bool:
    """Whether a word carries meaning: a noun, verb, adjective or unknown word, not a common filler."""
    keeps = word.tag in _NOUNS or word.tag in {"v", "a", ""}
    return keeps and len(word.text) > 1 and _is_han(word.text) and word.text not in _STOP_TERMS


def _is_han(text: str) -> bool:
    return re.fullmatch(f"[{HAN}·]+", text) is not None


def _by_pattern(text: str, settings: Settings) -> Iterator[Mention]:
    patterns = (
        (_DATE, 0, "DATE", "date"),
        (_WORK, 1, "WORK_OF_ART", "work"),
        (_GLOSSED, 0, "nr", "foreign name"),
        (_FOREIGN, 0, "nr", "foreign name"),
    )
    for pattern, group, label, rule in patterns:
        for match in pattern.finditer(text):
            yield Mention(match[group], entity_type(label, settings), *match.span(group), rule)
    for match in _QUOTED.finditer(text):
        if re.search(f"[{HAN}]", match[1]):
            yield Mention(match[1], entity_type("CONCEPT", settings), *match.span(1), "quoted", is_name=False)


def _foreign_parts(text: str, found: Sequence[Mention]) -> Iterator[Mention]:
    """Yield where a foreigner is called by one part of a name that the text also has in full.

    The dictionary would cut such a part in two, for its characters only give sounds.
    """
    full: dict[str, Mention | None] = {}
    for mention in found:
        if mention.rule == "foreign name":
            for part in re.split("[·•・]", mention.name):
                known = full.setdefault(part, mention)
                if known is not None and known.name != mention.name:
                    full[part] = None
    for part, person in full.items():
        if person is not None and len(part) > 1:
            for match in re.finditer(re.escape(part), text):
                yield Mention(person.name, person.type, *match.span(), "foreign name part")


def _names(words: Sequence[Word], settings: Settings) -> Iterator[Mention]:
    counts = Counter(word.text for word in words)
    for at, word in enumerate(words):
        label = _label(word)
        # What the dictionary lacks and no surname or suffix supports must at least come back.
        if label and (word.tag or label != "nz" or counts[word.text] > 1):
            yield Mention(word.text, entity_type(label, settings), word.start, word.end, "name")
        joined = _organization(words, at)
        if joined:
            yield Mention(
                joined, entity_type("nt", settings), word.end - len(joined), word.end, "organization"
            )


def _label(word: Word) -> str:
    """Return the tagger's label of a name, "" for any other word."""
    name, tag = word.text, word.tag
    if name in _RULER_WORDS:
        return "nr"
    if len(name) < 2 or not _is_han(name) or name in _NOT_NAMES or name in _GENERIC or _ROLE_END.search(name):
        return ""
    if tag in {"nr", "nrfg"}:
        # Transliterated names are long; the rest must begin like a name, for the dictionary is generous.
        return "nr" if _begins_like_name(name) or _TRANSLITERATED.fullmatch(name) else ""
    if tag == "nrt":
        return "nr" if len(name) > 2 and rarity(name) > 12 and not name.endswith("人") else ""
    if tag in {"ns", "nt"}:
        return tag if rarity(name) < 16 or _PLACE_END.fullmatch(name) else ""
    if tag == "nz":
        return "nz" if rarity(name) > 12 else ""
    if not tag and _PLACE_END.fullmatch(name) and len(name) > 2:
        return "ns"
    if not tag and 2 <= len(name) <= 3 and _begins_like_name(name) and not set(name[1:]) & _NO_GIVEN:
        return "nr"
    return "" if tag or len(name) > 6 or set(name) & _NO_GIVEN else "nz"


def _begins_like_name(name: str) -> bool:
    return 2 <= len(name) <= 4 and (name[0] in _SURNAMES or name.startswith(_DOUBLE))


def _organization(words: Sequence[Word], at: int) -> str:
    """Return the name that ends with the organization word at this place ("北京" "大学"), or ""."""
    if not _ORGANIZATION_END.search(words[at].text):
        return ""
    first = at
    while first and at - first < 4 and words[first - 1].tag in {"ns", "nz", "nt", "n", "nr", "vn", "j", ""}:
        if not _is_han(words[first - 1].text) or words[first - 1].end != words[first].start:
            break
        first -= 1
    name = "".join(word.text for word in words[first : at + 1])
    return name if first < at and any(w.tag in {"ns", "nz", "nr", "nt", ""} for w in words[first:at]) else ""


def _surname_and_character(text: str, words: Sequence[Word], settings: Settings) -> Iterator[Mention]:
    """Yield names that the dictionary lacks: a surname and a character, met more than once in the chunk."""
    person = entity_type("nr", settings)
    pairs = [
        (a.text + b.text, a.start, b.end)
        for a, b in pairwise(words)
        if (a.text in _SURNAMES or a.text in _DOUBLE)
        and len(b.text) == 1
        and _is_han(b.text)
        and (b.text not in _NO_GIVEN)
        and a.end == b.start
        and tag_of(a.text + b.text) in {"", "nr", "nrfg"}
        and a.text + b.text not in _NOT_NAMES
    ]
    counts = Counter(name for name, _, _ in pairs)
    for name, start, end in pairs:
        after = text[end : end + 1]
        if counts[name] > 1 or _HONOURED.fullmatch(name[-1]) or after == "字":
            yield Mention(name, person, start, end, "surname")


def _given_names(words: Sequence[Word], found: Iterable[Mention]) -> Iterator[Mention]:
    """Given names alone, as classical text uses them: 亮 after 诸葛亮, unless two persons share it."""
    full: dict[str, Mention | None] = {}
    for mention in found:
        surname = next((d for d in _DOUBLE if mention.name.startswith(d)), mention.name[:1])
        given = mention.name[len(surname) :]
        is_person = mention.rule in {"name", "surname"} and _begins_like_name(mention.name)
        if is_person and len(given) == 1 and not _HONOURED.fullmatch(given):
            known = full.setdefault(given, mention)
            if known is not None and known.name != mention.name:
                full[given] = None
    for word in words:
        person = full.get(word.text)
        if person is not None:
            yield Mention(person.name, person.type, word.start, word.end, "given name")


def _terms(words: Sequence[Word], settings: Settings) -> list[Mention]:
    """The chunk's most telling nouns: frequent here, rare in general."""
    concept = entity_type("n", settings)
    nouns = [w for w in words if is_term(w) and w.tag not in {"nr", "ns", "nt"} and w.text not in _NOT_NAMES]
    counts = Counter(word.text for word in nouns)
    scores = {name: count * rarity(name) for name, count in counts.items() if count > 1}
    best = sorted(scores, key=lambda name: (-scores[name], name))[:_TERMS]
    return [Mention(w.text, concept, w.start, w.end, "term", is_name=False) for w in nouns if w.text in best]
