"""What was decided before, and why, as a model is told of it (design §13)."""

from collections.abc import Iterator
from datetime import datetime

from cards.model import Card, Decision
from cards.moments import READERS_OWN, local_time
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.mine.cases import CasesHere
from engine.talk.mine.summary import RunSummary, read_summaries

Decided = tuple[datetime, str]
"""When something was decided, and the line that tells it."""


async def decisions_here(head: ReplyHead, services: Services, here: CasesHere) -> tuple[str, ...]:
    """What was decided in the cases, and on requests of this conversation, the oldest first.

    As far as all who read the answer may know.
    """
    zone = head.principal.zone if head.principal.zone not in ("", READERS_OWN) else services.zone
    requests = await read_summaries(services.own_runs, head.runs)
    cases = {case.id for case in here.cases}
    alone = (r for r in requests if not (r.run.case and r.run.case.name.id in cases))
    found = [
        *_of_cases(here, head, services, zone),
        *(each for r in alone if services.sees(r.run.project) for each in _of_request(r, zone)),
    ]
    return tuple(line for _, line in sorted(found))


def _of_cases(here: CasesHere, head: ReplyHead, services: Services, zone: str) -> Iterator[Decided]:
    for document in (case.document for case in here.cases):
        places = {run.id: run.conversation for run in document.runs}
        for each in document.decided:
            place = places.get(each.run, head.conversation)
            if place == head.conversation or services.people.is_open_to(
                place, head.conversation, document.name.project
            ):
                when = local_time(each.at, zone)
                told = f"[{when}] {each.name} chose {each.choice} on {each.about}"
                yield each.at, told + (f": {each.reason}" if each.reason else "")


def _of_request(summary: RunSummary, zone: str) -> Iterator[Decided]:
    for card in summary.cards:
        if card.decision is not None and card.kind in ("confirm", "select"):
            yield card.decision.at, _line(summary, card, card.decision, zone)


def _line(summary: RunSummary, card: Card, decision: Decision, zone: str) -> str:
    choice = card.choice(decision.choice)
    chosen = choice.label if choice else decision.choice
    reason = decision.values.get("reason")
    about = f"{summary.run.name}, {card.title}"
    names = ", ".join(dict.fromkeys(each.name for each in card.deciders))
    told = f"[{local_time(decision.at, zone)}] {names} chose {chosen} on {about}"
    return told + (f": {reason}" if reason else "")
