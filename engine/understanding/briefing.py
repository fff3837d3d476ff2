"""What every call of a model is told of who asks, where, and after what (design §13)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from cards.clipping import clip
from cards.model import Card
from engine.text.fence import fence_data

MOST_CHARS = 3000
CARD_CHARS = 600
MOST_CARDS = 8
MOST_FILES = 20
MOST_DECISIONS = 6
_TITLES = {
    "decisions": "Decided before",
    "files": "Files here",
    "messages": "Said before in this conversation, oldest first",
}


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is known when a model is asked: people's own texts, the oldest first.

    `known` are lines on what cases or a run know, as `known_lines` makes them; `request` is what
    the person asked for, of a run, and `problems` what was found wrong since. What changes least is
    told first, so that a provider has read it already when the next call comes. What does not fit
    is left out whole, the oldest first, and named.
    """

    today: date | None = None
    zone: str = ""
    person: str = ""
    known: Sequence[str] = ()
    decisions: Sequence[str] = ()
    files: Sequence[str] = ()
    conversation: Sequence[str] = ()
    cards: Sequence[Card] = ()
    remembered: str = ""
    request: str = ""
    problems: Sequence[str] = ()

    def lines(self) -> tuple[str, ...]:
        """The lines of a prompt."""
        return tuple(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.person:
            yield f"Who writes: {fence_data(self.person)}"
        if self.today:
            zone = f", in the time zone {self.zone}" if self.zone else ""
            yield f"Today is {self.today:%A}, {self.today.isoformat()}{zone}."
        if self.remembered:
            yield f"Remembered for the project by approved runs: {fence_data(self.remembered)}"
        yield from self.known
        left_out: list[str] = []
        for name, texts, most in (
            ("decisions", self.decisions, MOST_DECISIONS),
            ("files", self.files, MOST_FILES),
            ("messages", self.conversation, len(self.conversation)),
        ):
            kept = newest(texts, most)
            if kept:
                listed = "\n".join(kept)
                yield f"{_TITLES[name]}:\n{fence_data(listed)}"
            if older := len(texts) - len(kept):
                left_out.append(f"{older} older {name}")
        if self.cards:
            listed = "\n".join(card_line(n, c) for n, c in enumerate(shown_cards(self.cards), 1))
            yield f"Open cards, on which people decide by a button:\n{fence_data(listed)}"
        if left_out:
            yield f"Left out for length: {'; '.join(left_out)}."
        if self.request:
            yield f"The person's request: {fence_data(self.request)}"
        if self.problems:
            listed = "\n".join(self.problems)
            yield f"Found wrong before: {fence_data(listed)}"


def newest(texts: Sequence[str], most: int, chars: int = MOST_CHARS) -> tuple[str, ...]:
    """The newest of the texts that fit, whole; at least the last one, shortened if need be."""
    kept: list[str] = []
    left = chars
    for text in texts[: -most - 1 : -1]:
        left -= len(text)
        if left < 0 and kept:
            break
        kept.append(clip(text, chars))
    return tuple(reversed(kept))


def shown_cards(cards: Sequence[Card]) -> tuple[Card, ...]:
    """The open cards that a model is told of, in the order of their numbers."""
    return tuple(card for card in cards if card.status == "open")[-MOST_CARDS:]


def card_line(number: int, card: Card) -> str:
    """A card as a model reads it: what it asks, of whom, and its options by number."""
    # Others than reviewers may be strangers, who call themselves anything.
    waits = f", waits for {card.waiting_for}" if card.waiting_for and card.signs_off else ""
    parts = [f"{number}. “{card.title}”{waits}"]
    parts += filter(None, [" ".join(card.text.split())])
    parts += [f"{row.label}: {row.value}" for row in card.rows]
    parts += [f"{field.label}: {field.value}" for field in card.known if field.value]
    form = [field for choice in card.choices for field in choice.form][:30]
    asked = ", ".join(f"{f.label}{f' ({f.value})' if f.value else ''}" for f in form)
    options = ", ".join(f"{n} “{choice.label}”" for n, choice in enumerate(card.choices, 1))
    told = clip("; ".join(parts), CARD_CHARS)
    return told + (f"; its form asks for {asked}" if asked else "") + f"; options: {options}"
