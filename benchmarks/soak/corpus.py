"""A made corpus for the soak: documents of five passages, each with what a model would read from it.

Needs nothing but the standard library, for the reference implementation reads the same corpus in a virtual
environment of its own. Names follow Zipf's law, so that there are hubs: with 3,000 chunks the first name has
about 2,300 records and half of the names have one.
"""

from __future__ import annotations

import random
import re
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

CHUNKS_PER_DOCUMENT = 5
ENTITIES, RELATIONS = 12, 10  # of a chunk
CHUNK_TOKENS = 1200
_NAMES = 40_000
_WORDS_OF_A_CHUNK = 946  # 1,050 to 1,200 tokens: one passage is one chunk
_TYPES = ("person", "organization", "location", "event", "concept", "technology", "product")
_MARKER = re.compile(r"Passage (\d+) of the corpus")
_SYLLABLES = "bar cor dan el fen gal hol in jor kel lum mar nor ost pel quin ral sol tan ul ven wil yar zan"
_TEXT = """
above account across after again agree along among answer appear around arrive autumn balance because become
before begin behind believe between beyond bridge bring build business call careful carry centre certain
change city clear close collect common company complete condition consider control corner country course cover
create current decide deliver depend describe detail develop different direct discover distance doubt early
effect either engine enough entire equal evening event every evidence example expect experience explain factor
family field figure final follow foreign forest former forward friend future general ground group growth
harbour history hundred important improve include increase industry instead interest island journey knowledge
labour language large later leader letter level library limit little local machine manage market material
matter measure member method minister modern moment morning mountain movement nature nearly network never
notice number object office often opinion order origin outside paper particular passage pattern people perhaps
period person picture place point policy position possible power practice prepare present pressure private
problem process produce product project protect provide public purpose quality question quiet railway rather
reach reason receive record region regular remain report research result return river school science season
second section service several shape simple single small society source special standard station still story
street strong structure subject summer support surface system teacher theory thing thought together toward
trade travel under unless until useful valley value various village visit voice water weather whole window
winter within without wonder worker world writer
"""
_WORDS = _TEXT.split()
_KEYWORDS = [f"{a} {b}" for a in _WORDS[3:120:9] for b in _WORDS[130:200:12]]


@dataclass(frozen=True, slots=True)
class Passage:
    """What a perfect reader says of one passage.

    `entities` are (name, type, description), `relations` (source, target, description, keywords, weight).
    """

    number: int
    text: str
    entities: tuple[tuple[str, str, str], ...]
    relations: tuple[tuple[str, str, str, tuple[str, ...], float], ...]


def passage(number: int) -> Passage:
    """Return a passage; the same number gives the same passage, always."""
    chance = random.Random(number)
    names: dict[str, None] = {}
    while len(names) < ENTITIES:
        names[_name(_rank(chance))] = None
    listed = list(names)
    entities = []
    for name in listed:
        fixed = random.Random(name).choice(_TYPES)
        spelling = name.upper() if chance.random() < 0.05 else name
        type_ = chance.choice(_TYPES) if chance.random() < 0.1 else fixed
        entities.append((spelling, type_, _sentence(chance, 20, [name])))
    pairs: dict[tuple[str, str], None] = {}
    while len(pairs) < RELATIONS:
        source, target = chance.sample(listed, 2)
        if (target, source) not in pairs:
            pairs[source, target] = None
    relations = [
        (a, b, _sentence(chance, 20, [a, b]), tuple(chance.sample(_KEYWORDS, 2)), float(chance.randint(1, 9)))
        for a, b in pairs
    ]
    sentences = [f"Passage {number} of the corpus begins here."]
    sentences += [_sentence(chance, 22, [chance.choice(listed)]) for _ in range(_WORDS_OF_A_CHUNK // 22)]
    return Passage(number, " ".join(sentences), tuple(entities), tuple(relations))


def read(text: str) -> Passage:
    """Return the passage of which this is the text, for a scripted model that reads without a model."""
    found = _MARKER.search(text)
    if found is None:
        raise ValueError("not a passage of the corpus")
    return passage(int(found.group(1)))


def document(number: int) -> str:
    """Return the text of a document: five passages as paragraphs."""
    first = number * CHUNKS_PER_DOCUMENT
    return "\n\n".join(passage(n).text for n in range(first, first + CHUNKS_PER_DOCUMENT))


def questions(count: int) -> list[tuple[str, list[str], list[str]]]:
    """Return questions with their low-level and high-level keywords, about hubs as often as texts are."""
    found = []
    for number in range(count):
        chance = random.Random(f"question {number}")
        names = [_name(_rank(chance)) for _ in range(3)]
        themes = chance.sample(_KEYWORDS, 2)
        found.append((f"How does {names[0]} matter to {names[1]} in {themes[0]}?", names, themes))
    return found


_CUMULATED = list(accumulate(1 / rank for rank in range(1, _NAMES + 1)))


def _rank(chance: random.Random) -> int:
    return bisect(_CUMULATED, chance.random() * _CUMULATED[-1])


def _name(rank: int) -> str:
    syllables = _SYLLABLES.split()
    base = len(syllables)
    # 7 and 11 share no factor with the number of syllables' powers: every rank has a name of its own.
    first = syllables[rank % base] + syllables[rank * 7 // base % base]
    last = syllables[rank // base % base] + syllables[rank // base**2 % base]
    return f"{first.capitalize()} {last.capitalize()}{'' if rank < base**3 else ' ' + str(rank // base**3)}"


def _sentence(chance: random.Random, words: int, names: list[str]) -> str:
    chosen = chance.choices(_WORDS, k=words - 2 * len(names))
    for name in names:
        chosen.insert(chance.randrange(len(chosen)), name)
    text = " ".join(chosen)
    return f"{text[0].upper()}{text[1:]}."
