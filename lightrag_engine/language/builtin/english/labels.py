"""What kind of thing a node is: the tagger's label, put right by the name's head word and by context."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spacy.tokens import Doc, Token

from lightrag_engine.language.builtin.english.lexicon import (
    ATTITUDES,
    BODIES,
    HE_SHE,
    HONORIFICS,
    HUMAN_VERBS,
    KIN,
    KINDS,
    PERSONAL_VERBS,
)
from lightrag_engine.language.builtin.english.mentions import Mention
from lightrag_engine.language.builtin.english.names import Node

# Labels that patterns decide; no vote changes them.
_FIXED = frozenset({"DATE", "MONEY", "PERCENT", "QUANTITY", "CONCEPT", "TECHNOLOGY"})
_HEAD_VOTE = 3.0
_NOUN_BEFORE_VOTE = 2.0
_HONORIFIC_VOTE = 2.0
_BORN_VOTE = 3.0
_YEAR_VOTE = 2.0
_HUMAN_VERB_VOTE = 3.0
_COPULA_VOTE = 5.0
_APPOSITION_VOTE = 3.0
_INSIDE_VOTE = 4.0
_PERSON_SUFFIXES = ("ist", "ician", "grapher", "woman", "teacher", "keeper")
# What the tagger often takes persons of unusual names for.
_MISTAKEN = frozenset({"GPE", "LOC", "FAC", "ORG", "PRODUCT", "WORK_OF_ART", "MISC"})
_APPOSED = 6


def kind_of_noun(noun: str) -> str | None:
    """Return the label of what a noun names ("river" -> LOC), or None."""
    word = noun.casefold()
    return KINDS.get(word) or ("PERSON" if word.endswith(_PERSON_SUFFIXES) else None)


def with_persons(doc: Doc, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, those of two or three words that the text treats as persons labelled so.

    What one mention shows holds for all of the same name. Run before mentions are grouped, so that a surname
    alone finds its person.
    """
    shown = {doc[m.start : m.end].text for m in mentions if _may_be_person(doc, m) and _is_personal(doc, m)}
    return [
        replace(m, label="PERSON") if m.label in _MISTAKEN and doc[m.start : m.end].text in shown else m
        for m in mentions
    ]


def _may_be_person(doc: Doc, mention: Mention) -> bool:
    words = doc[mention.start : mention.end]
    plain = all(token.text[:1].isupper() and token.text.replace("-", "").isalpha() for token in words)
    return (
        mention.label in _MISTAKEN
        and 1 < len(words) < 4
        and plain
        and doc[mention.start - 1 if mention.start else 0].lower_ != "the"
        and not any(token.lower_ in KINDS for token in words)
    )


def _is_personal(doc: Doc, mention: Mention) -> bool:
    after = [token.lower_ for token in doc[mention.end : mention.end + 2]]
    root = doc[mention.start : mention.end].root
    before = doc[mention.start - 2 : mention.start] if mention.start > 1 else doc[:0]
    introduced = [t.lower_ for t in before][1:] == ["named"] and kind_of_noun(before[0].text) == "PERSON"
    return (
        after == [",", "who"]
        or (after[:1] == ["and"] and after[1:] in (["her"], ["his"]))
        or (after[:1] in (["'s"], ["’s"]) and after[1:2] != [] and after[1] in KIN)
        or (root.dep_ in {"nsubj", "nsubjpass"} and root.head.lemma_ in PERSONAL_VERBS)
        or introduced
        or _is_apposed(doc, mention)
    )


def _is_apposed(doc: Doc, mention: Mention) -> bool:
    """Whether ", a data scientist" follows: an article and, as the first noun's end, what a person is."""
    after = doc[mention.end : mention.end + 2]
    if [t.lower_ for t in after[:1]] != [","] or after[-1].lower_ not in {"a", "an", "the", "his", "her"}:
        return False
    for token in doc[mention.end + 2 : mention.end + 2 + _APPOSED]:
        follows = token.nbor().pos_ if token.i + 1 < len(doc) else ""
        if token.pos_ == "NOUN" and follows != "NOUN":
            return kind_of_noun(token.text) == "PERSON"
        if token.pos_ not in {"NOUN", "ADJ", "PROPN", "PART", "NUM"}:
            return False
    return False


def label_nodes(doc: Doc, nodes: Sequence[Node], lead_end: int, narrative: bool) -> list[Node]:
    """Return the nodes with voted labels.

    Parameters
    ----------
    doc
        The parsed text.
    nodes
        With the tagger's labels.
    lead_end
        Where the first sentence ends, in tokens; 0 when the text is not a document's start.
    narrative
        Whether the text is a story; only there is all that speaks a person (companies "say" things too).
    """
    return [
        node
        if node.label in _FIXED or _is_text_title(node)
        else replace(node, label=_label(doc, node, nodes, lead_end, narrative))
        for node in nodes
    ]


def _is_text_title(node: Node) -> bool:
    """Whether the node is the title of the text itself, which `title_mentions` has labelled."""
    return not node.is_title and any(m.rule == "title" and m.label == "WORK_OF_ART" for m in node.mentions)


