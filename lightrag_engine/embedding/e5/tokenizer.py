"""Texts to token ids: the XLM-RoBERTa Unigram tokenizer, rebuilt from the vocabulary in the weights file."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from lightrag_engine.embedding.base import Role
from lightrag_engine.embedding.e5.weights import E5Weights

Window = tuple[int, ...]

# The model was trained with these words in front of every text.
_PREFIXES: dict[Role, str] = {"query": "query: ", "passage": "passage: "}
_SPECIAL_PIECES = frozenset({"<s>", "<pad>", "</s>", "<unk>", "<mask>"})


class E5Tokenizer:
    """Turns a text into the windows of token ids that the encoder takes.

    Any string is accepted: control characters vanish or become spaces, lone surrogates become spaces, and
    what looks like a special token (``</s>``) is read as plain text.
    """

    def __init__(self, weights: E5Weights) -> None:
        self._tokenizer = _build(weights)
        self._start = weights.special.start
        self._end = weights.special.end
        self._window = weights.shape.positions - 2
        self._empty = {role: self._ids(prefix) for role, prefix in _PREFIXES.items()}

    def windows(self, text: str, role: Role) -> list[Window]:
        """Return the text as windows of at most 512 ids, start and end token included.

        A text that is too long for one window continues in the next (no overlap, the prefix only once): cost
        grows with the length of the text and nothing is dropped. A text without any content has no window.
        """
        ids = self._ids(_PREFIXES[role] + text)
        if ids == self._empty[role]:
            return []
        return [
            (self._start, *ids[begin : begin + self._window], self._end)
            for begin in range(0, len(ids), self._window)
        ]

    def _ids(self, text: str) -> Sequence[int]:
        # UTF-16 joins surrogate pairs and replaces lone halves, which cannot be passed on as UTF-8.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", " ")
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


def _build(weights: E5Weights) -> Tokenizer:
    # Spaces never reach the model below (Metaspace replaces them): a special piece with one matches nothing.
    pieces = [
        (f"{piece} " if piece in _SPECIAL_PIECES else piece, score) for piece, score in weights.pieces()
    ]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=weights.special.unknown, byte_fallback=False))
    # Together these are SentencePiece's nmt_nfkc rules with its removal of extra spaces.
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
            normalizers.Strip(left=False, right=True),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    return tokenizer
