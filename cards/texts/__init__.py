"""The one catalogue of sentences that people read, zh and en."""

from collections.abc import Mapping
from typing import Final

from cards.model import Lang
from cards.texts import (
    answer,
    audit,
    card,
    editing,
    graph,
    installing,
    jobs,
    library,
    pages,
    plans,
    platform,
    redcap,
    reply,
    review,
    telegram,
    terminal,
)

Texts = Mapping[str, tuple[str, str]]


def merged(*tables: Texts) -> dict[str, tuple[str, str]]:
    """All tables in one; raises ValueError naming the keys that stand in two of them."""
    whole: dict[str, tuple[str, str]] = {}
    for table in tables:
        if twice := whole.keys() & table.keys():
            raise ValueError(f"texts that stand twice: {', '.join(sorted(twice))}")
        whole.update(table)
    return whole


_TABLES = (
    *(card, editing, review, reply, platform, answer, library, redcap, graph, audit, pages),
    *(installing, jobs, plans, telegram, terminal),
)

TEXTS: Final = merged(*(part.TEXTS for part in _TABLES))
"""key: (zh, en). `{name}` are filled by `say`."""


def say(key: str, lang: Lang, **values: object) -> str:
    """The sentence of that key in the person's language."""
    zh, en = TEXTS[key]
    return (zh if lang == "zh" else en).format(**values)
