"""Questions that ask how two things are related, and the sentences that lead from one to the other."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from lightrag_engine.language.builtin.asked_names import names_it
from lightrag_engine.language.builtin.evidence import Candidate
from lightrag_engine.language.builtin.mentions import clean
from lightrag_engine.names import fold_name
from lightrag_engine.records import RelationRow
from lightrag_engine.retrieval.context import Context
from lightrag_engine.sentences import sentence_texts

_TIE = r"(?:relation(?:ship)?|connection|link|tie|association)s?"
_TIED = r"(?:related|connected|linked|tied|associated)"
_ENDS = (
    re.compile(
        rf"\bhow (?:is|are|was|were) (.+?) (?:and|to|with) (.+?) (?:\w+ly )?{_TIED}\b(?! (?:to|with) \w)",
        re.I,
    ),
    re.compile(rf"\bhow (?:is|are|was|were) (.+?) (?:\w+ly )?{_TIED} (?:to|with) (.+)", re.I),
    re.compile(rf"\b{_TIE} (?:between|of) (.+?) (?:and|to|with) (.+?)(?: like)?$", re.I),
    re.compile(r"\bhow (?:do|does|did) (.+?) (?:relate|connect|link) (?:to|with) (.+)", re.I),
    re.compile(
        r"\bhow (?:do|does|did) (.+?) and (.+?) (?:relate|connect|know each other|fit together)\b", re.I
    ),
    re.compile(
        r"\bwhat (?:links|connects|relates|ties|linked|connected|joins) (.+?) (?:and|to|with) (.+)", re.I
    ),
    re.compile(r"\bwhat (?:has|have|had|does|do|did) (.+?) (?:have )?to do with (.+)", re.I),
    re.compile(r"^(.+?)[和与跟同](.+?)(?:之间)?(?:有|是)?(?:什么|何|怎样|怎么样)的?(?:关系|关联|联系)"),
    re.compile(r"^(.+?)[和与跟同](.+?)(?:之间)?的?(?:关系|关联|联系)"),
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.I)
_LONGEST_QUESTION = 500  # the patterns take quadratic time
_LONGEST_WAY = 4  # relations between the two
_BRIDGES = 3
_SENTENCES_A_STEP = 2


def asked_ends(question: str) -> tuple[str, str] | None:
    """Return the two things whose relation a question asks for, or None.

    Examples
    --------
    >>> asked_ends("How are Mara Quill and the Cormorant related?"), asked_ends("Who is Mara Quill?")
    (('Mara Quill', 'Cormorant'), None)
    """
    plain = clean(question[:_LONGEST_QUESTION]).rstrip("?？.。! ")
    for pattern in _ENDS:
        match = pattern.search(plain)
        if match is not None:
            first, second = (_ARTICLE.sub("", end).strip(" \"'“”,") for end in match.groups())
            return (first, second) if first and second else None
    return None


def connecting(ends: tuple[str, str], found: Sequence[Candidate], context: Context) -> list[Candidate]:
    """Return the sentences that lead from one thing to the other.

    Parameters
    ----------
    ends
        From `asked_ends`.
    found
        The candidates of the context.
    context
        Its relations are the ways between things.

    Returns
    -------
    list of Candidate
        The sentences that name both; where there are none, those of the shortest way over the
        relations, in its order; else for things that share a sentence with either, one sentence each.
        Empty when nothing links the two.
    """
    said = [candidate for candidate in found if not candidate.text.endswith(("?", "？"))]
    both = [c for c in said if all(names_it(end, c.text) for end in ends)]
    # "She" may be one of them.
    both += [c for c in said if c.before and c not in both and _over_two(c, ends)]
    related = [row for row in context.relation_rows if _joins(row, ends)]
    both += [c for row in related for c in _told_by(row, said) if c not in both]
    if both:
        return sorted(both, key=lambda c: (not all(names_it(end, c.text) for end in ends), c.order))
    way = _way(ends, context.relation_rows)
    steps = [c for row in way for c in _told_by(row, said)[:_SENTENCES_A_STEP]]
    return list(dict.fromkeys(steps)) or _over_a_third(ends, said, context)


def _over_two(candidate: Candidate, ends: tuple[str, str]) -> bool:
    here = [names_it(end, candidate.text) for end in ends]
    before = [names_it(end, candidate.before) for end in ends]
    return any(here) and all(a or b for a, b in zip(here, before, strict=True))


def _is_end(name: str, end: str) -> bool:
    return fold_name(name) == fold_name(end)


def _joins(row: RelationRow, ends: tuple[str, str]) -> bool:
    a, b = ends
    return (_is_end(row.source, a) and _is_end(row.target, b)) or (
        _is_end(row.source, b) and _is_end(row.target, a)
    )


def _told_by(row: RelationRow, said: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that a relation's description consists of, as evidence of it."""
    texts = {_key(text) for text in sentence_texts(row.description)}
    literal = [c for c in said if c.relation is row or _key(c.text) in texts]
    # Sentence ends may be seen differently in the description: any sentence with both does as well.
    return literal or [c for c in said if names_it(row.source, c.text) and names_it(row.target, c.text)]


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _way(ends: tuple[str, str], rows: Iterable[RelationRow]) -> list[RelationRow]:
    """Return the relations of the shortest way between two names, the first found of equals; [] when none."""
    start, goal = (fold_name(end) for end in ends)
    steps: defaultdict[str, list[tuple[str, RelationRow]]] = defaultdict(list)
    for row in rows:
        source, target = fold_name(row.source), fold_name(row.target)
        steps[source].append((target, row))
        steps[target].append((source, row))
    came: dict[str, tuple[str, RelationRow] | None] = {start: None}
    queue = deque([(start, 0)])
    while queue and goal not in came:
        name, length = queue.popleft()
        for other, row in steps[name] if length < _LONGEST_WAY else ():
            if other not in came:
                came[other] = (name, row)
                queue.append((other, length + 1))
    return _back(came, goal)


def _back(came: Mapping[str, tuple[str, RelationRow] | None], goal: str) -> list[RelationRow]:
    way: list[RelationRow] = []
    step = came.get(goal)
    while step is not None:
        name, row = step
        way.insert(0, row)
        step = came[name]
    return way


def _over_a_third(ends: tuple[str, str], said: Sequence[Candidate], context: Context) -> list[Candidate]:
    """Return pairs of sentences: one end with a third thing, and this thing with the other end."""
    chosen: list[Candidate] = []
    bridges = 0
    for row in sorted(context.entity_rows, key=lambda row: (row.rank, row.id)):
        if row.type == "date" or any(names_it(end, row.entity) for end in ends):
            continue
        with_it = [c for c in said if row.entity in c.text]
        pair = [next((c for c in with_it if names_it(end, c.text)), None) for end in ends]
        sentences = [c for c in pair if c is not None]
        if len(sentences) == len(ends) and bridges < _BRIDGES:
            bridges += 1
            chosen += sentences
    return list(dict.fromkeys(chosen))
