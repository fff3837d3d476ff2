"""Handling one message: route, answer, start runs, reply once (design §3)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from cards.model import Card, Principal
from engine.frames import audit
from engine.frames.intents import way
from engine.frames.replies import Part, ReplyHead, said_late, settled
from engine.frames.shared_files import meant, said_with
from engine.mail import CardDecided, CardExpired, MessageArrived, PartReady, RunStarted
from engine.ports.storage.store import (
    Effects,
    PartWrite,
    Post,
    ReplyWrite,
    Touch,
    TraceWrite,
)
from engine.reviews.clocks import close_card, without_timers
from engine.runs.effects import written
from engine.services import Services
from engine.talk.turn import offer
from engine.talk.turn.answers import QuestionAnswer, ask_model
from engine.talk.turn.came_along import only_files, with_files
from engine.talk.turn.parts import TurnProgress, ask_which, begin, skipped
from engine.talk.turn.session import Session
from engine.talk.turn.traces import react_trace, routed_trace
from engine.text.language import detect
from engine.understanding.context import RouteContext, Routed
from engine.understanding.learned.table import RouteTable
from engine.understanding.router.chain import route

Progress = Callable[[Effects], Awaitable[None]]
"""Commits what is settled so far, without taking the message away."""


@dataclass(frozen=True, slots=True)
class TurnSituation:
    """How things stood when a message's turn came: the conversation's open cards and active runs.

    `again`: the message may have been handled in part before a crash. `table` is what the router
    has learned of the current playbooks and tools.
    """

    cards: int
    runs: int
    again: bool
    table: RouteTable


async def said(
    mail: MessageArrived,
    session: Session,
    services: Services,
    progress: Progress,
    standing: TurnSituation,
) -> Effects:
    """The effects of a message."""
    since_s = services.clock.elapsed_s()
    services = services.limited_to(mail.principal)
    head = head_of(mail, session, services)
    stored = await services.decisions.reply(head.id) if standing.again else None
    if stored:
        head = ReplyHead.model_validate_json(stored[0])
        parts = [Part.model_validate_json(body) for body in stored[1]]
        return await _finish(head, parts, Effects(), session, services)
    head = await with_files(head, mail.update.files, services)
    routed = only_files(head) or await _routed(head, standing, session, services)
    begun = TurnProgress(recent=_recent(session))
    for index, intent in enumerate(routed.intents):
        await begin(index, intent, head, begun, services)
    first = _first_effects(head, routed, _with_wakes(begun), services)
    if any(unanswered(part, begun.parts) for part in begun.parts):
        await progress(first)
        first = Effects()
    effects = await _finish(head, begun.parts, first, session, services)
    services.meter.took("turn", services.clock.elapsed_s() - since_s, way(routed.intents))
    return effects


def head_of(mail: MessageArrived, session: Session, services: Services) -> ReplyHead:
    """The head of the reply to a message, the same whenever it is handled."""
    update = mail.update
    before = next((line.text for line in reversed(session.recent) if line.by == "person"), "")
    return ReplyHead(
        id=services.derived_id(update.conversation, "reply", update.id),
        conversation=update.conversation,
        lang=mail.principal.lang or detect(update.text, fallback=detect(before)),
        principal=mail.principal,
        text=update.text,
        at=services.now,
        asker=update.actor.user,
        thread=update.thread,
    )


async def _routed(
    head: ReplyHead, standing: TurnSituation, session: Session, services: Services
) -> Routed:
    cards = await services.decisions.open_cards(head.conversation) if standing.cards else ()
    context = RouteContext(
        table=standing.table,
        tools=services.tools,
        open_cards=tuple(cards),
        running=bool(standing.runs),
        barred=services.barred,
        principal=_standing(head, cards, services),
        today=services.today,
        recent=tuple(line.text for line in session.recent if line.by == "person"),
        lang=head.lang,
    )
    return await route(meant(head.text, head.files), context, services.model)


def _standing(head: ReplyHead, cards: Sequence[Card], services: Services) -> Principal:
    """The person, with whose seats they may take on any of these cards."""
    person, people = head.principal, services.people
    voters = [people.standing(person, card, services.today) for card in (None, *cards)]
    lent = {each.id: each for voter in voters for each in voter.stands_for}
    return person.model_copy(update={"stands_for": tuple(lent.values())})


def _recent(session: Session) -> tuple[str, ...]:
    return tuple(line.text for line in session.recent)


def unanswered(part: Part, parts: Sequence[Part]) -> bool:
    """The part needs the model, or waits for one of these parts that does."""
    if part.state == "waiting":
        return any(unanswered(parts[n], parts) for n in part.intent.depends_on)
    return part.state == "working" and not part.run


def _with_wakes(begun: TurnProgress) -> TurnProgress:
    """Tell each run which parts wait for it."""
    for position, run in enumerate(begun.runs):
        waiting = tuple(
            p.index
            for p in begun.parts
            if p.state == "waiting" and run.part.index in p.intent.depends_on
        )
        begun.runs[position] = run.model_copy(update={"wakes": waiting})
    return begun


def _first_effects(
    head: ReplyHead, routed: Routed, begun: TurnProgress, services: Services
) -> Effects:
    due_s = 0.0 if settled(tuple(begun.parts)) else services.limits.reply_after_s
    reply = Post(row=head.id, conversation=head.place, kind="reply", ref=head.id, due_s=due_s)
    effects = _with(begun, Effects())
    return replace(
        effects,
        reply=ReplyWrite(
            id=head.id,
            head=head.model_dump_json(),
            parts=tuple(part.stored() for part in begun.parts),
        ),
        posts=(reply, *effects.posts),
        traces=routed_trace(head, routed, services.tracing),
    )


def _with(begun: TurnProgress, effects: Effects) -> Effects:
    """The effects with the runs and cards that parts have begun."""
    start = RunStarted().stored()
    return replace(
        effects,
        runs=tuple(written(run) for run in begun.runs),
        cards=(*effects.cards, *begun.cards),
        mails=(*begun.mails, *((f"run:{run.id}", start) for run in begun.runs)),
        timers=(*effects.timers, *begun.timers),
        slots=tuple(begun.slots),
        posts=(*effects.posts, *begun.posts),
        log=(*map(audit.started, begun.runs), *begun.log),
    )


async def _finish(
    head: ReplyHead,
    parts: list[Part],
    first: Effects,
    session: Session,
    services: Services,
) -> Effects:
    """Answer what needs the model, all at once, then begin what waited for the answers.

    What was said is remembered.
    """
    asked = [p for p in parts if unanswered(p, parts) and p.state == "working"]
    waiting = [p for p in parts if unanswered(p, parts) and p.state == "waiting"]
    alone = len(parts) == 1
    answers = await asyncio.gather(
        *(ask_model(p.intent, head, session, services, alone=alone) for p in asked)
    )
    # The place in the reply's own message may be taken already.
    begun = TurnProgress(parts=list(parts), recent=_recent(session), slot=False)
    for part, answer in zip(asked, answers, strict=True):
        begun.parts[part.index] = _answered(part, answer, head, begun, services)
    for part in waiting:
        begun.parts[part.index] = await _begun_late(part, begun, head, services)
    changed = [begun.parts[part.index] for part in (*asked, *waiting)]
    session = session.heard(said_with(head.text, head.files)).told(
        "\n".join(p.told() for p in begun.parts)
    )
    effects = _with(begun, Effects()) if changed else first
    traces = [
        trace
        for part, answer in zip(asked, answers, strict=True)
        if answer.result
        for trace in react_trace(head, part, answer.result, services.tracing)
    ]
    return replace(
        effects,
        session=session.model_dump_json(),
        parts=tuple(PartWrite(head.id, p.index, p.stored()) for p in changed),
        touches=(Touch(head.id),) if changed else (),
        traces=(*effects.traces, *traces),
    )


def _answered(
    part: Part, answer: QuestionAnswer, head: ReplyHead, begun: TurnProgress, services: Services
) -> Part:
    """The part with its answer, and with a button where that leads to a workflow."""
    if answer.leads_to:
        intent = part.intent.model_copy(update={"candidates": answer.leads_to})
        shown = ask_which(part.model_copy(update={"intent": intent}), head, begun, services)
        return offer.below(answer.text, shown)
    return part.model_copy(update={"state": answer.state, "text": answer.text})


async def _begun_late(part: Part, begun: TurnProgress, head: ReplyHead, services: Services) -> Part:
    """A part that waited for an answer, begun now, or not because there was none."""
    alone = TurnProgress(parts=begun.parts[: part.index], recent=begun.recent, slot=False)
    await begin(part.index, part.intent, head, alone, services)
    begun.runs += alone.runs
    begun.cards += alone.cards
    begun.mails += alone.mails
    begun.posts += alone.posts
    begun.timers += alone.timers
    begun.log += alone.log
    return alone.parts[part.index]


async def part_ready(mail: PartReady, session: Session, services: Services) -> Effects:
    """The run that a part waited for has ended: begin the part now, or say why not."""
    found = await part_of(mail.reply, mail.index, services)
    if found is None:
        return Effects()
    head, part = found
    again = mail.retried and part.state == "failed" and not part.run
    if part.state != "waiting" and not again:
        return Effects()
    if mail.completed:
        return await _goes_on(part, head, session, services)
    begun = TurnProgress(parts=[skipped(part, part.intent.depends_on[0], head)])
    return _one_part(begun, head, services)


async def answered(
    mail: CardDecided | CardExpired, session: Session, services: Services
) -> Effects:
    """A card of this conversation's talk was decided, or its time is over."""
    if isinstance(mail, CardDecided):
        return await chosen(mail, session, services)
    return await not_chosen(mail, services)


