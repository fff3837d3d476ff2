"""Which language a person wrote in, and texts that a playbook gives in both."""

import unicodedata

from cards.frozen import Frozen
from cards.model import Lang


class Bilingual(Frozen):
    """A text of a playbook in both languages."""

    zh: str
    en: str

    def __call__(self, lang: Lang) -> str:
        """The text in that language."""
        return self.zh if lang == "zh" else self.en


def suits_language(example: str, lang: Lang) -> bool:
    """Whether to show an example to a reader of that language: Chinese ones to readers of it."""
    return (detect_language(example) == "zh") == (lang == "zh")


def detect_language(text: str, fallback: Lang = "en") -> Lang:
    """zh when the text has a CJK ideograph, else en (design §1: the person's language).

    A text without any letter, such as "1, 70.5" or an emoji, is in the `fallback` language.
    """
    if any("CJK UNIFIED" in unicodedata.name(c, "") for c in text):
        return "zh"
    return "en" if any(c.isalpha() for c in text) else fallback
