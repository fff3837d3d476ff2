"""Answers to questions: a look-up, the ReAct engine, or an honest no (design §1, promise 4)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cards.markdown import literal
from cards.showing.view import PartState
from cards.texts import say
from engine.errors import ToolError
from engine.frames.intents import Candidate, Intent, Lookup
from engine.frames.replies import Part, ReplyHead
from engine.frames.shared_files import offer_text
from engine.playbooks.model import Playbook
from engine.ports.storage.drafts import ShowDraft
from engine.react import ReActEngine, ReActResult
from engine.react.answer_parts import as_draft, split_answer
from engine.services import Services
from engine.talk.active_runs import answer_about_runs, blocked_runs_text, question_needs_model
from engine.talk.case_answers.answering import answer_from_case, unknown_text
from engine.talk.mine.answers import answer_work
from engine.talk.mine.cases import CasesHere, ask_retrieval, cases_here, with_case_files
from engine.talk.mine.facts import LoadWork, work_loader
from engine.talk.mine.model_tool import own_work_tools
from engine.talk.turn.briefings import make_briefing
from engine.talk.turn.choice_cards import CHOSEN
from engine.talk.turn.near_candidates import near_candidates
from engine.talk.turn.offered_examples import example_list
from engine.talk.turn.session import Session
from engine.talk.turn.together import question_text
from engine.text import wording
from engine.text.entities import fold
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.understanding.lookups.partly import find_nearest
from engine.understanding.lookups.unmentioned import name_unmentioned
from engine.understanding.own_work.bearing import (
    asks_by_whom_or_when,
    asks_for_rule,
    asks_for_several,
    may_ask,
)
from engine.understanding.own_work.reading import WorkReader
from engine.understanding.router.own_work import asks_what_is_recorded
from engine.understanding.smalltalk import asks_who, is_thanks

AnswerText = tuple[PartState, str]
MOSTLY: Final = 0.5
"""A text with so much of a question's words is nearer to it than a request that may be meant."""
_AWAY: Final = frozenset(("model_unavailable", "allowance"))
"""Why a question that a model was to answer has none."""


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """An answer to a question, how the model found it, and the workflows that it leads to."""

    state: PartState
    text: str
    result: ReActResult | None = None
    leads_to: tuple[Candidate, ...] = ()


async def needs_model(intent: Intent, head: ReplyHead, services: Services) -> bool:
    """Whether the answer to the intent needs the model."""
    if intent.about_run:
        return await question_needs_model(head, services)
    return intent.kind == "qa_query" and not (intent.lookup or intent.told or intent.work)


async def answer_at_once(intent: Intent, head: ReplyHead, services: Services) -> AnswerText:
    """The answer to an intent that needs neither the model nor a run."""
    lang = head.lang
    if not intent.text and head.files:
        return "answered", offer_text(head.files, lang)
    if intent.work:
        return "answered", await answer_work(intent.work, head, services)
    if intent.told:
        # The hint at an open form is for who answers it, not for who asks something else.
        how = wording.asks_how(fold(intent.text)) and not wording.why(fold(intent.text))
        known = "" if how else await answer_open_question(intent, head, services)
        state: PartState = "answered" if how and intent.kind == "qa_query" else "needs_you"
        return state, "\n\n".join(filter(None, (known, intent.told)))
    if intent.about_run:
        if asks_for_several(head.text) and (known := await _known_here(head, services)):
            return "answered", known
        told = await answer_about_runs(intent.text, head, services)
        unknown = await unknown_text(intent.text, head, services)
        return "answered", "\n\n".join(filter(None, (told, unknown)))
    if intent.kind == "qa_query" and intent.lookup:
        return await _look_up_all(intent, head, services)
    if intent.kind == "smalltalk" and is_thanks(intent.text):
        return "answered", say("answer.thanks", lang)
    if intent.kind == "smalltalk" and asks_who(intent.text):
        return "answered", say(
            "help", lang, examples=await example_list("", lang, head.conversation, services)
        )
    if intent.kind == "smalltalk":
        return "answered", await _suggestion_text("answer.smalltalk", "", head, services)
    if intent.note == "not_possible":
        return "failed", await _suggestion_text("answer.not_possible", intent.text, head, services)
    return "answered", await _not_understood_text("answer.unclear", intent, head, services)


