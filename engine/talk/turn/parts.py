"""Beginning the parts of a reply: what each intent starts, answers at once, or waits for."""

from dataclasses import dataclass, field
from typing import Any

from cards.markdown import literal
from cards.showing.view import NOT_DONE
from cards.texts import say
from engine.cases.letters import find_case
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.frames.shared_files import kept_names, offer_text
from engine.frames.state import AgentState, PlannerFrame, Run
from engine.playbooks.model import Playbook, Request
from engine.ports.storage.store import NOTHING, CardWrite, Effects, Post
from engine.reviews.clocks import card_timers
from engine.reviews.form_facts import entity_title
from engine.reviews.text_answers import TextAnswers
from engine.runs.effects import start_effects
from engine.runs.run_state import asks_model, with_request_context
from engine.runs.step_services import record_calls
from engine.runs.sync_changes import ends_target
from engine.services import Services
from engine.skills.own_name import with_self
from engine.talk.active_runs import blocked_runs_text
from engine.talk.case_answers.whole_case import with_offer
from engine.talk.mine.cases import cases_here
from engine.talk.mine.decisions import decisions_here
from engine.talk.turn.answers import (
    QuestionAnswer,
    answer_at_once,
    answer_open_question,
    needs_model,
)
from engine.talk.turn.briefings import zone_of
from engine.talk.turn.case_files import give_to_case
from engine.talk.turn.choice_cards import (
    new_choice_card,
    not_yet_text,
    open_choice_text,
    without_unavailable,
)
from engine.talk.turn.session import Session
from engine.text.entities import fold
from engine.text.form_reading import FormReading
from engine.understanding.pieces.scoring import asks_for_favour

SHOWN_PROJECTS = 5


@dataclass(slots=True)
class Turn:
    """A message whose parts are being begun, and what they have brought about so far.

    `session` is what was said before it. `slot` until a card has got the one place in the reply's
    own message. `effects` are all but those of the new `runs`. `calls` are those of look-ups, as
    recorded, with the index of their part.
    """

    head: ReplyHead
    session: Session
    services: Services
    parts: list[Part] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    effects: Effects = NOTHING
    slot: bool = True
    calls: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def add(self, effects: Effects) -> None:
        """Take on further effects."""
        self.effects = self.effects.plus(effects)

    def all_effects(self) -> Effects:
        """What the parts brought about; each new run knows which of them wait for it."""
        runs = [run.model_copy(update={"wakes": self._waiting_for(run)}) for run in self.runs]
        return self.effects.plus(start_effects(runs))

    def _waiting_for(self, run: Run) -> tuple[int, ...]:
        waiting = (part for part in self.parts if part.state == "waiting")
        return tuple(p.index for p in waiting if run.part.index in p.intent.depends_on)


async def begin_part(index: int, intent: Intent, turn: Turn, *, answer: str = "") -> Part:
    """The part of one intent; what it starts is added to the turn.

    One that needs the model is left `working`. `answer` is what was answered before, and stays.
    """
    head, services = turn.head, turn.services
    intent = without_unavailable(intent, services.playbooks, services.barred)
    text = say("part.working", head.lang)
    part = Part(index=index, intent=intent, state="working", text=text, answer=answer)
    if not services.sees(services.project(head.conversation)):
        # It was another project's when they wrote.
        text = say("project.hidden", head.lang)
        return part.model_copy(update={"state": "failed", "text": text})
    blocker = _find_blocker(intent, turn.parts)
    if blocker is not None:
        settle = skip_part if _is_lost(blocker) else _defer
        return settle(part, blocker.index, head)
    if intent.kind == "workflow":
        return await _begin_workflow(part, turn)
    if intent.kind == "card_reply":
        answers = text_answers(head, services)
        if services.model and await answers.open_form(intent, head):
            return part
        return await answer_card(part, turn)
    if intent.case is not None:
        state, text, given = await give_to_case(intent.case, head, services)
        turn.add(given)
        return part.model_copy(update={"state": state, "text": text})
    if intent.is_of_files:
        return ask_which(
            part.model_copy(update={"answer": offer_text(head.files, head.lang)}), turn
        )
    if intent.kind == "unclear" and intent.candidates and not intent.told:
        favour = asks_for_favour(fold(intent.text))
        known = await answer_open_question(intent, head, services)
        if known and not (intent.note or favour):
            return with_offer(part.model_copy(update={"state": "answered", "text": known}), head)
        answer = known or await blocked_runs_text(head, services)
        if not (answer or favour):
            # Beside the card: what it asks for may stand there.
            answer = await answer_open_question(intent, head, services, loosely=True)
        return ask_which(part.model_copy(update={"answer": answer}), turn)
    if not await needs_model(intent, head, services):
        calls: list[dict[str, Any]] = []
        recorded = record_calls(services.call, "call", calls, services.clock.elapsed_s)
        state, text = await answer_at_once(intent, head, services.with_changes(call=recorded))
        turn.calls += [(index, call) for call in calls]
        return with_offer(part.model_copy(update={"state": state, "text": text}), head)
    return part


