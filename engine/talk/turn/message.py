"""Handling one message: understand it, answer, start runs, reply once (design §3)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cards.model import SUBMIT, Card, Lang, Principal
from engine.dialogue import unanswered_text
from engine.events import MessageReceived, SharedFile
from engine.frames.intents import Intent, route_kind
from engine.frames.replies import Part, ReplyHead, is_settled
from engine.frames.shared_files import kept_names, name_the_file, text_with_names
from engine.mail import MessageArrived
from engine.ports.storage.store import NOTHING, Effects, PartWrite, Post, Refresh, ReplyWrite
from engine.services import Services
from engine.talk.mine.cases import cases_here
from engine.talk.mine.facts import LoadWork, work_loader
from engine.talk.turn.answers import ModelQuestions, ask_model
from engine.talk.turn.briefings import make_briefing
from engine.talk.turn.case_files import ask_for_case, pass_on_files
from engine.talk.turn.continuation import close_repeated_choices
from engine.talk.turn.forms import answer_form
from engine.talk.turn.parts import Turn, begin_part, with_answer
from engine.talk.turn.session import Session
from engine.talk.turn.traces import lookup_trace, react_trace, routing_trace
from engine.text.entity_kinds import Entities
from engine.text.language import detect_language
from engine.understanding.context import RouteContext, RoutedMessage, StrategyVerdict
from engine.understanding.learned.table import RouteTable
from engine.understanding.open_forms import forms_asking_for_file
from engine.understanding.router.chain import route

CommitProgress = Callable[[Effects], Awaitable[None]]
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


async def handle_message(
    mail: MessageArrived,
    session: Session,
    services: Services,
    commit_progress: CommitProgress,
    situation: TurnSituation,
) -> Effects:
    """The effects of a message: its reply, and the runs and cards that it begins.

    Where the model is needed, what is known before it answers is committed first.
    """
    since_s = services.clock.elapsed_s()
    services = services.limited_to(mail.principal, mail.update.conversation)
    head = reply_head(mail, session, services)
    stored = await services.decisions.reply(head.id) if situation.again else None
    if stored:
        head = ReplyHead.model_validate_json(stored[0])
        parts = [Part.model_validate_json(body) for body in stored[1]]
        turn = Turn(head, session, services, parts, slot=False)
        return await _finish(turn, work_loader(head, services))
    head = await _take_files(head, mail.update.files, services)
    entities = services.entities(head.conversation, head.principal)
    head = head.model_copy(update={"entities": entities.record(head.text)})
    work = work_loader(head, services)
    known = _as_requested(mail.update) or await _route_files(head, situation, services)
    routed = known or await _route(head, situation, session, services, entities, work)
    turn = Turn(head, session, services)
    for index, intent in enumerate(routed.intents):
        turn.parts.append(await begin_part(index, intent, turn))
    _tell_who_read(turn, routed)
    if situation.cards:
        await close_repeated_choices(turn)
    if kept_names(head.files) and not turn.runs and not _is_taken(turn.parts):
        head, passed = await pass_on_files(head, services, is_active=bool(situation.runs))
        turn.head = head
        turn.add(passed)
    if services.model or turn.runs or turn.effects != NOTHING:
        # What the person has may be more by now.
        work = work_loader(head, services)
    effects = _first_effects(turn, routed)
    if any(is_unanswered(part, turn.parts) for part in turn.parts):
        asked = turn.session.with_last(head.principal, head.id)
        await commit_progress(replace(effects, session=asked.model_dump_json()))
        effects = Effects()
    # A card of what was answered late stands in the message of the reply too, if none does yet.
    rest = Turn(head, session, services, turn.parts, slot=turn.slot)
    effects = effects.plus(await _finish(rest, work))
    services.meter.took("turn", services.clock.elapsed_s() - since_s, route_kind(routed.intents))
    return effects


def _tell_who_read(turn: Turn, routed: RoutedMessage) -> None:
    """Say above what is unclear that rules alone read it, where the model was needed and is away.

    A question that needs the model says so itself.
    """
    unclear = [part for part in turn.parts if part.intent.kind == "unclear"]
    if routed.away is None or not unclear:
        return
    keys = {"away": "route.by_rules", "limited": "route.by_rules.limit"}
    lead = unanswered_text(routed.away, turn.head.lang, **keys)
    first = unclear[0]
    turn.parts[first.index] = first.model_copy(update={"lead": lead})


def _is_taken(parts: Sequence[Part]) -> bool:
    """Whether the files answer a form, or their sender is asked what they are for."""
    return any(part.intent.kind == "card_reply" or part.intent.is_of_files for part in parts)


def reply_head(mail: MessageArrived, session: Session, services: Services) -> ReplyHead:
    """The head of the reply to a message, the same whenever it is handled."""
    update = mail.update
    before = next((line.text for line in reversed(session.recent) if line.by == "person"), "")
    return ReplyHead(
        id=services.derived_id(update.conversation, "reply", update.id),
        conversation=update.conversation,
        lang=_language(mail, before),
        principal=mail.principal,
        text=update.text,
        at=services.now,
        asker=update.actor.user,
        thread=update.thread,
        runs=session.runs,
    )


def _language(mail: MessageArrived, before: str) -> Lang:
    """What the reply is written in; `before` is what the person wrote last."""
    chosen = mail.update.begins.lang if mail.update.begins else None
    typed = partial(detect_language, mail.update.text, fallback=detect_language(before))
    return chosen or mail.principal.lang or typed()


def _as_requested(update: MessageReceived) -> RoutedMessage | None:
    """The one intent of what a program asks for by name, which nobody has to understand."""
    work = update.begins
    if work is None:
        return None
    intent = Intent(
        kind="workflow",
        text=update.text,
        playbook=work.playbook,
        request=work.request,
        data=work.data,
        digest=work.digest,
        key=work.key,
        why="a program asks for it by name",
    )
    return RoutedMessage((intent,), (StrategyVerdict("program", True, intent.why),))


async def _take_files(
    head: ReplyHead, files: Sequence[SharedFile], services: Services
) -> ReplyHead:
    """The head with what became of the files, which are taken in before the text is read."""
    if not files:
        return head
    project = services.project(head.conversation)
    taken = await services.files.take(project, head.conversation, files, by=head.principal.id)
    return head.model_copy(update={"files": taken})


async def _route_files(
    head: ReplyHead, situation: TurnSituation, services: Services
) -> RoutedMessage | None:
    """The one intent of files without a word, which no strategy can read; None with a text.

    One file is the answer to the one form that asks its sender for a file.
    """
    if not head.files or head.text:
        return None
    cards = await services.decisions.open_cards(head.conversation) if situation.cards else ()
    asking = forms_asking_for_file(cards, head.principal)
    if len(asking) == len(kept_names(head.files)) == 1:
        why = "the file that an open form asks for"
        intent = Intent(kind="card_reply", text="", card=asking[0].token, choice=SUBMIT, why=why)
    elif not situation.runs and (which := await ask_for_case(head, services)):
        intent = which
    else:
        intent = Intent(kind="smalltalk", text="", why="files without a word")
    return RoutedMessage((intent,), (StrategyVerdict("files", True, intent.why),))


async def _route(
    head: ReplyHead,
    situation: TurnSituation,
    session: Session,
    services: Services,
    entities: Entities,
    work: LoadWork,
) -> RoutedMessage:
    cards = await services.decisions.open_cards(head.conversation) if situation.cards else ()

    async def brief() -> Sequence[str]:
        here = await cases_here(head, services)
        briefing = await make_briefing(head, session, services, here=here, cards=cards)
        return briefing.lines()

    context = RouteContext(
        table=situation.table,
        tools=services.tools,
        open_cards=tuple(cards),
        has_active_run=bool(situation.runs),
        barred=services.barred,
        entities=entities,
        sections=situation.table.sections.among(services.serving(head.conversation)),
        principal=_with_seats(head, cards, services),
        today=services.today,
        work=work,
        brief=brief,
        recent=tuple(line.text for line in session.recent if line.by == "person"),
        lang=head.lang,
    )
    return await route(name_the_file(head.text, head.files), context, services.model)


def _with_seats(head: ReplyHead, cards: Sequence[Card], services: Services) -> Principal:
    """The person, with whose seats they may take on any of these cards."""
    person, people = head.principal, services.people
    voters = [people.as_voter(person, card, services.today) for card in (None, *cards)]
    holders = {holder.id: holder for voter in voters for holder in voter.stands_for}
    return person.model_copy(update={"stands_for": tuple(holders.values())})


def is_unanswered(part: Part, parts: Sequence[Part]) -> bool:
    """Whether the part needs the model, or waits for one of these parts that does."""
    if part.state == "waiting":
        return any(is_unanswered(parts[n], parts) for n in part.intent.depends_on)
    return part.state == "working" and not part.run


def _first_effects(turn: Turn, routed: RoutedMessage) -> Effects:
    """The reply as it is before the model is asked, and what its parts began."""
    head, services = turn.head, turn.services
    due_s = 0.0 if is_settled(tuple(turn.parts)) else services.limits.reply_after_s
    reply = Effects(
        reply=ReplyWrite(
            id=head.id,
            head=head.model_dump_json(),
            parts=tuple(part.stored() for part in turn.parts),
        ),
        posts=(Post(row=head.id, conversation=head.place, kind="reply", ref=head.id, due_s=due_s),),
        traces=routing_trace(head, routed, turn.calls, services.tracing),
    )
    return reply.plus(turn.all_effects())


async def _finish(turn: Turn, work: LoadWork) -> Effects:
    """Answer what needs the model, all together, then begin what waited for the answers.

    The session remembers what was said.
    """
    head, parts, services = turn.head, turn.parts, turn.services
    unanswered = [part for part in parts if is_unanswered(part, parts)]
    asked = [part for part in unanswered if part.state == "working"]
    waiting = [part for part in unanswered if part.state == "waiting"]
    forms = [part for part in asked if part.intent.kind == "card_reply"]
    for part in forms:
        parts[part.index] = await answer_form(part, turn)
    questions = [part for part in asked if part not in forms]
    answers = await ask_model(ModelQuestions(questions, parts, head, turn.session, services, work))
    effects = Effects()
    for part, answer in zip(questions, answers, strict=True):
        parts[part.index] = with_answer(part, answer, turn)
        if answer.result:
            trace = react_trace(head, part, answer.result, services.tracing)
            effects = effects.plus(Effects(traces=trace))
    for part in waiting:
        parts[part.index] = await begin_part(part.index, part.intent, turn)
    effects = effects.plus(Effects(traces=lookup_trace(head, turn.calls, services.tracing)))
    said = text_with_names(head.text, head.files)
    session = turn.session.with_last(head.principal, head.id)
    session = session.with_message(said, head.principal, head.at)
    session = session.with_answer("\n".join(part.full_text() for part in parts), services.now)
    session = session.with_runs([part.run for part in parts if part.run])
    effects = replace(effects, session=session.model_dump_json())
    if not unanswered:
        return effects
    changed = [parts[part.index] for part in (*asked, *waiting)]
    writes = tuple(PartWrite(head.id, part.index, part.stored()) for part in changed)
    return effects.plus(Effects(parts=writes, touches=(Refresh(head.id),))).plus(turn.all_effects())
