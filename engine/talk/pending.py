"""`/pending`: everything that waits for a person, wherever it was asked (design §3, inbox)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cards.clipping import clip
from cards.deciding.inbox import inbox_names_of_person, is_waiting_for
from cards.frozen import Frozen
from cards.markdown import literal
from cards.model import Card, Lang, Principal
from cards.moments import local_time
from cards.texts import say
from engine.events import Actor
from engine.mail import CommandArrived
from engine.ports.storage.findings import Check, Finding, ProjectFindings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.store import Post
from engine.reviews.awaited import awaited_text
from engine.services import Services
from engine.talk.mine.own_work import page_of
from engine.talk.turn.choice_cards import is_choice_card

PAGE_CARDS = 10
SAID_CHARS = 120
MAX_CARDS_READ = 1_000
"""So many cards are looked at for a page; most of what is listed for a person waits for them."""

_BATCH = 50


Voter = Callable[[Card | None], Principal]
"""The person as they may act on that card, or on any, with those whose seat they may take."""


@dataclass(frozen=True, slots=True)
class PendingPage:
    """Cards from the `first` (counted from 1) on, out of `total` at most.

    The oldest comes first, and behind all others what the person themselves was asked to choose.
    `more` when there may be a next page. Of those that were looked at `unreadable` are of another
    version of this service.
    """

    cards: tuple[Card, ...]
    first: int
    more: bool
    total: int
    unreadable: int = 0


async def read_pending_page(
    inbox: Inbox, voter: Voter, now: datetime, *, number: int = 1, size: int = PAGE_CARDS
) -> PendingPage:
    """Page `number` of what this person may decide now, by the roles they hold now."""
    listed = await inbox.find_tokens(inbox_names_of_person(voter(None)))
    wanted = number * size
    found, choices, unreadable = list[Card](), list[Card](), 0
    tokens = listed.tokens[:MAX_CARDS_READ]
    for start in range(0, len(tokens), _BATCH):
        batch = tokens[start : start + _BATCH]
        cards = await inbox.cards(batch)
        if len(cards) < len(batch):
            unreadable += await inbox.unreadable(batch)
        for card in cards:
            if is_waiting_for(card, voter(card), now):
                (choices if is_choice_card(card) else found).append(card)
        if len(found) > wanted:
            break
    found += choices
    more = len(found) > wanted or len(listed.tokens) > MAX_CARDS_READ
    first = wanted - size
    total = max(listed.total, len(found))
    return PendingPage(tuple(found[first:wanted]), first + 1, more, total, unreadable)


FINDINGS = 10
"""So many findings are listed."""
OWN_CHECKS = 200
"""Among so many of the newest checks of a project a person's own are looked for."""


class CardRepost(Frozen):
    """Cards to show again at `place`, to whoever `actor` is by then."""

    actor: Actor
    place: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextWithCards:
    """What `/pending` says, and the cards that go below it."""

    text: str
    reposts: tuple[CardRepost, ...]

    def posts(self, reply: str) -> tuple[Post, ...]:
        """The rows of the cards that go below this reply."""
        return tuple(
            Post(
                row=f"{reply}/cards/{number}",
                conversation=f"cards:{repost.place}",
                kind="cards",
                ref=reply,
                body=repost.model_dump_json(),
            )
            for number, repost in enumerate(self.reposts)
        )


async def pending_text(mail: CommandArrived, lang: Lang, services: Services) -> TextWithCards:
    """What waits for the person, what else is open here, and what checks found."""
    update, person = mail.update, mail.principal
    number = page_of(update.text)

    def voter(card: Card | None) -> Principal:
        return services.people.as_voter(person, card, services.today)

    page = await read_pending_page(services.inbox, voter, services.now, number=number)
    others = [
        card
        for card in await services.decisions.open_cards(update.conversation)
        if not card.traits.informs and services.sees(card.project)
        if not is_waiting_for(card, voter(card), services.now)
    ]
    found = await _visible_findings(person, update.conversation, services)
    zone = person.zone or services.zone
    texts, reposts = _own_cards_text(mail, page, number, zone, lang, services)
    if page.unreadable:
        texts.append(say("pending.unreadable", lang, n=page.unreadable))
    texts += _others_text(others, lang, services)
    if found.findings or found.dropped:
        texts.append(_findings_text(found, zone, lang, services))
    return TextWithCards("\n\n".join(texts) or say("pending.none", lang), reposts)