def _label(doc: Doc, node: Node, nodes: Sequence[Node], lead_end: int, narrative: bool) -> str:
    votes: defaultdict[str, float] = defaultdict(float)
    for mention in node.mentions:
        # A surname alone is often mistaken for a company; the full name tells.
        is_short = node.label == "PERSON" and mention.end - mention.start == 1 and " " in node.name
        if mention.label != "MISC" and not (is_short and mention.label in _MISTAKEN):
            votes[mention.label] += 1.0
        for label, weight in _context_votes(doc, mention):
            votes[label] += weight
        root = doc[mention.start : mention.end].root
        if narrative and root.dep_ == "nsubj" and root.head.lemma_ in HUMAN_VERBS:
            votes["PERSON"] += _HUMAN_VERB_VOTE
    # Votes of many mentions are as good as those of three.
    scale = max(1.0, len(node.mentions) / 3)
    votes = defaultdict(float, {label: weight / scale for label, weight in votes.items()})
    if _is_where(doc, node):
        votes["GPE"] += _INSIDE_VOTE
    head = _head_kind(node.name)
    if head and node.label != "NORP":
        votes[head] += _HEAD_VOTE
    if node.is_title and lead_end:
        votes[_lead_kind(doc, node, nodes, lead_end)] += _COPULA_VOTE
    votes.pop("", None)
    return max(sorted(votes), key=lambda label: votes[label]) if votes else node.label


def _is_where(doc: Doc, node: Node) -> bool:
    """Whether things are in or on what a single word names, while it does nothing itself: no person."""
    if node.label != "PERSON" or " " in node.name:
        return False
    roots = [doc[m.start : m.end].root for m in node.mentions]
    acts = any(root.dep_ in {"nsubj", "nsubjpass", "poss", "appos"} for root in roots)
    inside = (
        root
        for root in roots
        if root.dep_ == "pobj" and root.head.lower_ in {"in", "on"} and root.i == root.head.i + 1
    )
    return not acts and any(root.head.head.lemma_.lower() not in ATTITUDES for root in inside)


def _head_kind(name: str) -> str | None:
    words = name.casefold().split()
    if len(words) < 2:
        return None
    before_of = words[words.index("of") - 1] if "of" in words[1:] else ""
    if words[0] in BODIES:
        return "MISC"
    first = words[0] if words[0] in {"lake", "mount", "cape", "river"} else ""
    # Persons are called neither "X King" nor "X Singer" by what they are.
    kinds = (KINDS.get(word) for word in (before_of, words[-1], first) if word)
    return next((kind for kind in kinds if kind and kind not in {"PERSON", "NORP", "CONCEPT"}), None)


def _context_votes(doc: Doc, mention: Mention) -> Iterator[tuple[str, float]]:
    before = doc[mention.start - 1] if mention.start and not doc[mention.start].is_sent_start else None
    if before is not None:
        if before.lower_.rstrip(".") in HONORIFICS and before.text[:1].isupper():
            yield "PERSON", _HONORIFIC_VOTE
        elif before.pos_ in {"NOUN", "PROPN"}:
            yield kind_of_noun(before.text) or "", _NOUN_BEFORE_VOTE
        elif before.lower_ in {"named", "called"} and before.i and doc[before.i - 1].pos_ == "NOUN":
            yield kind_of_noun(doc[before.i - 1].text) or "", _NOUN_BEFORE_VOTE
    after = doc[mention.end : mention.end + 3]
    if len(after) > 1 and after[0].text == "(":
        if after[1].lower_ in {"born", "née", "b."}:
            yield "PERSON", _BORN_VOTE
        elif len(after) > 2 and after[1].is_digit and len(after[1].text) == 4 and after[2].text == ")":
            yield "WORK_OF_ART", _YEAR_VOTE
    root = doc[mention.start : mention.end].root
    for child in root.rights:
        if child.dep_ == "appos" and child.pos_ == "NOUN":
            kind = kind_of_noun(child.text) or ""
            yield kind, _APPOSITION_VOTE if kind == "PERSON" else _NOUN_BEFORE_VOTE


def copula_noun(subject: Token) -> Token | None:
    """Return the noun that a sentence says its subject is ("X was the first *president*"), or None."""
    verb = subject.head
    if subject.dep_ != "nsubj" or verb.lemma_ != "be":
        return None
    return next((child for child in verb.children if child.dep_ == "attr"), None)


def _lead_kind(doc: Doc, node: Node, nodes: Sequence[Node], lead_end: int) -> str:
    for mention in node.mentions:
        if mention.start < lead_end:
            noun = copula_noun(doc[mention.start : mention.end].root)
            if noun is not None:
                return _noun_kind(noun)
    pronouns = sum(token.lower_ in HE_SHE for token in doc)
    others = any(
        other.label == "PERSON" and not other.is_title and other.mentions[0].start < lead_end
        for other in nodes
    )
    return "PERSON" if pronouns > 1 and not others else ""


def _noun_kind(noun: Token) -> str:
    kind = kind_of_noun(noun.lemma_)
    if kind is None and noun.lemma_ in {"one", "name", "part", "type", "member"}:
        objects = (
            t for prep in noun.children if prep.dep_ == "prep" for t in prep.children if t.dep_ == "pobj"
        )
        kind = next((k for k in (kind_of_noun(t.lemma_) for t in objects) if k), None)
    return kind or ""
