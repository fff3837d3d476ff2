"""Beginning the parts of a reply: what each intent starts, answers at once, or waits for."""

from dataclasses import dataclass, field

from cards.markdown import literal
from cards.model import Card
from cards.showing.view import NOT_DONE
from cards.texts import say
from engine.frames.audit import Entry
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.frames.shared_files import kept
from engine.frames.state import PlannerFrame, Run
from engine.playbooks.model import Playbook, Request
from engine.ports.storage.store import CardWrite, Post, Timer
from engine.reviews.clocks import timers
from engine.reviews.text_answers import TextAnswers
from engine.runs.material import with_material
from engine.services import Services
from engine.talk.turn import offer
from engine.talk.turn.about_runs import stuck
from engine.talk.turn.answers import quick, slow


@dataclass(slots=True)
class TurnProgress:
    """What the parts of a message have brought about so far.

    `recent` is what was said before the message. `slot` until a card has got the one place in the
    reply's own message.
    """

    parts: list[Part] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    cards: list[CardWrite] = field(default_factory=list)
    mails: list[tuple[str, str]] = field(default_factory=list)
    slots: list[tuple[str, str]] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)
    log: list[Entry] = field(default_factory=list)
    recent: tuple[str, ...] = ()
    slot: bool = True


async def begin(
    index: int,
    intent: Intent,
    head: ReplyHead,
    begun: TurnProgress,
    services: Services,
    *,
    answer: str = "",
) -> None:
    """Add the part of one intent, with what it starts; one that needs the model is `working`.

    `answer` is what was answered before, and stays.
    """
    text = say("part.working", head.lang)
    intent = offer.offered(intent, services.playbooks, services.barred)
    part = Part(index=index, intent=intent, state="working", text=text, answer=answer)
    waited = _waits_for(intent, begun.parts)
    if waited is not None:
        settled = skipped if _lost(begun.parts[waited]) else _later
        begun.parts.append(settled(part, waited, head))
        return
    if intent.kind == "workflow":
        part = _workflow(part, head, begun, services)
    elif intent.kind == "card_reply":
        answers = TextAnswers(services.decisions, services.people, services.zone, services.today)
        reply = await answers.answer(intent, head)
        begun.cards.extend(reply.effects.cards)
        begun.mails.extend(reply.effects.mails)
        begun.log.extend(reply.effects.log)
        part = part.model_copy(update={"state": reply.state, "text": reply.text})
    elif intent.kind == "unclear" and intent.candidates and not intent.told:
        waits = await stuck(head, services)
        part = offer.below(waits, ask_which(part, head, begun, services))
    elif not await slow(intent, head, services):
        state, text = await quick(intent, head, services)
        part = part.model_copy(update={"state": state, "text": text})
    begun.parts.append(part)


def _lost(part: Part) -> bool:
    return part.state in NOT_DONE


def skipped(part: Part, waited: int, head: ReplyHead) -> Part:
    """The part, which is not done because the one it waited for was not."""
    text = say("part.skipped", head.lang, n=waited + 1)
    return part.model_copy(update={"state": "cancelled", "text": text})


def _later(part: Part, waited: int, head: ReplyHead) -> Part:
    text = say("part.waiting", head.lang, n=waited + 1)
    intent = part.intent.model_copy(update={"depends_on": (waited,)})
    return part.model_copy(update={"intent": intent, "state": "waiting", "text": text})


def _waits_for(intent: Intent, parts: list[Part]) -> int | None:
    """The earlier part that must be settled before this intent is begun, or was not finished."""
    for index in intent.depends_on:
        part = parts[index]
        if part.state == "waiting" and part.intent.depends_on:
            return part.intent.depends_on[0]
        if part.run or part.state == "working" or _lost(part):
            return index
    return None


def _workflow(part: Part, head: ReplyHead, begun: TurnProgress, services: Services) -> Part:
    """A new run; a card where a condition is the person's to judge; or that it cannot be yet."""
    if barred := services.barred.get(f"{part.intent.playbook}/{part.intent.request}"):
        return part.model_copy(update={"state": "failed", "text": _barred(barred, head, services)})
    playbook = services.playbooks.get(part.intent.playbook)
    if playbook is None:
        text = say("request.gone", head.lang, text=literal(part.intent.text))
        return part.model_copy(update={"state": "failed", "text": text})
    request = _request(playbook, part.intent.request)
    if request is None or request.not_yet:
        text = offer.not_yet(playbook, request, head.lang, services)
        return part.model_copy(update={"state": "failed", "text": text})
    if part.intent.condition:
        return ask_which(part, head, begun, services)
    run = new_run(part, playbook, head, services, slot=begun.slot)
    run = with_material(run, playbook, begun.recent, files=kept(head.files))
    begun.slot = False
    begun.runs.append(run)
    return run.part


def _barred(request: Request, head: ReplyHead, services: Services) -> str:
    """That others may ask for it, and who."""
    names = (services.people.role_name(role, head.lang) for role in request.roles)
    roles = say("list.items", head.lang).join(map(literal, names))
    return say("request.barred", head.lang, name=literal(request.name(head.lang)), roles=roles)


def _request(playbook: Playbook, name: str) -> Request | None:
    """The request of that id; without one, what the playbook can do, if it can do anything."""
    requests = playbook.definition.requests
    if name:
        return next((r for r in requests if r.id == name), None)
    return next((r for r in requests if not r.not_yet), None)


def ask_which(part: Part, head: ReplyHead, begun: TurnProgress, services: Services) -> Part:
    """The part with a card that asks what was meant, or whether its condition holds."""
    card = offer.card(part, head, services)
    begun.cards.append(CardWrite(card))
    begun.timers.extend(timers(card, services.now))
    if begun.slot:
        begun.slots.append((head.id, card.token))
        begun.slot = False
    else:
        begun.posts.append(_below(card, head))
    text = offer.question(part.intent, head.lang)
    return part.model_copy(update={"state": "needs_you", "text": text})


def _below(card: Card, head: ReplyHead) -> Post:
    row = f"{card.token}@{head.place}"
    return Post(row=row, conversation=head.place, kind="card", ref=card.token)


def new_run(
    part: Part, playbook: Playbook, head: ReplyHead, services: Services, *, slot: bool
) -> Run:
    """A run of the part's request, at its first phase."""
    run_id = services.derived_id(head.conversation, "run", head.id, str(part.index))
    definition = playbook.definition
    request = _request(playbook, part.intent.request)
    assert request is not None, "a run begins only with a request that can be done"
    name = (request.name if request.phases else definition.name)(head.lang)
    text = say("part.starting", head.lang, name=name)
    return Run(
        id=run_id,
        playbook=playbook.id,
        digest=playbook.digest,
        request=request.id,
        name=name,
        conversation=head.conversation,
        thread=head.thread,
        lang=head.lang,
        requester=head.principal,
        text=part.intent.text,
        message=head.text,
        reply=head.id,
        part=part.model_copy(update={"text": text, "run": run_id}),
        slot=slot,
        frames=(PlannerFrame(phase=definition.phases_of(request.id)[0].id),),
        started_at=services.now,
    )