async def _not_understood_text(
    key: str, intent: Intent, head: ReplyHead, services: Services
) -> str:
    """What may have been meant, of what is known here; else what can be asked."""
    reader = await work_loader(head, services)()
    known = await _known_text(intent, reader, head, services)
    known = known or await _no_such_work_text(intent, reader, head, services)
    if intent.note == "beside":
        known = known or say("answer.beside", head.lang, text=literal(intent.text))
    return known or await _suggestion_text(key, intent.text, head, services)


async def _known_text(
    intent: Intent, reader: WorkReader, head: ReplyHead, services: Services
) -> str:
    """Which runs are blocked, as that may be meant; else what is known here; "" for nothing."""
    if waits := await blocked_runs_text(head, services):
        return waits
    # Nobody else answers it: what is nearest among the person's own requests, if anything is.
    entities = services.entities(head.conversation, head.principal)
    if asks_what_is_recorded(
        intent.text, services.tools, today=services.today, entities=entities
    ) and (recorded := await _look_up_nearest(intent, head, services)):
        return recorded
    near = reader.read(intent.text, loosely=True)
    if known := await _open_answer(intent, reader, head, services, loosely=True):
        return known
    is_rule = asks_for_rule(intent.text) or any(each.score >= MOSTLY for each in intent.near)
    if not (near and near.keys) or is_rule:
        found = await _look_up_nearest(intent, head, services)
        asks_verdict = near and found and not asks_by_whom_or_when(intent.text)
        none = await answer_work(near, head, services) if near and asks_verdict else ""
        return "\n\n".join(filter(None, (none, found)))
    told = await answer_work(near, head, services)
    return f"{say('work.perhaps', head.lang)}\n\n{told}"


async def _no_such_work_text(
    intent: Intent, reader: WorkReader, head: ReplyHead, services: Services
) -> str:
    """That the person has no such request, where it may be about one; "" where it is not."""
    near = reader.read(intent.text, loosely=True)
    return await answer_work(near, head, services) if near and not near.keys else ""


async def _answer_without_model(intent: Intent, questions: "ModelQuestions") -> QuestionAnswer:
    """What is known, in part if need be; else the questions near it, which people choose among."""
    head, services, reader = questions.head, questions.services, await questions.work()
    if known := await _known_text(intent, reader, head, services):
        return QuestionAnswer("answered", known)
    none = await _no_such_work_text(intent, reader, head, services)
    # Who chose to ask on one card is not given another.
    chosen = intent.why.startswith(CHOSEN)
    near, why = ((), "") if chosen else near_candidates(intent, head, services)
    if near:
        return QuestionAnswer("answered", none or why, leads_to=near)
    text = none or await _suggestion_text("answer.none", intent.text, head, services)
    return QuestionAnswer("answered", text)


async def _look_up_nearest(intent: Intent, head: ReplyHead, services: Services) -> str:
    """What a look-up knows of a question that asks for more, and what is left out; "" for none."""
    found = find_nearest(
        intent.text,
        services.tools,
        today=services.today,
        entities=services.entities(head.conversation, head.principal),
        told=max((each.score for each in intent.near), default=0.0),
    )
    if found is None or intent.kind != "qa_query":
        return ""
    lookup, left = found
    known = intent.model_copy(update={"lookup": lookup, "left": left})
    state, text = await _look_up_all(known, head, services)
    return text if state == "answered" else ""


async def answer_open_question(
    intent: Intent, head: ReplyHead, services: Services, *, loosely: bool = False
) -> str:
    """What the conversation's case has, for a question that nothing else answers; "" for none.

    `loosely`, any word that asks makes it a question, and so does a value's name.
    """
    reader = await work_loader(head, services)()
    return await _open_answer(intent, reader, head, services, loosely=loosely)


