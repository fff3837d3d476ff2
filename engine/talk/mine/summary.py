"""What is told of a run to whom it concerns: how it stands, how it ended, who decided, and why."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from cards.deciding.inbox import voters_of
from cards.deciding.seats import may_decide
from cards.markdown import literal
from cards.model import ADMIN, REJECT, Card, Lang, Principal
from cards.moments import local_time
from cards.showing.show import describe_decision
from cards.texts import say
from cards.visible import visible
from engine.frames.ends import end_of, standing_failures, with_stored_status
from engine.frames.run_names import run_title
from engine.frames.state import ENDED, Run
from engine.playbooks.end_kinds import RunEnd
from engine.ports.pages import FindRunLink
from engine.ports.people import People
from engine.ports.storage.own_runs import KeptRun, OwnRuns
from engine.reviews.awaited import awaited_text
from engine.reviews.edits import edit_texts


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as it stands; `end` is how it ended, None while it lives.

    `cards` are all of its cards. `ended_by` is the id of who cancelled it, `message_id` the message
    in which it answers; each "" where there is none.
    """

    run: Run
    end: RunEnd | None
    ended_at: datetime | None
    cards: tuple[Card, ...] = ()
    ended_by: str = ""
    message_id: str = ""

    @property
    def reviews(self) -> tuple[Card, ...]:
        """The cards that were decided by a policy, the oldest decision first."""
        reviews = (c for c in self.cards if c.review.by_policy and c.run)
        decided = [(c.decision.at, n, c) for n, c in enumerate(reviews) if c.decision]
        return tuple(card for _, _, card in sorted(decided))

    @property
    def verdict(self) -> Card | None:
        """The review that the end hangs on: the last one, of a rejected run the last rejection."""
        rejected = [c for c in self.reviews if c.decision and c.decision.choice == REJECT]
        if self.end == "rejected" and rejected:
            return rejected[-1]
        return self.reviews[-1] if self.reviews else None

    @property
    def open_cards(self) -> tuple[Card, ...]:
        """The cards that somebody has to answer."""
        return tuple(c for c in self.cards if c.status == "open" and not c.traits.informs)

    @property
    def reason(self) -> str:
        """Why it ended so, as Markdown; "" where nothing says it."""
        if self.end in (None, "done"):
            return ""
        decision = self.verdict.decision if self.verdict else None
        given = decision.values.get("reason") if decision and decision.choice == REJECT else None
        if self.end == "rejected" and given:
            return literal(visible(str(given), lines=True))
        failures = [each.said for each in standing_failures(self.run.state) if each.said]
        if self.end == "refused" and failures:
            return "\n\n".join(failures)
        return failures[-1] if failures else self.run.part.text


def own_names(person: Principal) -> tuple[str, ...]:
    """Every id under which runs of this person may be listed."""
    return tuple(sorted(person.ids))


async def read_summaries(own_runs: OwnRuns, ids: Sequence[str]) -> tuple[RunSummary, ...]:
    """What there is to tell of these runs, in this order; unreadable ones are left out."""
    kept = await own_runs.read(ids) if ids else ()
    return tuple(each for found in kept if (each := summarize(found)) is not None)


def summarize(kept: KeptRun) -> RunSummary | None:
    """What there is to tell of a stored run; None where another version wrote it."""
    try:
        run = with_stored_status(Run.model_validate_json(kept.body), kept.ended)
    except ValidationError:
        return None
    ended_by = ""
    for entry in kept.entries:
        with suppress(ValueError, AttributeError):
            read = json.loads(entry)
            ended_by = str(read.get("by", "")) if read.get("event") == "cancelled" else ended_by
    end = end_of(run) if run.status in ENDED else None
    return RunSummary(run, end, kept.ended_at, kept.cards, ended_by, kept.message_id)


def may_see(summary: RunSummary, person: Principal, people: People) -> bool:
    """Whether it is theirs, they decide or decided on it, or may end every run."""
    scoped = people.scope_to(summary.run.conversation, summary.run.project or None).refresh(person)
    if not scoped.ids.isdisjoint(summary.run.requester.ids) or ADMIN in scoped.roles:
        return True
    cards = [card for card in summary.cards if card.review.by_policy]
    return any(
        not scoped.ids.isdisjoint(voters_of(card))
        or (card.status == "open" and may_decide(card, scoped))
        for card in cards
    )


def is_own(summary: RunSummary, person: Principal, people: People) -> bool:
    """Whether the person asked for it, as far as they may have to do with that conversation."""
    scoped = people.scope_to(summary.run.conversation, summary.run.project or None).refresh(person)
    return not scoped.ids.isdisjoint(summary.run.requester.ids)


async def run_address(summary: RunSummary, find: FindRunLink, reader: str) -> str:
    """Where the run answers, for a reader on that platform; "" where there is no address."""
    run = summary.run
    return await find(run.id, run.place, summary.message_id, reader=reader)


def title_of(summary: RunSummary, url: str = "") -> str:
    """What the run is called, and what it is about (Markdown); with an address, as a link."""
    title = run_title(summary.run)
    return f"[{title}](<{url}>)" if url else title


def state_text(summary: RunSummary, lang: Lang, zone: str, people: People) -> str:
    """How it stands: what it waits for, or how it ended, by whom and why (Markdown)."""
    if summary.end is None:
        return _waits_text(summary, lang, zone, people)
    text = say(f"end.{summary.end}", lang)
    if summary.end == "cancelled" and summary.ended_by:
        text = say("mine.ended_by", lang, end=text, who=literal(_name(summary, people)))
    if summary.ended_at is not None:
        when = local_time(summary.ended_at, zone)
        text = say("mine.ended_at", lang, end=text, when=when)
    reason = summary.reason if summary.end in ("refused", "failed", "expired") else ""
    if summary.verdict is not None and summary.verdict.decision is not None:
        told = describe_decision(summary.verdict, summary.verdict.decision, zone, lang)
        text = " · ".join((text, literal(told), *edit_texts(summary.verdict, lang)))
    return " · ".join(filter(None, (text, " ".join(reason.split()))))


def _waits_text(summary: RunSummary, lang: Lang, zone: str, people: People) -> str:
    if summary.run.status == "blocked" or not summary.open_cards:
        return say(f"state.{summary.run.status}", lang)
    waits = [
        say("query.card", lang, title=literal(card.title), who=awaited_text(card, people, lang))
        + _until(card, lang, zone)
        for card in summary.open_cards
    ]
    return say("mine.waits", lang, waits=say("list.items", lang).join(waits))


def _until(card: Card, lang: Lang, zone: str) -> str:
    if card.deadline is None:
        return ""
    return say("pending.until", lang, when=local_time(card.deadline, zone))


def _name(summary: RunSummary, people: People) -> str:
    """The name of who cancelled it."""
    requester = summary.run.requester
    if summary.ended_by in requester.ids:
        return requester.name
    found = people.find_listed(summary.ended_by)
    return found.name if found else summary.ended_by