async def _visible_findings(
    person: Principal, conversation: str, services: Services
) -> ProjectFindings:
    """The findings of checks that the person may see, the newest first.

    These are of runs that they requested and, with a role, all of the conversation's project; none
    of a project that they may not see.
    """
    here = services.project(conversation)
    sees_all = person.roles and services.sees(here)
    whole = await services.findings.of(here, FINDINGS) if sees_all else ProjectFindings()
    served = (*services.playbooks.values(), *services.elsewhere.values())
    named = {playbook.definition.project for playbook in served} - {""}
    own = {project for project in named | {here} if services.sees(project)}
    found, checks = whole.findings, list(whole.checks)
    for project in sorted(own - {here} if sees_all else own):
        newest = (await services.findings.of(project, OWN_CHECKS)).checks
        mine = [check for check in newest if check.requester == person.id]
        found += sum(check.found for check in mine)
        checks += mine
    checks.sort(key=lambda check: check.at, reverse=True)
    return ProjectFindings(found, tuple(checks), whole.dropped)


def _own_cards_text(
    mail: CommandArrived, page: PendingPage, number: int, zone: str, lang: Lang, services: Services
) -> tuple[list[str], tuple[CardRepost, ...]]:
    """What waits for the person, said only where everybody may read it, and the cards to show."""
    here = mail.update.conversation
    place = services.people.private_place(mail.update.actor, here)
    open_here = [c for c in page.cards if place == here or services.people.is_visible_in(c, here)]
    beside = [card for card in page.cards if card not in open_here]
    texts = []
    if open_here:
        lines = [_card_line(card, zone, lang) for card in open_here]
        texts.append("\n".join((say("pending.mine", lang), "", *lines)))
    if beside:
        texts.append(say("pending.beside" if place else "pending.inbox_only", lang, n=len(beside)))
    if page.more:
        shown = page.first + len(page.cards) - 1
        texts.append(say("pending.more", lang, shown=shown, total=page.total, next=number + 1))
    cards_by_place = ((here, open_here), (place, beside if place else []))
    reposts = tuple(
        CardRepost(actor=mail.update.actor, place=at, cards=tuple(card.token for card in cards))
        for at, cards in cards_by_place
        if cards
    )
    return texts, reposts


def _card_line(card: Card, zone: str, lang: Lang) -> str:
    """What a card is about; without a number, as those of choices on cards can be typed."""
    asked = literal(card.requester_name or card.requester)
    line = f"- {_card_title(card)}" + say("pending.asked_by", lang, who=asked)
    if card.deadline is None:
        return line
    return line + say("pending.until", lang, when=local_time(card.deadline, zone))


def _card_title(card: Card) -> str:
    """The title, and what tells it from others of the same one (Markdown)."""
    if is_choice_card(card) and not card.rows:
        # It is Markdown: a mark that is cut off leaves no backslash.
        said = clip(card.text.partition("\n")[0], SAID_CHARS).replace("\\…", "…")
        return f"{literal(card.title)} {said}".strip()
    rows = (row.value for row in card.rows[:2] if row.value not in card.title)
    return " ".join(map(literal, (card.title, *rows))).strip()


def _others_text(cards: Sequence[Card], lang: Lang, services: Services) -> list[str]:
    """Open cards of this conversation that wait for somebody else."""
    if not cards:
        return []
    lines = [
        say(
            "pending.line",
            lang,
            title=_card_title(card),
            who=awaited_text(card, services.people, lang),
        )
        for card in cards
    ]
    return ["\n".join((say("pending.others", lang), "", *lines))]


def _not_in_message(check: Check, finding: Finding) -> list[str]:
    """What the finding is about, as far as its message does not say so itself."""
    return [each for each in (check.about, finding.entry) if each and each not in finding.message]


def _whose_and_when(check: Check, names: Mapping[str, str], zone: str, lang: Lang) -> str:
    """What checked, for whom of these names, and when; when alone of an older version's check."""
    when = local_time(check.at, zone)
    if not (check.title and check.requester):
        return when
    who = literal(names.get(check.requester, check.requester))
    return say("pending.finding_whose", lang, title=literal(check.title), who=who, when=when)


def _findings_text(found: ProjectFindings, zone: str, lang: Lang, services: Services) -> str:
    """How many stand, until when, and the first of the newest checks with whose these were."""
    each = [(check, finding) for check in found.checks for finding in check.findings][:FINDINGS]
    names = {person.id: person.name for person in services.people.everybody}
    lines = [
        say(
            "pending.finding"
            if (about := _not_in_message(check, finding))
            else "pending.finding_of",
            lang,
            record=" ".join(map(literal, about)),
            field=literal(finding.label),
            message=literal(finding.message),
            when=_whose_and_when(check, names, zone, lang),
        )
        for check, finding in each
    ]
    if more := found.findings - len(each):
        lines.append(say("pending.more_findings", lang, n=more))
    if found.dropped:
        lines.append(say("pending.dropped_findings", lang, n=found.dropped))
    return "\n".join((say("pending.findings", lang, n=found.findings), "", *lines))
