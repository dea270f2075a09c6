"""The attribute ruler with a memory sets what spaCy's own sets."""

from __future__ import annotations

from spacy.matcher import Matcher
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

from lightrag_engine.language.builtin.english.attributes import RememberingRuler
from lightrag_engine.language.builtin.english.pipeline import nlp

# Contractions, slang, words that are their own rule, expletives, spaces, and names.
TEXTS = (
    "It ain't gonna be nothin' but trouble; y'all gotta let's go, c'mon, 'cause I'm doin' what he'd do.",
    "There's a house. There are two, and there were more than that, but none of them has what I've had.",
    "She herself said that whoever came, came too late:  ten   spaces \n and a line.",
    "Whether you or it did so, the better man's best friend hasn't been here once. Well, then!",
    "Ann gave him hers; give me mine, and let us keep ours. Nobody can, could, may or might.",
    "Dr. Karl Berg (1909–1970) was born in Oslo, Norway, on 12 May 1909.",
    "",
)


def annotated(ruler: AttributeRuler, text: str) -> list[tuple[str, ...]]:
    pipeline = nlp()
    with pipeline.select_pipes(disable=["attribute_ruler", "lemmatizer"]):
        doc = pipeline(text)
    ruler(doc)
    return [(t.text, t.tag_, t.pos_, t.dep_, t.lemma_, str(t.morph)) for t in doc]


def plain() -> AttributeRuler:
    ruler = nlp().get_pipe("attribute_ruler")
    assert isinstance(ruler, RememberingRuler)
    own = AttributeRuler(nlp().vocab)
    own.add_patterns(ruler.patterns)
    return own


def test_it_sets_what_the_plain_ruler_sets_at_first_and_from_memory() -> None:
    own = plain()
    remembering = RememberingRuler(own)
    for _ in range(2):
        for text in TEXTS:
            assert annotated(remembering, text) == annotated(own, text)


def test_patterns_of_other_attributes_and_of_several_tokens_still_match() -> None:
    own = AttributeRuler(nlp().vocab)
    own.add([[{"LENGTH": 4}]], {"LEMMA": "four"})
    own.add([[{"LOWER": {"REGEX": "^un"}}]], {"LEMMA": "un"})
    own.add([[{"LOWER": {"FUZZY": "hidden"}}]], {"LEMMA": "near"})
    own.add([[{"LOWER": "untold"}], [{"LOWER": "untold"}, {"LOWER": "woes"}]], {"LEMMA": "grief"})
    remembering = RememberingRuler(own)
    for text in ("Untold woes", "these unseen hiden things", "many unseen and untold"):
        assert annotated(remembering, text) == annotated(own, text)
    assert ("hiden", "near") in {(t[0], t[4]) for t in annotated(remembering, "a hiden thing")}


def test_a_text_is_not_matched_again_once_its_words_are_known() -> None:
    remembering = RememberingRuler(plain())
    annotated(remembering, TEXTS[0])
    calls: list[Doc] = []

    class Counted(Matcher):
        def __call__(self, *args: Doc, **kwargs: bool) -> list[tuple[int, int, int]]:  # type: ignore[override]
            calls.append(args[0])
            return super().__call__(*args, **kwargs)  # type: ignore[return-value]

    remembering._alone = Counted(nlp().vocab)
    annotated(remembering, TEXTS[0])
    assert not calls
