"""Everyday questions on scattered subjects, which hardly any context answers, in several languages.

Their similarity to a context shows what chance is worth in the space of the embedding at hand. They must be
in the language of the question: to an embedding, a shared language is a likeness too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CONTROLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "en": (
            "What is the melting point of iron?",
            "How do I bake a sourdough loaf?",
            "Which vitamins are in broccoli?",
            "How does a quantum computer work?",
            "Who won the football world cup in 1998?",
            "How do I reset my printer password?",
            "What is the mating call of the barn owl?",
            "When should tomatoes be watered?",
            "What are the rules of chess castling?",
            "How is the share price of a company calculated?",
        ),
        "zh": (
            "铁的熔点是多少？",
            "怎样烤酸面包？",
            "西兰花里有哪些维生素？",
            "量子计算机如何工作？",
            "谁赢得了1998年世界杯足球赛？",
            "怎么重置打印机密码？",
            "猫头鹰的叫声是什么样的？",
            "番茄应该什么时候浇水？",
            "国际象棋的王车易位规则是什么？",
            "公司的股价如何计算？",
        ),
        "de": (
            "Wie hoch ist der Schmelzpunkt von Eisen?",
            "Wie backe ich ein Sauerteigbrot?",
            "Welche Vitamine sind in Brokkoli?",
            "Wie funktioniert ein Quantencomputer?",
            "Wer hat 1998 die Fußball-Weltmeisterschaft gewonnen?",
            "Wie setze ich das Passwort meines Druckers zurück?",
            "Wann sollte man Tomaten gießen?",
            "Wie wird der Aktienkurs einer Firma berechnet?",
        ),
        "fr": (
            "Quel est le point de fusion du fer ?",
            "Comment faire du pain au levain ?",
            "Quelles vitamines contient le brocoli ?",
            "Comment fonctionne un ordinateur quantique ?",
            "Qui a gagné la coupe du monde de football en 1998 ?",
            "Comment réinitialiser le mot de passe de mon imprimante ?",
            "Quand faut-il arroser les tomates ?",
            "Comment calcule-t-on le cours d'une action ?",
        ),
        "es": (
            "¿Cuál es el punto de fusión del hierro?",
            "¿Cómo se hornea un pan de masa madre?",
            "¿Qué vitaminas tiene el brócoli?",
            "¿Cómo funciona un ordenador cuántico?",
            "¿Quién ganó el mundial de fútbol de 1998?",
            "¿Cómo restablezco la contraseña de mi impresora?",
            "¿Cuándo hay que regar los tomates?",
            "¿Cómo se calcula el precio de una acción?",
        ),
        "ru": (
            "Какова температура плавления железа?",
            "Как испечь хлеб на закваске?",
            "Какие витамины есть в брокколи?",
            "Как работает квантовый компьютер?",
            "Кто выиграл чемпионат мира по футболу 1998 года?",
            "Как сбросить пароль принтера?",
            "Когда нужно поливать помидоры?",
            "Как рассчитывается цена акции?",
        ),
        "ja": (
            "鉄の融点は何度ですか？",
            "サワードウパンはどうやって焼きますか？",
            "ブロッコリーにはどんなビタミンが含まれていますか？",
            "量子コンピューターはどのように動作しますか？",
            "1998年のサッカーワールドカップで優勝したのはどこですか？",
            "プリンターのパスワードをリセットするには？",
            "トマトにはいつ水をやるべきですか？",
            "株価はどのように計算されますか？",
        ),
        "ar": (
            "ما هي درجة انصهار الحديد؟",
            "كيف أخبز خبز العجين المخمر؟",
            "ما الفيتامينات الموجودة في البروكلي؟",
            "كيف يعمل الحاسوب الكمومي؟",
            "من فاز بكأس العالم لكرة القدم عام 1998؟",
            "كيف أعيد تعيين كلمة مرور الطابعة؟",
            "متى تُسقى الطماطم؟",
            "كيف يُحسب سعر السهم؟",
        ),
    }
)
_RELATED = MappingProxyType({"it": "es", "pt": "es", "nl": "de", "sv": "de", "pl": "ru"})


def controls(spoken: str) -> tuple[str, ...]:
    """Return the control questions in a language, else in a related one, else one of every language."""
    found = CONTROLS.get(_RELATED.get(spoken, spoken))
    return found or tuple(questions[at % len(questions)] for at, questions in enumerate(CONTROLS.values()))
