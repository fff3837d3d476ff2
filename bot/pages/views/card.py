"""Cards as operators see them: the question, who is asked, and the outcome."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.people.directory import Directory
from cards.model import Card, CardKind, Lang, Row
from cards.showing.show import describe_lapsed_votes, outcome
from cards.texts import say
from engine.ports.storage.archive import OpenCard

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class CardLine:
    """A card; `text` and `problems` are Markdown. `people` may decide: names, by role.

    `votes` are names with what they chose, `fallen` says which count no more,
    `age` how long it has been open.
    """

    token: str
    run: str
    kind: CardKind
    title: str
    status: str
    text: str
    rows: tuple[Row, ...]
    problems: tuple[str, ...]
    outcome: str
    waits_for: str
    people: tuple[str, ...]
    votes: tuple[tuple[str, str, datetime], ...]
    fallen: tuple[str, ...]
    quorum: int
    four_eyes: bool
    requester: str
    conversation: str
    deadline: datetime | None
    signs_off: bool = False
    since: datetime | None = None
    age: str = ""

    @property
    def open(self) -> bool:
        """Whether somebody's answer is awaited."""
        return self.status == "open"


@dataclass(frozen=True, slots=True)
class CardFormatter:
    """Formats cards in a language and time zone, with names of people, masked."""

    people: Directory
    lang: Lang
    zone: str
    mask: Mask
    with_link: Callable[[Row, str], Row] = lambda row, card: row

    def line(self, card: Card, since: datetime | None = None, age: str = "") -> CardLine:
        """The card as a line of a page."""
        mask, labels = self.mask, {choice.id: choice.label for choice in card.choices}
        return CardLine(
            token=card.token,
            run=card.run,
            kind=card.kind,
            title=mask(card.title),
            status=card.status,
            text=mask(card.text),
            rows=tuple(self._row(row, card.token) for row in card.rows),
            problems=tuple(map(mask, card.problems)),
            outcome=mask(outcome(card, self.zone)) if card.status != "open" else "",
            waits_for=self.awaited(card),
            people=self._deciders(card),
            votes=tuple((v.name, labels.get(v.choice, v.choice), v.at) for v in card.votes),
            fallen=tuple(map(mask, describe_lapsed_votes(card))) if card.status == "open" else (),
            quorum=card.review.quorum,
            four_eyes=card.review.four_eyes,
            requester=mask(card.requester_name or card.requester),
            conversation=card.conversation,
            deadline=card.deadline,
            signs_off=card.signs_off,
            since=since,
            age=age,
        )

    def _row(self, row: Row, card: str) -> Row:
        value, link = self.mask(row.value), self.with_link(row, card).path
        # What is masked is in the file's address, too.
        return Row(label=row.label, value=value, link=link if value == row.value else "")

    def awaited(self, card: Card) -> str:
        """The roles that decide the card, else the persons it names."""
        roles = [self.people.role_name(role, self.lang) for role in card.review.roles]
        named = ", ".join(roles) or card.waiting_for or card.requester_name or card.requester
        return self.mask(named)

    def _deciders(self, card: Card) -> tuple[str, ...]:
        people = self.people.scope_of(card)
        holders = people.deciders(card.review) if card.review.by_policy else ()
        known = {card.requester: card.requester_name or card.requester}
        known |= {person.id: person.name for person in holders}
        named = [
            *(person.name for person in holders),
            *(known.get(person, person) for person in card.review.persons),
            *(say("vote.for", self.lang, name=h.to_name, seat=h.by_name) for h in card.handed),
        ]
        return tuple(dict.fromkeys(map(self.mask, named)))


@dataclass(frozen=True, slots=True)
class WaitingGroup:
    """The number of cards that wait for somebody, and the age of the oldest."""

    who: str
    count: int
    oldest: str


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """A page of the cards that wait; `count` match in all, and `groups` are of all cards."""

    cards: Sequence[CardLine]
    count: int
    groups: Sequence[WaitingGroup]


def list_cards(
    cards: Sequence[OpenCard], formatter: CardFormatter, now: datetime, who: str, part: slice
) -> WaitingPage:
    """The waiting cards of `who`, or of everybody, cut to `part`; and all, in groups."""
    asking = [
        (each, formatter.awaited(each.card)) for each in cards if not each.card.traits.informs
    ]
    fitting = [each for each, name in asking if not who or name == who]
    found: dict[str, list[OpenCard]] = {}
    for each, name in asking:
        found.setdefault(name, []).append(each)
    # The oldest stands first.
    grouped = [
        WaitingGroup(name, len(group), format_age(now - group[0].since))
        for name, group in found.items()
    ]
    lines = [
        formatter.line(each.card, each.since, format_age(now - each.since))
        for each in fitting[part]
    ]
    return WaitingPage(lines, len(fitting), grouped)


def format_age(time: timedelta) -> str:
    """A length of time in its largest units, as in `3 d 4 h`; `< 1 min` for less."""
    minutes = int(time.total_seconds() // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h" if hours else f"{days} d"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes > 0 else "< 1 min"