async def _open_answer(
    intent: Intent, reader: WorkReader, head: ReplyHead, services: Services, *, loosely: bool
) -> str:
    asks = intent.kind == "qa_query" or wording.asks(fold(intent.text))
    names_value = loosely and any(link.is_named and link.paths for link in reader.rank(intent.text))
    if not (asks or (loosely and may_ask(intent.text)) or names_value):
        return ""
    near = reader.read(intent.text, loosely=True)
    told = max((each.score for each in intent.near), default=0.0)
    return await answer_from_case(intent.text, near, reader, head, services, told=told)


async def _look_up(lookup: Lookup, head: ReplyHead, services: Services) -> AnswerText:
    chosen = next((tool for tool in services.tools if tool.name == lookup.tool), None)
    if chosen is None:
        # It was there when the question was understood.
        return "failed", say("tool.gone", head.lang, name=literal(lookup.tool))
    try:
        context = services.tool_context(head.conversation, head.principal)
        if not chosen.playbook:
            # Of the service's own: files of the case may be elsewhere.
            context = with_case_files(context, await cases_here(head, services), head, services)
        result = await services.call(chosen, lookup.arguments, context)
    except ToolError as error:
        return "failed", error.text(head.lang)
    nothing = chosen.name == KNOWLEDGE_SEARCH.name and not result.get("matches")
    if nothing and (known := await _known_here(head, services)):
        # No document has it, and what people call so may be what they shared here.
        return "answered", known
    return "answered", chosen.tell(result, head.lang)


async def _known_here(head: ReplyHead, services: Services) -> str:
    """What the conversation's case has for the whole message; "" for nothing."""
    reader = await work_loader(head, services)()
    near = reader.read(head.text, loosely=True)
    return await answer_from_case(head.text, near, reader, head, services)


async def _look_up_all(intent: Intent, head: ReplyHead, services: Services) -> AnswerText:
    """Every look-up of the intent, one below the other; failed when one of them is."""
    lookups = [each for each in (intent.lookup, *intent.more) if each]
    answers = [await _look_up(each, head, services) for each in lookups]
    failed = any(state == "failed" for state, _ in answers)
    partly = [say("answer.partly", head.lang, left=literal(intent.left))] if intent.left else []
    if len(lookups) == 1 and not (failed or partly):
        left = name_unmentioned(
            intent.text,
            lookups[0],
            answers[0][1],
            services.tools,
            today=services.today,
            entities=services.entities(head.conversation, head.principal),
        )
        partly = [say("answer.unmentioned", head.lang, left=literal(left))] if left else []
    told = "\n\n".join((*partly, *(text for _, text in answers)))
    return "failed" if failed else "answered", told


async def _suggestion_text(key: str, text: str, head: ReplyHead, services: Services) -> str:
    """A sentence and the nearest things that can be asked."""
    why = "" if services.model else say("answer.no_model", head.lang)
    examples = await example_list(text, head.lang, head.conversation, services)
    return f"{say(key, head.lang, why=why)}\n\n{examples}"


@dataclass(frozen=True, slots=True)
class ModelQuestions:
    """The parts of a message that are `asked` of a model, among all its `parts`.

    `work` is what the person has.
    """

    asked: Sequence[Part]
    parts: Sequence[Part]
    head: ReplyHead
    session: Session
    services: Services
    work: LoadWork


async def ask_model(questions: ModelQuestions) -> list[QuestionAnswer]:
    """The answers, in one dialogue; only its final text leaves the engine (spec 001 §5)."""
    if not questions.asked:
        return []
    model = questions.services.model
    here = await cases_here(questions.head, questions.services) if model else CasesHere()
    known = [await _answer_apart(part.intent, here, questions) for part in questions.asked]
    left = [p for p, answer in zip(questions.asked, known, strict=True) if answer is None]
    if not left:
        return [answer for answer in known if answer]
    questions = replace(questions, asked=left)
    result = await _run_engine(questions, here)
    found = [*_per_part(questions, result)]
    if result.reason in _AWAY:
        found = [
            await _told_all_the_same(*each, questions) for each in zip(left, found, strict=True)
        ]
    told = iter(found)
    return [answer or next(told) for answer in known]


