"""spaCy's attribute ruler (parts of speech, morphology, lemmas by patterns), with a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from spacy.matcher import Matcher
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc, Token

# What a pattern of one token may look at for its matches to be remembered.
_REMEMBERED = frozenset({"TAG", "DEP", "LOWER", "IS_SPACE"})
_MOST_WORDS = 100_000


class RememberingRuler(AttributeRuler):
    """Sets what `AttributeRuler` sets, but matches a word, tag and dependency only the first time they meet.

    Nearly all patterns look at one token alone. Words that no pattern speaks of are as good as one another,
    so a few hundred combinations cover a text; patterns of several tokens, or of other attributes, are still
    matched everywhere.

    Parameters
    ----------
    ruler
        The ruler whose patterns to use. Patterns added to it later are not seen.
    """

    def __init__(self, ruler: AttributeRuler) -> None:
        super().__init__(ruler.vocab, ruler.name)
        self.add_patterns(ruler.patterns)
        self._alone, self._elsewhere = Matcher(ruler.vocab), Matcher(ruler.vocab)
        self._words: set[str] = set()
        self._expressions: list[re.Pattern[str]] = []
        self._spoken_of: dict[int, bool] = {}
        self._known: dict[tuple[int, int, int, bool], tuple[int, ...]] = {}
        for number, rule in enumerate(ruler.patterns):
            # A token keeps its matches only if all patterns of the rule are of one token.
            patterns = cast("list[list[dict[str, Any]]]", rule["patterns"])
            alone = all(len(pattern) == 1 and _REMEMBERED.issuperset(pattern[0]) for pattern in patterns)
            (self._alone if alone else self._elsewhere).add(str(number), patterns)
            for pattern in patterns if alone else ():
                self._note(pattern[0].get("LOWER"))

    def _note(self, word: Any) -> None:
        """Remember which words a pattern tells from others."""
        if isinstance(word, str):
            self._words.add(word)
        elif word is not None:
            for operator, value in word.items():
                if operator == "REGEX":
                    self._expressions.append(re.compile(value))
                elif operator in {"IN", "NOT_IN"}:
                    self._words.update(value)
                else:
                    # Whatever else a pattern may ask of a word: every word is then one of its own.
                    self._expressions.append(re.compile(""))

    def match(self, doc: Doc) -> list[tuple[int, int, int, int]]:
        """Return the matches of the patterns in a text: number of the rule, its key, start, end; in order."""
        if len(self._spoken_of) > _MOST_WORDS:
            self._spoken_of.clear()
            self._known.clear()
        return sorted((*self._of_one(doc), *self._of_several(doc)))

    def _of_one(self, doc: Doc) -> Iterator[tuple[int, int, int, int]]:
        for token in doc:
            word = token.lower
            spoken_of = self._spoken_of.get(word)
            if spoken_of is None:
                spoken_of = self._spoken_of[word] = self._is_spoken_of(token)
            key = (token.tag, token.dep, word if spoken_of else 0, token.is_space)
            keys = self._known.get(key)
            i = token.i
            if keys is None:
                found = self._alone(doc[i : i + 1], allow_missing=True, as_spans=False)
                keys = self._known[key] = tuple(sorted({match[0] for match in found}))
            for rule in keys:
                yield int(self.vocab.strings[rule]), rule, i, i + 1

    def _of_several(self, doc: Doc) -> Iterator[tuple[int, int, int, int]]:
        for rule, start, end in self._elsewhere(doc, allow_missing=True, as_spans=False):
            yield int(self.vocab.strings[rule]), rule, start, end

    def _is_spoken_of(self, token: Token) -> bool:
        word = token.lower_
        return word in self._words or any(expression.search(word) for expression in self._expressions)
