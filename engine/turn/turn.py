"""Handling one message: route, answer, start runs, reply once (design §3)."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from cards.model import Card
from cards.texts import say
from engine.frames.state import PlannerFrame, Run
from engine.intents import Intent
from engine.language import detect
from engine.mail import GIVEN_UP, PartReady, Said, Started
from engine.ports.store import (
    Aside,
    CardWrite,
    Effects,
    PartWrite,
    Post,
    ReplyWrite,
    RunWrite,
    Touch,
)
from engine.replies import Part, ReplyHead, said_late, settled
from engine.router.chain import route
from engine.router.model import Route, RouteContext
from engine.turn.answers import ask_model, quick, slow
from engine.turn.cards import answer_card
from engine.turn.services import TurnServices
from engine.turn.session import Session

Progress = Callable[[Effects], Awaitable[None]]
"""Commits what is settled so far, without taking the message away."""


@dataclass(slots=True)
class _Begun:
    """What the parts of a message have brought about so far.

    `slot` until a run has got the one place for a card in the reply's own message.
    """

    parts: list[Part] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    cards: list[CardWrite] = field(default_factory=list)
    mails: list[tuple[str, str]] = field(default_factory=list)
    slot: bool = True


async def said(
    mail: Said,
    session: Session,
    services: TurnServices,
    progress: Progress,
    *,
    again: bool,
    cards: int,
) -> Effects:
    """The effects of a message. `again`: it may have been handled in part before a crash.

    `cards` is how many cards were open in the conversation when the message's turn came.
    """
    head = _head(mail, session, services)
    stored = await services.decisions.reply(head.id) if again else None
    if stored:
        head = ReplyHead.model_validate_json(stored[0])
        parts = [Part.model_validate_json(body) for body in stored[1]]
        return await _finish(head, parts, Effects(), session, services)
    open_cards = await services.decisions.open_cards(head.conversation) if cards else ()
    begun = await _begin(head, tuple(open_cards), session, services)
    first = _first_effects(head, begun, services)
    if any(_unanswered(part) for part in begun.parts):
        await progress(first)
        first = Effects()
    return await _finish(head, begun.parts, first, session, services)


def _head(mail: Said, session: Session, services: TurnServices) -> ReplyHead:
    update = mail.update
    before = next((line.text for line in reversed(session.recent) if line.by == "person"), "")
    return ReplyHead(
        id=services.derived_id(update.conversation, "reply", update.id),
        conversation=update.conversation,
        lang=detect(update.text, fallback=detect(before)),
        principal=mail.principal,
        text=update.text,
        at=services.now,
    )


async def _begin(
    head: ReplyHead, cards: tuple[Card, ...], session: Session, services: TurnServices
) -> _Begun:
    """Route the message and settle every part that needs no model."""
    context = RouteContext(
        routes=tuple(_route(name, services) for name in services.playbooks),
        tools=services.tools,
        open_cards=cards,
        principal=head.principal,
        today=services.today,
        recent=tuple(line.text for line in session.recent if line.by == "person"),
        lang=head.lang,
    )
    routed = await route(head.text, context, services.model)
    begun = _Begun()
    for index, intent in enumerate(routed.intents):
        await _part(index, intent, head, begun, services)
    return _with_wakes(begun)


def _route(name: str, services: TurnServices) -> Route:
    definition = services.playbooks[name].definition
    names = (definition.name.zh, definition.name.en)
    return Route(playbook=name, names=names, examples=definition.examples, cues=definition.cues)


async def _part(
    index: int, intent: Intent, head: ReplyHead, begun: _Begun, services: TurnServices
) -> None:
    """Add the part of one intent, with what it starts."""
    part = Part(index=index, intent=intent, state="working", text=say("part.working", head.lang))
    waited = _waits_for(intent, begun)
    if waited is not None:
        text = say("part.waiting", head.lang, n=waited + 1)
        root = intent.model_copy(update={"depends_on": (waited,)})
        part = part.model_copy(update={"intent": root, "state": "waiting", "text": text})
    elif intent.kind == "workflow":
        run = _new_run(part, head, services, slot=begun.slot)
        begun.slot = False
        begun.runs.append(run)
        part = run.part
    elif intent.kind == "card_reply":
        reply = await answer_card(intent, head.principal, services)
        begun.cards.extend(reply.cards)
        begun.mails.extend(reply.mails)
        part = part.model_copy(update={"state": reply.state, "text": reply.text})
    elif not slow(intent):
        state, text = await quick(intent, head, services)
        part = part.model_copy(update={"state": state, "text": text})
    begun.parts.append(part)


def _waits_for(intent: Intent, begun: _Begun) -> int | None:
    """The earlier part whose run must end before this intent is begun."""
    for index in intent.depends_on:
        part = begun.parts[index]
        if part.state == "waiting":
            return part.intent.depends_on[0]
        if part.run:
            return index
    return None


def _new_run(part: Part, head: ReplyHead, services: TurnServices, *, slot: bool) -> Run:
    playbook = services.playbooks[part.intent.playbook]
    run_id = services.derived_id(head.conversation, "run", head.id, str(part.index))
    name = playbook.definition.name(head.lang)
    text = say("part.starting", head.lang, name=name)
    return Run(
        id=run_id,
        playbook=playbook.id,
        digest=playbook.digest,
        name=name,
        conversation=head.conversation,
        lang=head.lang,
        requester=head.principal,
        text=part.intent.text,
        message=head.text,
        reply=head.id,
        part=part.model_copy(update={"text": text, "run": run_id}),
        slot=slot,
        frames=(PlannerFrame(phase=playbook.definition.phases[0].id),),
        started_at=services.now,
    )


def _with_wakes(begun: _Begun) -> _Begun:
    """Tell each run which parts wait for it."""
    for position, run in enumerate(begun.runs):
        waiting = tuple(
            p.index
            for p in begun.parts
            if p.state == "waiting" and run.part.index in p.intent.depends_on
        )
        begun.runs[position] = run.model_copy(update={"wakes": waiting})
    return begun


def _unanswered(part: Part) -> bool:
    return part.state == "working" and not part.run


def _first_effects(head: ReplyHead, begun: _Begun, services: TurnServices) -> Effects:
    due_s = 0.0 if settled(tuple(begun.parts)) else services.reply_after_s
    start = Started().model_dump_json()
    return Effects(
        reply=ReplyWrite(
            id=head.id,
            head=head.model_dump_json(),
            parts=tuple(part.stored() for part in begun.parts),
        ),
        runs=tuple(_written(run) for run in begun.runs),
        cards=tuple(begun.cards),
        mails=(*begun.mails, *((f"run:{run.id}", start) for run in begun.runs)),
        posts=(
            Post(
                row=head.id, conversation=head.conversation, kind="reply", ref=head.id, due_s=due_s
            ),
        ),
        log=tuple((run.id, _started(run)) for run in begun.runs),
    )


def _written(run: Run) -> RunWrite:
    body = run.stored()
    return RunWrite(id=run.id, conversation=run.conversation, reply=run.reply, body=body)


def _started(run: Run) -> str:
    entry = {
        "at": run.started_at.isoformat(),
        "by": run.requester.id,
        "event": "started",
        "playbook": run.digest,
        "why": run.part.intent.why,
    }
    return json.dumps(entry, ensure_ascii=False)


async def _finish(
    head: ReplyHead,
    parts: list[Part],
    effects: Effects,
    session: Session,
    services: TurnServices,
) -> Effects:
    """Answer what needs the model, all at once, and remember what was said."""
    open_parts = [part for part in parts if _unanswered(part)]
    told = await asyncio.gather(
        *(ask_model(part.intent, head, session, services) for part in open_parts)
    )
    after = dict(enumerate(parts))
    for part, (state, text) in zip(open_parts, told, strict=True):
        after[part.index] = part.model_copy(update={"state": state, "text": text})
    session = session.heard(head.text).told("\n".join(p.text for p in after.values()))
    changed = [after[part.index] for part in open_parts]
    return replace(
        effects,
        session=session.model_dump_json(),
        parts=tuple(PartWrite(head.id, p.index, p.stored()) for p in changed),
        touches=(Touch(head.id),) if changed else (),
    )


async def part_ready(mail: PartReady, session: Session, services: TurnServices) -> Effects:
    """The run that a part waited for has ended: begin the part now, or say why not."""
    stored = await services.decisions.reply(mail.reply)
    if stored is None:
        return Effects()
    head = ReplyHead.model_validate_json(stored[0])
    part = Part.model_validate_json(stored[1][mail.index])
    again = mail.retried and part.state == "failed" and not part.run
    if part.state != "waiting" and not again:
        return Effects()
    begun = _Begun(slot=False)
    intent = part.intent.model_copy(update={"depends_on": ()})
    if not mail.completed:
        waited = part.intent.depends_on[0] + 1
        text = say("part.skipped", head.lang, n=waited)
        begun.parts.append(part.model_copy(update={"state": "cancelled", "text": text}))
    else:
        await _part(mail.index, intent, head, begun, services)
        if _unanswered(begun.parts[0]):
            state, text = await ask_model(intent, head, session, services)
            begun.parts[0] = part.model_copy(update={"state": state, "text": text})
    after = begun.parts[0]
    return Effects(
        parts=(PartWrite(head.id, after.index, after.stored()),),
        runs=tuple(_written(run) for run in begun.runs),
        mails=tuple((f"run:{run.id}", Started().model_dump_json()) for run in begun.runs),
        log=tuple((run.id, _started(run)) for run in begun.runs),
        posts=said_late(
            after,
            head.lang,
            reply=head.id,
            conversation=head.conversation,
            since=head.at,
            now=services.now,
        ),
        touches=(Touch(head.id),),
    )


async def given_up(mail: Said, session: Session, services: TurnServices) -> Effects:
    """What is said when a message could not be handled after several attempts.

    What is left of it is set aside, as messages of its own that an operator may have handled.
    """
    head = _head(mail, session, services)
    stored = await services.decisions.reply(head.id)
    if stored is None:
        intent = Intent(kind="unclear", text=head.text, why="handling failed")
        parts = [Part(index=0, intent=intent, state="working", text="")]
    else:
        parts = [Part.model_validate_json(body) for body in stored[1]]
    failed = {"state": "failed", "text": say("part.error", head.lang)}
    after = [part.model_copy(update=failed) for part in parts if _unanswered(part)]
    bodies = tuple(part.stored() for part in after)
    new = stored is None
    return Effects(
        reply=ReplyWrite(id=head.id, head=head.model_dump_json(), parts=bodies) if new else None,
        parts=tuple(PartWrite(head.id, p.index, p.stored()) for p in after),
        touches=(Touch(head.id),),
        posts=(Post(row=head.id, conversation=head.conversation, kind="reply", ref=head.id),),
        aside=tuple(_left(mail, part) for part in after),
    )


def _left(mail: Said, part: Part) -> Aside:
    update = mail.update.model_copy(
        update={"id": f"{mail.update.id}/{part.index}/again", "text": part.intent.text}
    )
    left = mail.model_copy(update={"update": update})
    return Aside(f"talk:{update.conversation}", left.model_dump_json(), GIVEN_UP)


async def part_given_up(mail: PartReady, services: TurnServices) -> Effects:
    """What a part says when it could not be handled after several attempts; it is set aside."""
    stored = await services.decisions.reply(mail.reply)
    if stored is None:
        return Effects()
    head = ReplyHead.model_validate_json(stored[0])
    part = Part.model_validate_json(stored[1][mail.index])
    failed = {"state": "failed", "text": say("part.error", head.lang)}
    after = part.model_copy(update=failed)
    again = mail.model_copy(update={"retried": True}).model_dump_json()
    return Effects(
        parts=(PartWrite(head.id, after.index, after.stored()),),
        touches=(Touch(head.id),),
        aside=(Aside(f"talk:{head.conversation}", again, GIVEN_UP),),
    )