def text_answers(head: ReplyHead, services: Services) -> TextAnswers:
    """What judges the texts of this person here."""
    entities = services.entities(head.conversation, head.principal)
    return TextAnswers(services.decisions, services.people, services.zone, services.today, entities)


async def answer_card(part: Part, turn: Turn, by_model: FormReading | None = None) -> Part:
    """The part that answers a card, with what rules, or a model, read in it."""
    answers = text_answers(turn.head, turn.services)
    reply = await answers.answer(part.intent, turn.head, by_model)
    turn.add(reply.effects)
    return part.model_copy(update={"state": reply.state, "text": reply.text})


def _find_blocker(intent: Intent, parts: list[Part]) -> Part | None:
    """The earlier part that has to be settled before this intent is begun, or was not done.

    Questions that a model answers are answered together, also where one leans on another.
    """
    for index in intent.depends_on:
        part = parts[index]
        if part.state == "working" and intent.kind == part.intent.kind == "qa_query":
            continue
        if part.state == "waiting" and part.intent.depends_on:
            return parts[part.intent.depends_on[0]]
        if part.run or part.state == "working" or _is_lost(part):
            return part
    return None


def _is_lost(part: Part) -> bool:
    return part.state in NOT_DONE


def skip_part(part: Part, blocker: int, head: ReplyHead) -> Part:
    """The part, which is not done because the one with index `blocker` was not."""
    text = say("part.skipped", head.lang, n=blocker + 1)
    return part.model_copy(update={"state": "cancelled", "text": text})


def _defer(part: Part, blocker: int, head: ReplyHead) -> Part:
    """The part, which waits for the one with index `blocker`."""
    text = say("part.waiting", head.lang, n=blocker + 1)
    intent = part.intent.model_copy(update={"depends_on": (blocker,)})
    return part.model_copy(update={"intent": intent, "state": "waiting", "text": text})


async def _begin_workflow(part: Part, turn: Turn) -> Part:
    """A new run; a card where a condition is the person's to judge; or that it cannot be yet."""
    head, services = turn.head, turn.services
    if barred := services.barred.get(f"{part.intent.playbook}/{part.intent.request}"):
        return part.model_copy(update={"state": "failed", "text": _barred_text(barred, turn)})
    playbook = services.playbooks.get(part.intent.playbook)
    if other := services.elsewhere.get(part.intent.playbook):
        return part.model_copy(update={"state": "failed", "text": _elsewhere_text(other, turn)})
    if playbook is None:
        text = say("request.gone", head.lang, text=literal(part.intent.text))
        return part.model_copy(update={"state": "failed", "text": text})
    request = _find_request(playbook, part.intent.request)
    if request is None or request.not_yet:
        text = not_yet_text(playbook, request, head.lang, services)
        return part.model_copy(update={"state": "failed", "text": text})
    if part.intent.condition:
        return ask_which(part, turn)
    run = await _new_run(part, playbook, request, turn)
    turn.slot = False
    turn.runs.append(run)
    return run.part


def _barred_text(request: Request, turn: Turn) -> str:
    """That others may ask for it, and who."""
    lang = turn.head.lang
    names = (turn.services.people.role_name(role, lang) for role in request.roles)
    roles = say("list.items", lang).join(map(literal, names))
    return say("request.barred", lang, name=literal(request.name(lang)), roles=roles)