async def chosen(mail: CardDecided, session: Session, services: Services) -> Effects:
    """A card of this conversation's talk was decided: go on with what was chosen."""
    asked = await _asked(mail.card, services)
    if asked is None:
        return Effects()
    card, head, part = asked
    intent = offer.chosen(part.intent, mail.decision.choice)
    if intent is None:
        left = offer.left(part, "choose.left", head.lang)
        effects = _one_part(TurnProgress(parts=[left]), head, services)
    else:
        part = part.model_copy(update={"intent": intent})
        effects = await _goes_on(part, head, session, services)
    return replace(effects, timers=(*effects.timers, *without_timers(card.token, card.lane)))


async def not_chosen(mail: CardExpired, services: Services) -> Effects:
    """Nobody answered a card of the conversation's talk in time."""
    asked = await _asked(mail.card, services)
    if asked is None or asked[0].status != "open":
        return Effects()
    card, head, part = asked
    left = offer.left(part, "choose.expired", head.lang)
    effects = _one_part(TurnProgress(parts=[left]), head, services)
    return replace(effects, cards=(close_card(card, "expired"),))


async def _asked(token: str, services: Services) -> tuple[Card, ReplyHead, Part] | None:
    """The card with what it asks about; None when that is settled otherwise."""
    card = await services.decisions.card(token)
    found = await part_of(card.card.reply, card.card.part, services) if card else None
    # Set aside and retried, it says that it failed.
    if card is None or found is None or found[1].state not in ("needs_you", "failed"):
        return None
    return card.card, *found


