"""Which sentences tell what reviewers changed on a card."""

from collections.abc import Sequence
from datetime import datetime

from cards.edits import Edit
from cards.markdown import literal
from cards.model import Card, Lang
from cards.moments import local
from cards.texts import say

SHOWN_CHARS = 80
SHOWN_TIMES = 5


def told(edits: Sequence[Edit], lang: Lang) -> str:
    """Changes in one line of plain text; long values are cut."""
    return say("list.clauses", lang).join(
        say(
            "edit.change",
            lang,
            label=each.label,
            before=_cut(each.before),
            after=_cut(each.after),
        )
        for each in edits
    )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"


def lines(card: Card, zone: str) -> list[str]:
    """Who changed what on the card, as Markdown: the last five times, oldest first."""
    times: dict[tuple[datetime, str], list[Edit]] = {}
    for each in card.edits:
        times.setdefault((each.at, each.person), []).append(each)
    earlier = len(times) - SHOWN_TIMES
    shown = [
        say(
            "edit.card",
            card.lang,
            name=literal(edits[0].person_name),
            when=local(at, zone),
            changes=literal(told(edits, card.lang)),
        )
        for (at, _), edits in list(times.items())[-SHOWN_TIMES:]
    ]
    return [say("edit.earlier", card.lang, n=earlier), *shown] if earlier > 0 else shown