def _elsewhere_text(playbook: Playbook, turn: Turn) -> str:
    """Why the conversation's project has no run of it, and which projects may."""
    head, services, definition = turn.head, turn.services, playbook.definition
    name, book = literal(definition.name(head.lang)), services.projects()
    if services.run_project(definition, head.conversation) is not None:
        return say("project.hidden_work", head.lang, name=name)
    able = [each for each in book.runs_in(definition.id, definition.project) if services.sees(each)]
    if not able:
        return say("project.no_work", head.lang, name=name)
    here = literal(book.name(book.of(head.conversation), head.lang))
    named = (literal(book.name(each, head.lang)) for each in able[:SHOWN_PROJECTS])
    projects = say("list.items", head.lang).join(named)
    return say("project.other_work", head.lang, name=name, project=here, projects=projects)


def _find_request(playbook: Playbook, name: str) -> Request | None:
    """The request of that id; without one, what the playbook can do, if it can do anything."""
    requests = playbook.definition.requests
    if name:
        return next((r for r in requests if r.id == name), None)
    return next((r for r in requests if not r.not_yet), None)


def ask_which(part: Part, turn: Turn) -> Part:
    """The part with a card that asks what was meant, or whether its condition holds."""
    head, services = turn.head, turn.services
    card = new_choice_card(part, head, services)
    turn.add(Effects(cards=(CardWrite(card),), timers=card_timers(card, services.now)))
    if turn.slot:
        turn.add(Effects(slots=((head.id, card.token),)))
        turn.slot = False
    else:
        row = f"{card.token}@{head.place}"
        post = Post(row=row, conversation=head.place, kind="card", ref=card.token)
        turn.add(Effects(posts=(post,)))
    text = open_choice_text(part, head.lang)
    return part.model_copy(update={"state": "needs_you", "text": text})


def with_answer(part: Part, answer: QuestionAnswer, turn: Turn) -> Part:
    """The part with the model's answer, and with a card below it where that leads to a workflow."""
    if answer.leads_to:
        intent = part.intent.model_copy(update={"candidates": answer.leads_to})
        update = {"intent": intent, "answer": answer.text}
        return ask_which(part.model_copy(update=update), turn)
    told = part.model_copy(update={"state": answer.state, "text": answer.text})
    return with_offer(told, turn.head)


async def _new_run(part: Part, playbook: Playbook, request: Request, turn: Turn) -> Run:
    """A run of the request, at its first phase, with what its skills may read."""
    head, services, definition = turn.head, turn.services, playbook.definition
    run_id = services.derived_id(head.conversation, "run", head.id, str(part.index))
    # One kind of work is called as its playbook is; of several it is said which was asked for.
    several = bool(request.phases) or len(definition.requests) > 1
    name = (request.name if several else definition.name)(head.lang)
    text = say("part.starting", head.lang, name=name)
    known = services.entities(head.conversation, head.principal)
    run = Run(
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
        part=_without_data(part).model_copy(update={"text": text, "run": run_id}),
        slot=turn.slot,
        named=with_self(head.entities, head.text, head.principal, known),
        project=services.run_project(definition, head.conversation) or "",
        ends_to=ends_target(definition),
        frames=(PlannerFrame(phase=definition.phases_of(request.id)[0].id),),
        state=_known_at_first(part.intent, playbook, turn),
        started_at=services.now,
    )
    recent = turn.session.prompt_lines(zone_of(head, services))
    decided = await _decided_before(playbook, turn)
    files = kept_names(head.files)
    run = with_request_context(run, playbook, recent, files=files, decided=decided)
    link = find_case(run, playbook, run.project)
    return run.model_copy(update={"case": link})


def _without_data(part: Part) -> Part:
    """The part without what the run's own state has."""
    return part.model_copy(update={"intent": part.intent.model_copy(update={"data": {}})})


def _known_at_first(intent: Intent, playbook: Playbook, turn: Turn) -> AgentState:
    """What a run of this knows: the values of the program that asks, with what people read."""
    head = turn.head
    entities = turn.services.entities(head.conversation, head.principal)
    labels: dict[str, dict[str, str]] = {}
    for name, value in intent.data.items():
        leaf = playbook.definition.data_fields[name]
        if leaf.entity and (names := entities.names_of(leaf.entity, str(value))):
            labels[name] = {str(value): entity_title(names, str(value), head.lang)}
    return AgentState(data=intent.data, labels=labels)


async def _decided_before(playbook: Playbook, turn: Turn) -> tuple[str, ...]:
    """What was decided before the message, for a playbook in which a model is asked."""
    if turn.services.model is None or not asks_model(playbook):
        return ()
    here = await cases_here(turn.head, turn.services)
    return await decisions_here(turn.head, turn.services, here)
