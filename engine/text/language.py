"""Which language a person wrote in, and texts that a playbook gives in its languages."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

from pydantic import (
    ConfigDict,
    GetJsonSchemaHandler,
    RootModel,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from cards.model import Lang
from cards.texts import FALLBACK

DETECTED: Final[tuple[Lang, ...]] = ("zh", "en")
"""The languages that `detect_language` tells apart."""

HAN = re.compile("[\u3400-\u9fff]")
"""A Chinese letter; who looks for one alone takes this, as each such pattern takes 2 ms to make."""

_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\U0001f210-\U0001f212\U0001f214-\U0001f23b\U0001f240-\U0001f248"
    "\U00020000-\U0002f7ff\U00030000-\U0003ffff]"
)
"""What Unicode names a unified ideograph, also in a square; whole planes are kept for them."""

_LANG = re.compile("[a-z]{2,3}")


class LocalizedText(RootModel[dict[str, str]]):
    """A text of a playbook: plain, or by language.

    Who reads another language than those there are reads English, else the first. A plain text is
    kept under "".
    """

    model_config = ConfigDict(frozen=True)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.root.items())))

    def __call__(self, lang: Lang) -> str:
        """The text in that language."""
        texts = self.root
        return texts.get(lang) or texts.get("") or texts.get(FALLBACK) or next(iter(texts.values()))

    @property
    def texts(self) -> tuple[str, ...]:
        """The text in every language, each once."""
        return tuple(dict.fromkeys(self.root.values()))

    def lacks(self, languages: Iterable[Lang]) -> list[Lang]:
        """Those of the languages that it is not written in; a plain text is for all."""
        return [] if "" in self.root else [lang for lang in languages if lang not in self.root]

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: Any) -> Any:
        if isinstance(given, str):
            return {"": given}
        if not isinstance(given, dict) or not given:
            raise ValueError("should be a text, or a text for each language, as {en: ..., zh: ...}")
        return given

    @model_validator(mode="after")
    def _check(self) -> Self:
        if unknown := [lang for lang in self.root if lang and not _LANG.fullmatch(lang)]:
            raise ValueError(f"{unknown[0]!r} is no language, as en or zh are")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As files write it: a plain text, or a text for each language."""
        texts = {"type": "string"}
        named = {"propertyNames": {"pattern": f"^{_LANG.pattern}$"}, "minProperties": 1}
        by_language = {"type": "object", "additionalProperties": texts, **named}
        return {"title": cls.__name__, "anyOf": [texts, by_language]}

    @model_serializer
    def _write(self) -> str | dict[str, str]:
        return self.root.get("", self.root)


NO_TEXT: Final = LocalizedText({"": ""})
"""The empty text, in every language."""


def suits_language(example: str, lang: Lang) -> bool:
    """Whether to show an example to a reader of that language: Chinese ones to readers of it."""
    return (detect_language(example) == "zh") == (lang == "zh")


def only_language(languages: Sequence[Lang]) -> Lang | None:
    """The language that everybody is answered in; None where it is told by what they write."""
    told = [lang for lang in languages if lang in DETECTED]
    return None if len(told) > 1 else next(iter((*told, *languages)), None)


def detect_language(text: str, fallback: Lang = "en") -> Lang:
    """zh when the text has a CJK ideograph, else en (design §1: the person's language).

    A text without any letter, such as "1, 70.5" or an emoji, is in the `fallback` language.
    """
    if not text.isascii() and _IDEOGRAPH.search(text):
        return "zh"
    return "en" if any(map(str.isalpha, text)) else fallback
