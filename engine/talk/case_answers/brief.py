"""A short answer from a case: the facts that fit the question best, and no more."""

from collections.abc import Sequence
from typing import Final

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.understanding.own_work.facts import CaseFact
from engine.understanding.own_work.fitting import BestFits, FittingFact

MOST_FACTS: Final = 5
MOST_SURE: Final = 4
ROOM: Final[dict[Lang, int]] = {"en": 245, "zh": 140}
"""So many characters of facts stand in an answer; the first stands however long it is."""

FAR: Final = 0.2
"""A fact that fits so much less than the best is not told beside it."""

NEAR: Final = 0.55
"""A fact that fits so much less than the best is no part of a sure answer."""


def sure_texts(fits: BestFits, facts: Sequence[CaseFact], lang: Lang) -> list[str]:
    """The facts that answer, and how the request stands that the first belongs to."""
    best = fits.fits[0].score
    chosen = [f.fact for f in fits.fits if f.score >= NEAR * best and (f.hits or f.is_of_kind)]
    chosen = chosen[:MOST_SURE]
    if chosen[0].kind == "sentence" and fits.asked.quotes and not fits.asked.wanted:
        chosen += [f for f in facts if f.names[:1] == chosen[0].names[:1] and f not in chosen]
    owners = {fact.owner for fact in chosen[:1] if fact.kind == "value"}
    chosen += [f for f in facts if f.kind == "request" and f.owner in owners and f not in chosen]
    return [_lines(chosen, lang)]


def likely_texts(fits: BestFits, facts: Sequence[CaseFact], lang: Lang) -> list[str]:
    """That it is not sure what is meant, what fits best, and where the rest is."""
    fitting: Sequence[FittingFact] = fits.fits
    if fitting and fitting[0].hits and fitting[0].is_of_kind:
        fitting = [each for each in fitting if each.score >= FAR * fitting[0].score]
    chosen = [each.fact for each in fitting] or list(facts)
    return [
        say("case.no_answer", lang),
        _lines(chosen[: 2 * MOST_FACTS], lang, MOST_FACTS + (len(fits.asked.wanted) > 2) * 2),
        say("case.whole", lang),
    ]


def _lines(facts: Sequence[CaseFact], lang: Lang, most: int = MOST_FACTS) -> str:
    """As many of the facts as there is room for, each on its line; those of a file on one."""
    lines, room = dict[str, str](), ROOM[lang]
    for fact in facts:
        key = fact.names[0] if fact.kind == "sentence" else fact.text
        more = literal(fact.values[0]) if key in lines else fact.text
        size = len(more.replace("*", "")) + 1
        if lines and (size > room or (len(lines) >= most and key not in lines)):
            continue
        lines[key] = f"{lines[key]} {more}" if key in lines else fact.text
        room -= size
    told = tuple(lines.values())
    return told[0] if len(told) == 1 else "\n".join(f"- {line}" for line in told)
