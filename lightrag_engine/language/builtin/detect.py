"""Which reader a text needs: English, Chinese, or the one for any other language."""

from __future__ import annotations

import re
from enum import StrEnum

from lightrag_engine.language.builtin.wordlist import word_set

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile(f"[{KANA}]")
_SCRIPTS = (
    ("ja", _KANA),
    ("ko", re.compile("[가-힣]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 8_000  # characters are enough to tell

_ENGLISH = word_set(
    "the of and to in is was for that with as by are from at it be this which or had not were but "
    "has have its their they he she his her you your who whom whose what how why when where did "
    "does do would could should can been there than into about between"
)
_OTHERS = {
    "de": word_set(
        "der die das und ist im den von zu mit dem nicht ein eine auf für wie wer wann wo warum "
        "welche werden hat sich"
    ),
    "fr": word_set(
        "le la les des et est une dans du que qui pour sur au aux par quel quelle quels quelles "
        "comment où pourquoi il elle sont ses"
    ),
    "es": word_set(
        "el los las del y es una en que por para con quién cuál cómo dónde cuándo qué se su son como más"
    ),
    "it": word_set(
        "il lo gli della di e è un una che per con nel chi quale come dove quando perché sono del dei alla"
    ),
    "pt": word_set(
        "o os as da do das dos e é um uma que em para com não quem qual como onde quando são pelo pela"
    ),
    "nl": word_set(
        "de het een en van is op te met voor niet zijn wie wat waar wanneer hoe waarom welke wordt bij"
    ),
    "sv": word_set(
        "och att det som en på är av för med den till inte hvem hvad hvor og er ikke til vem vad var när hur"
    ),
    "pl": word_set(
        "w i na z się do jest nie że kto co jak gdzie kiedy dlaczego który a v je se za který kdo kde"
    ),
    "tr": word_set(
        "ve bir bu da için ile ne kim nasıl nerede olarak yang dan di dengan untuk dari ini adalah siapa apa"
    ),
}

# Words that carry no meaning of their own, in the languages above.
FUNCTION_WORDS = _ENGLISH.union(
    *_OTHERS.values(),
    word_set(
        "я и в не на с что как по это к из у за от для о он она они мы вы его её их но или при был "
        "была были быть кто где когда почему какой какая какие чем если так же бы ли та тот эта этот "
        "все всех"
    ),
    word_set(
        "haben gegen diese dieser dieses niemand dem ihre seine ihr sein oder als auch bei aus nach "
        "durch über vor kann jeder jede jedes alle nous vous leur leurs cette ces ce ou ne pas se sa "
        "au avec sans tout toute tous toutes elles chacun nul été être avoir chaque"
    ),
)


class Language(StrEnum):
    """The readers of the built-in language."""

    ENGLISH = "en"
    CHINESE = "zh"
    OTHER = "other"


def language(text: str) -> Language:
    """Return which reader fits a chunk or a question best.

    Looks at scripts first, then at the function words of languages in Latin script. Short texts in
    Latin script without any function word count as English.

    Examples
    --------
    >>> language("Who founded the ferry?"), language("谁创办了渡轮？"), language("Wer ist der Gründer?")
    (<Language.ENGLISH: 'en'>, <Language.CHINESE: 'zh'>, <Language.OTHER: 'other'>)
    """
    sample = text[:_SAMPLE]
    han = len(_HAN.findall(sample))
    kana = len(_KANA.findall(sample))
    words = [word.casefold() for word in _WORD.findall(_KANA.sub(" ", _HAN.sub(" ", sample)))]
    dense = (han + kana) / 2  # about two characters make a word
    if dense > len(words):
        return Language.OTHER if kana > 0.05 * (han + kana) else Language.CHINESE
    latin = [word for word in words if word[0] <= "\u024f"]
    if 2 * len(latin) < len(words):
        return Language.OTHER
    english = sum(word in _ENGLISH for word in latin)
    other = max(sum(word in listed for word in latin) for listed in _OTHERS.values())
    foreign = sum(not word.isascii() for word in latin)
    if english == other == 0:
        return Language.OTHER if 3 * foreign > len(latin) else Language.ENGLISH
    return Language.ENGLISH if english >= other else Language.OTHER


def spoken(text: str) -> str:
    """Return the two letters (ISO 639-1) of the language of a text, as far as needed to match another text's.

    Languages of one script that are not told apart share the letters of the commonest ("ru", "ar", "hi");
    "" is a script not known here.
    """
    reader = language(text)
    if reader is not Language.OTHER:
        return reader.value
    sample = text[:_SAMPLE]
    script = next((code for code, pattern in _SCRIPTS if pattern.search(sample)), "")
    if script:
        return script
    found = [word.casefold() for word in _WORD.findall(sample)]
    shares = {code: sum(word in listed for word in found) for code, listed in _OTHERS.items()}
    best = max(shares, key=lambda code: shares[code])
    return best if shares[best] else ""


def has_han(text: str) -> bool:
    """Whether a text has characters of the Chinese script."""
    return _HAN.search(text) is not None
