"""The catalogue of sentences that people read: a folder or a file for each language.

A language is loaded when it is first used.
"""

import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

from pydantic import AfterValidator
from pydantic import Field as Key
from pydantic_core import PydanticKnownError

from cards.model import Lang

COMPLETE: Final[tuple[Lang, ...]] = ("zh", "en")
"""The languages that have every sentence; people of unknown language read all of these."""

FALLBACK: Final[Lang] = "en"
"""The language of sentences that another language lacks."""

ROOM_TEXTS: Final[dict[str, Mapping[Lang, Mapping[str, str]]]] = {}
"""Sentences of rooms of adapters, by room and language."""


@cache
def languages() -> tuple[Lang, ...]:
    """Every language that has a folder or a file here, the complete ones first."""
    found = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(dict.fromkeys((*COMPLETE, *found)))


@cache
def texts_of(lang: Lang) -> dict[str, str]:
    """The sentences of a language by key, none without a file; `say` fills in `{name}`.

    Raises ValueError naming the keys that stand in two tables of the language.
    """
    texts: dict[str, str] = {}
    if lang not in languages():
        return texts
    top = import_module(f"{__name__}.{lang}")
    topics = pkgutil.iter_modules(getattr(top, "__path__", ()), f"{top.__name__}.")
    modules = (top, *(import_module(topic.name) for topic in topics))
    tables: list[Mapping[str, str]] = [getattr(module, "TEXTS", {}) for module in modules]
    for table in (*tables, *(room.get(lang, {}) for room in ROOM_TEXTS.values())):
        if twice := texts.keys() & table.keys():
            raise ValueError(f"texts that stand twice: {', '.join(sorted(twice))}")
        texts.update(table)
    return texts


def add_room_texts(room: str, texts: Mapping[Lang, Mapping[str, str]]) -> None:
    """Add the sentences of a room of adapters to each language."""
    ROOM_TEXTS[room] = texts
    texts_of.cache_clear()


def say(key: str, lang: Lang, **values: object) -> str:
    """The sentence of that key in the person's language, in English where it has none."""
    return sentence(key, lang).format(**values)


def sentence(key: str, lang: Lang) -> str:
    """Return the sentence with its gaps, which `say` fills in."""
    texts = texts_of(lang)
    return texts[key] if key in texts else texts_of(FALLBACK)[key]


def lang_of_tag(tag: str) -> Lang:
    """The language of a tag or of the first of several ("fr-CH, en"), English without its file."""
    lang = re.match("[a-z]*", tag.strip().lower())
    return lang[0] if lang and lang[0] in languages() else FALLBACK


def _check_spoken(lang: str) -> Lang:
    if lang not in languages():
        expected = " or ".join(map(repr, languages()))
        raise PydanticKnownError("literal_error", {"expected": expected})
    texts_of(lang)
    return lang


def _list_languages(schema: dict[str, Any]) -> None:
    schema["enum"] = list(languages())


SpokenLang = Annotated[str, AfterValidator(_check_spoken), Key(json_schema_extra=_list_languages)]
"""A language that there are sentences of: what people may choose. What is stored is a `Lang`."""
