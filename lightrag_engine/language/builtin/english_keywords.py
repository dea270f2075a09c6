"""Keywords of an English question, from spaCy's entities and noun phrases."""

from __future__ import annotations

from types import MappingProxyType

from spacy.tokens import Doc, Span, Token

from lightrag_engine.language.builtin import english
from lightrag_engine.language.builtin.wordlist import word_set

_NUMBERS = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "MONEY", "TIME"})
_DATES = frozenset({"DATE"})
_ABSTRACT_ENDS = (
    "tion",
    "sion",
    "ment",
    "ness",
    "ity",
    "ance",
    "ence",
    "ism",
    "ship",
    "dom",
    "hood",
    "ture",
    "logy",
    "cy",
)
_ABSTRACT = word_set(
    "role impact influence effect cause relation rise fall theme change reason history difference "
    "quality life death power law peace war freedom justice right duty trade growth work use "
    "benefit risk problem issue challenge trend idea belief value purpose goal origin result "
    "outcome conflict crisis threat fear love hope trust faith loss cost price wealth poverty "
    "health safety progress reform link pattern style structure process policy strategy way "
    "meaning message lesson moral motive attitude opinion view feeling behaviour behavior "
    "advantage connection similarity contrast support research learning education training "
    "marriage birth discovery design"
)
_EMPTY = word_set(
    "mean thing kind sort type example name one other part number lot people person man woman "
    "time year day place question answer document text passage story book chapter paragraph "
    "information detail fact summary list main many some several following overall"
)
# Verbs that ask rather than tell what about.
_PLAIN_VERBS = word_set(
    "be do have make get go say tell give take come know see use call mention describe explain "
    "list name happen show find think want need let mean become seem start begin include play put "
    "keep summarise summarize discuss compare talk concern involve relate write read work live"
)
_NOMINALS = MappingProxyType(
    {
        "found": "founding",
        "build": "construction",
        "bear": "birth",
        "die": "death",
        "marry": "marriage",
        "kill": "killing",
        "invent": "invention",
        "discover": "discovery",
        "own": "ownership",
        "lead": "leadership",
        "grow": "growth",
        "lose": "loss",
        "win": "victory",
        "move": "movement",
        "decide": "decision",
        "create": "creation",
        "develop": "development",
        "produce": "production",
        "protect": "protection",
        "destroy": "destruction",
        "choose": "choice",
        "fail": "failure",
        "succeed": "success",
        "close": "closure",
        "improve": "improvement",
        "contribute": "contribution",
        "affect": "effect",
        "believe": "belief",
    }
)


def read(question: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the low level, the high level, and those of the low level that are names.

    Examples
    --------
    >>> read("Who founded the Brindle Valley ferry?")
    (('Brindle Valley ferry', 'Brindle Valley'), ('founding',), ('Brindle Valley ferry', 'Brindle Valley'))
    """
    [doc] = english.parse([" ".join(question.split())])
    entities = [_entity(span) for span in doc.ents if span.label_ not in _NUMBERS | _DATES]
    dates = [span.text for span in doc.ents if span.label_ in _DATES and any(c.isdigit() for c in span.text)]
    low: list[str] = []
    high: list[str] = []
    named: list[str] = []
    for chunk in _joined(doc):
        phrase = _phrase(chunk)
        if not phrase:
            continue
        if any(
            token.pos_ == "PROPN" or (token.ent_type_ and token.ent_type_ not in _NUMBERS | _DATES)
            for token in chunk
        ):
            named.append(phrase)
            low.append(phrase)
        elif _is_abstract(chunk.root):
            high.append(phrase)
        else:
            low.append(phrase)
    named += [name for name in entities if name not in named]
    low += [name for name in [*entities, *dates] if name not in low]
    covered = " ".join([*low, *high]).casefold()
    low += [t.text for t in doc if t.pos_ in {"PROPN", "NOUN"} and _is_missed(t, covered)]
    return tuple(low), (*high, *_verbs(doc)), tuple(named)


def _joined(doc: Doc) -> list[Span]:
    """Return the noun phrases, names around an "of" as one: Olivia of Palermo."""
    joined: list[Span] = []
    for chunk in doc.noun_chunks:
        last = joined[-1] if joined else None
        if (
            last is not None
            and chunk.start == last.end + 1
            and doc[last.end].lower_ == "of"
            and last[-1].pos_ == chunk[-1].pos_ == "PROPN"
        ):
            joined[-1] = doc[last.start : chunk.end]
        else:
            joined.append(chunk)
    return joined


def _is_missed(token: Token, covered: str) -> bool:
    """Whether the phrases left out a noun: the parser takes some for verbs or loses them in lists."""
    return token.lemma_.casefold() not in _EMPTY and token.is_alpha and token.text.casefold() not in covered


def _entity(span: Span) -> str:
    text: str = span.text
    return text[4:] if text.casefold().startswith("the ") else text


def _phrase(chunk: Span) -> str:
    """Return a noun phrase without articles, pronouns, question words and empty nouns before it."""
    kept = [
        t for t in chunk if not (t.pos_ in {"DET", "PRON", "PUNCT", "ADV"} or t.tag_ in {"WDT", "WP", "WP$"})
    ]
    while kept and (kept[0].lemma_.casefold() in _EMPTY or kept[0].pos_ == "PART"):
        kept = kept[1:]
    if not kept or not any(token.pos_ in {"NOUN", "PROPN", "ADJ", "NUM", "X", "VERB"} for token in kept):
        return ""
    phrase: str = chunk.doc[kept[0].i : kept[-1].i + 1].text
    return phrase


def _is_abstract(token: Token) -> bool:
    lemma = token.lemma_.casefold()
    return lemma in _ABSTRACT or (len(lemma) > 5 and lemma.endswith(_ABSTRACT_ENDS))


def _verbs(doc: Doc) -> list[str]:
    lemmas = [t.lemma_.casefold() for t in doc if t.pos_ == "VERB" and t.is_alpha]
    return [_NOMINALS.get(lemma, lemma) for lemma in lemmas if lemma not in _PLAIN_VERBS]