async def _answer_apart(
    intent: Intent, here: CasesHere, questions: ModelQuestions
) -> QuestionAnswer | None:
    """The answer of what needs no dialogue of its own; None where it does."""
    head, services = questions.head, questions.services
    if intent.about_run:
        return QuestionAnswer("answered", await answer_about_runs(intent.text, head, services))
    if services.model is None:
        return await _answer_without_model(intent, questions)
    found = await ask_retrieval(intent.text, here, head, services)
    return QuestionAnswer("answered", found) if found else None


async def _run_engine(questions: ModelQuestions, here: CasesHere) -> ReActResult:
    head, services = questions.head, questions.services
    assert services.model is not None, "what needs no model is answered apart"
    context = services.tool_context(head.conversation, head.principal)
    context = with_case_files(context, here, head, services)
    tools = (*services.tools, *await own_work_tools(head, services))
    engine = ReActEngine(services.model, tools, services.limits.react, services.clock.elapsed_s)
    cards = await services.decisions.open_cards(head.conversation)
    briefing = await make_briefing(head, questions.session, services, here=here, cards=cards)
    with services.drafting.writing(head.id, head.conversation) as show:
        return await engine.run(
            question_text(questions.asked, questions.parts, head),
            context,
            lang=head.lang,
            briefing=briefing.lines(),
            show=_naming_parts(show, questions),
        )


def _naming_parts(show: ShowDraft | None, questions: ModelQuestions) -> ShowDraft | None:
    """What takes the answer so far and tells which parts of several it is for."""
    if show is None or len(questions.parts) == 1:
        return show
    numbers = [part.index + 1 for part in questions.asked]
    return lambda text: show(as_draft(text, numbers))


def _per_part(questions: ModelQuestions, result: ReActResult) -> Iterator[QuestionAnswer]:
    """The answer of each part; the trace, and what it leads to, go with the first."""
    lang, asked = questions.head.lang, questions.asked
    state: PartState = "answered" if result.success else "failed"
    texts = split_answer(result.content, [part.index + 1 for part in asked])
    above = say("part.with", lang, n=next(iter(texts), asked[0].index + 1))
    for number, part in enumerate(asked):
        text = texts.get(part.index + 1) or (above if texts else result.content)
        leads = _leads_to(result.refused, questions.services) if number == 0 else ()
        yield QuestionAnswer(state, text, result if number == 0 else None, leads)


async def _told_all_the_same(
    part: Part, answer: QuestionAnswer, questions: ModelQuestions
) -> QuestionAnswer:
    """The answer, with what the case has where the model is away, as without one."""
    head, services = questions.head, questions.services
    known = await answer_open_question(part.intent, head, services)
    known = known or await _look_up_nearest(part.intent, head, services)
    if not known:
        near, _ = near_candidates(part.intent, head, services)
        return replace(answer, state="answered", leads_to=near) if near else answer
    return replace(answer, state="answered", text=f"{answer.text}\n\n{known}")


def _leads_to(refused: Collection[str], services: Services) -> tuple[Candidate, ...]:
    """The first request of each playbook that does what the refused tools would have done."""
    candidates = []
    for playbook in services.playbooks.values():
        requests = (r.id for r in playbook.definition.requests if not r.not_yet)
        able = next((name for name in requests if _tools_called(playbook, name) & set(refused)), "")
        if able:
            candidates.append(Candidate(kind="workflow", playbook=playbook.id, request=able))
    return tuple(candidates)


def _tools_called(playbook: Playbook, request: str) -> set[str]:
    """The tools that plans of the request's skills call, or may."""
    definition = playbook.definition
    phases = definition.phases_of(request)
    names = {n for phase in phases for n in phase.allowed_skills or definition.allowed_skills}
    calls: set[str] = set()
    for skill in (playbook.skills[name] for name in names):
        calls |= {call.tool for call in skill.plan.calls} if skill.plan else set()
        calls |= set(skill.planner.tools) if skill.planner else set()
        calls |= set(skill.jobs.all_tools) if skill.jobs else set()
    return calls
