"""Mentions of one thing -> one node: first and last names, acronyms, and the document's title."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from spacy.tokens import Doc

from lightrag_engine.language.builtin.english import lexicon
from lightrag_engine.language.builtin.english.mentions import Mention

# How much more often a short name must stand than the full one to be what the text calls the person.
SHORT_NAME_LEAD = 8
_ACRONYM = re.compile(r"[A-Z][A-Z&.]{1,7}")


@dataclass(frozen=True, slots=True)
class Node:
    """A thing that the text names: how it is called, its tagger's label, and where it stands."""

    name: str
    label: str
    mentions: tuple[Mention, ...]
    is_title: bool = False
    aliases: tuple[str, ...] = ()


def surface(doc: Doc, mention: Mention) -> str:
    """Return the name as written, with single spaces."""
    return " ".join(doc[mention.start : mention.end].text.split())


def fold(name: str) -> str:
    """Return what two spellings of one name share: letters and digits, case-folded, no leading article."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", "", re.sub(r"^\W*(?:the|an?)\s+(?=\S)", "", plain))


def nodes_of(doc: Doc, mentions: Sequence[Mention], title: str, narrative: bool) -> list[Node]:
    """Group mentions into nodes.

    Parameters
    ----------
    doc
        The parsed text.
    mentions
        In the order of the text; those with the rule ``title`` are the document's title.
    title
        The title as it stands in the text; "" when it does not.
    narrative
        Whether the text is a story.

    Returns
    -------
    list of Node
        In the order of first mention; every mention belongs to one node.
    """
    groups: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions:
        key = fold(surface(doc, mention))
        if key:
            groups[key].append(mention)
    names = {
        key: Counter(surface(doc, m) for m in found).most_common(1)[0][0] for key, found in groups.items()
    }
    labels = {key: _majority(found) for key, found in groups.items()}
    if narrative:
        # Whoever a story calls "Jordan" beside a Jordan Hayes is not the country.
        first_last = {
            w for k, n in names.items() if labels[k] == "PERSON" and len(_words(n)) > 1 for w in _words(n)
        }
        mistaken = {"GPE", "LOC", "FAC", "ORG"}
        labels = {k: "PERSON" if v in mistaken and names[k] in first_last else v for k, v in labels.items()}
    parents = _person_parents(names, labels, fold(title), groups) | _acronym_parents(
        doc, names, labels, groups
    )
    return _merge(groups, names, labels, parents, fold(title))


def _majority(mentions: Iterable[Mention]) -> str:
    votes = Counter(m.label for m in mentions if m.label != "MISC")
    return votes.most_common(1)[0][0] if votes else "MISC"


def _words(name: str) -> list[str]:
    dropped = lexicon.HONORIFICS | lexicon.EPITHETS
    return [word for word in name.split() if word.lower().rstrip(".") not in dropped] or name.split()


def _person_parents(
    names: Mapping[str, str],
    labels: Mapping[str, str],
    title: str,
    groups: Mapping[str, Sequence[Mention]],
) -> dict[str, str]:
    """Short name of a person -> the only longer one it can stand for."""
    full = {
        key: _words(name)
        for key, name in names.items()
        if labels[key] in {"PERSON", "MISC"}
        and len(_words(name)) > 1
        and (labels[key] == "PERSON" or key == title)
    }
    parents: dict[str, str] = {}
    for key, name in names.items():
        if key == title or labels[key] in {"DATE", "NORP", "EVENT"} or _kept_apart(name):
            continue
        words = [w for w in name.split() if w.lower() not in lexicon.ENDEARMENTS] or name.split()
        if len(words) == 1:
            last = {
                k: w for k, w in full.items() if k != key and w[-1] == words[0] and not _kept_apart(names[k])
            }
            other = _only(last) or _only({k: w for k, w in full.items() if k != key and w[0] == words[0]})
        elif labels[key] == "PERSON":
            longer = {k: w for k, w in full.items() if k != key and len(w) > len(words)}
            other = _only(
                {
                    k: w
                    for k, w in longer.items()
                    if w[-len(words) :] == words or (w[0], w[-1]) == (words[0], words[-1])
                }
            )
        else:
            other = None
        bare = fold("".join(words))
        if other is None and len(words) < len(name.split()) and bare in names:
            parents[key] = bare
        elif other is not None and _may_join(labels[key], groups[key]):
            parents[key] = other
    return parents


def _kept_apart(name: str) -> bool:
    first, _, rest = name.partition(" ")
    return bool(rest) and first.lower().rstrip(".") in lexicon.KEPT_HONORIFICS


def _may_join(label: str, mentions: Sequence[Mention]) -> bool:
    # A tagger often takes a surname for a company; a place that is named often is a place.
    return label in {"PERSON", "MISC", "ORG", "WORK_OF_ART", "PRODUCT", "FAC"} or len(mentions) == 1


def _only(candidates: Mapping[str, Sequence[str]]) -> str | None:
    """The only candidate; of several with the same first and last word the first one."""
    ends = {(words[0], words[-1]) for words in candidates.values()}
    return next(iter(candidates)) if len(ends) == 1 else None


def _acronym_parents(
    doc: Doc, names: Mapping[str, str], labels: Mapping[str, str], groups: Mapping[str, Sequence[Mention]]
) -> dict[str, str]:
    """Acronym -> the longer name with these initials, or the one it follows in brackets."""
    bracketed = {
        m.start - 1: key
        for key, found in groups.items()
        for m in found
        if m.start > 1 and doc[m.start - 1].text == "("
    }
    ends = {m.end: key for key, found in groups.items() for m in found}
    parents: dict[str, str] = {}
    for key, name in names.items():
        if not _ACRONYM.fullmatch(name) or labels[key] == "DATE":
            continue
        letters = name.replace(".", "").replace("&", "")
        for bracket, inner in bracketed.items():
            before = ends.get(bracket)
            if inner == key and before and before != key and _initials(names[before]).startswith(letters[0]):
                parents[key] = before
        if key not in parents and len(letters) > 1:
            others = [
                k for k, n in names.items() if k != key and len(n.split()) > 1 and _initials(n) == letters
            ]
            if len(others) == 1:
                parents[key] = others[0]
    return parents


def _initials(name: str) -> str:
    return "".join(word[0] for word in re.split(r"[\s-]+", name) if word[:1].isupper())


def _merge(
    groups: Mapping[str, Sequence[Mention]],
    names: Mapping[str, str],
    labels: Mapping[str, str],
    parents: Mapping[str, str],
    title: str,
) -> list[Node]:
    members: dict[str, list[str]] = defaultdict(list)
    for key in groups:
        members[_root(key, parents)].append(key)
    nodes = []
    for root, keys in members.items():
        found = sorted((m for key in keys for m in groups[key]), key=lambda m: m.start)
        name = names[_shown(root, keys, groups, title)]
        label = labels[root] if labels[root] != "MISC" else _majority(found)
        nodes.append(Node(name, label, tuple(found), title in keys, tuple(names[k] for k in keys)))
    return sorted(nodes, key=lambda node: node.mentions[0].start)


def _root(key: str, parents: Mapping[str, str]) -> str:
    seen = {key}
    while key in parents and parents[key] not in seen:
        key = parents[key]
        seen.add(key)
    return key


def _shown(root: str, keys: Sequence[str], groups: Mapping[str, Sequence[Mention]], title: str) -> str:
    """The full name, unless the text calls the thing by the short one almost always."""
    if title in keys:
        return title
    usual = max(keys, key=lambda key: (len(groups[key]), key == root))
    return usual if len(groups[usual]) >= SHORT_NAME_LEAD * len(groups[root]) else root


def is_exclaimed(doc: Doc, node: Node) -> bool:
    """Whether every mention is a word called out at the start of speech ("Hallo!", "Alas, …"), so no name."""
    return all(
        m.start > 0
        and doc[m.start - 1].is_quote
        and m.end < len(doc)
        and doc[m.end].text in {",", ".", "!", "?", ";", "--"}
        for m in node.mentions
    )


def mark_title(nodes: Sequence[Node], index: int | None) -> list[Node]:
    """Return the nodes with the one at `index` marked as the document's title."""
    return [replace(node, is_title=i == index) for i, node in enumerate(nodes)]