async def part_of(reply: str, index: int, services: Services) -> tuple[ReplyHead, Part] | None:
    """A reply's head and one of its parts; None when the reply is gone."""
    stored = await services.decisions.reply(reply)
    if stored is None:
        return None
    head = ReplyHead.model_validate_json(stored[0])
    return head, Part.model_validate_json(stored[1][index])


async def _goes_on(part: Part, head: ReplyHead, session: Session, services: Services) -> Effects:
    """Begin the part, alone and now, for the person as they are by now."""
    head = head.model_copy(update={"principal": services.people.known(head.principal)})
    services = services.limited_to(head.principal)
    begun = TurnProgress(recent=_recent(session), slot=False)
    intent = part.intent.model_copy(update={"depends_on": ()})
    await begin(part.index, intent, head, begun, services, answer=part.answer)
    traces: tuple[TraceWrite, ...] = ()
    if begun.parts[0].state == "working" and not begun.parts[0].run:
        answer = await ask_model(intent, head, session, services)
        begun.parts[0] = _answered(begun.parts[0], answer, head, begun, services)
        if answer.result:
            traces = react_trace(head, part, answer.result, services.tracing)
    return replace(_one_part(begun, head, services), traces=traces)


def _one_part(begun: TurnProgress, head: ReplyHead, services: Services) -> Effects:
    """The effects of the one part that was begun by itself."""
    after = begun.parts[0]
    late = said_late(
        after,
        head.lang,
        reply=head.id,
        conversation=head.place,
        since=head.at,
        now=services.now,
    )
    effects = Effects(
        parts=(PartWrite(head.id, after.index, after.stored()),),
        posts=late,
        touches=(Touch(head.id),),
    )
    return _with(begun, effects)
