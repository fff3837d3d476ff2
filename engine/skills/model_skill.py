"""The prompt skill with a model: it reads, asks people, and gives a valid output (spec 003)."""

import json
from typing import assert_never

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Card, Decision
from cards.texts import say
from engine.dialogue import (
    CUT_OFF,
    MAX_CALLS,
    MAX_FAULTY,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
    unanswered_text,
)
from engine.errors import ModelError, NoModel, ToolError
from engine.frames.leaves import option_value, value_of
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    Done,
    FrameInput,
    Next,
    Note,
    StatusChange,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import ModelFrame, Patch, PlannerFrame
from engine.playbooks.nesting import split_path
from engine.playbooks.skill import Skill, SkillCard
from engine.ports.model import Message
from engine.reviews.policy import rejection_text
from engine.skills import skill_cards
from engine.skills.card_answers import end_unanswered, end_withdrawn, patch_from_form
from engine.skills.output import Output, read_output, schema_of, understood_leaves
from engine.skills.prompts import STATE_CHARS, answer_message, skill_opening
from engine.skills.reading import (
    MAX_REMINDED,
    PARSER,
    READING_CALLS,
    read_files,
    reading_after,
    reminder,
    seen_files,
    unread_files,
)
from engine.tools.knowledge.memory_search import MEMORY_SEARCH

MAX_ASKED = 5
RESPONSE_CHARS = 2000
RECALL_CHARS = 500
NO_REASON = "It was rejected, and no reason was given."
"""What the model is told to change then."""


async def advance(frame: ModelFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model, one round of tool calls, or one card; each is persisted."""
    match event:
        case CardAnswered(decision=decision):
            return await _take_answer(frame, decision, context)
        case CardTimedOut():
            return end_unanswered(context)
    if frame.finished:
        return await _finish(frame, context)
    if frame.by_hand:
        return _ask_by_hand(frame, say("skill.by_hand", context.run.lang), context)
    if frame.questions:
        return _ask_questions(frame, context)
    return await _advance_dialogue(frame, context)


def _skill(frame: ModelFrame, context: StepContext) -> Skill:
    return context.playbook.skills[frame.skill]


async def _advance_dialogue(frame: ModelFrame, context: StepContext) -> StepOutcome:
    """One answer of the model, or one round of tool calls; by hand where it has no answer."""
    lang = context.run.lang
    remembered = "" if frame.messages else await _recall(frame, context)
    task = _task(frame, remembered, context)
    try:
        outcome = await advance_dialogue(frame, task, context.services.model)
    except NoModel:
        return _ask_by_hand(frame, say("skill.no_model", lang), context)
    except ModelError as error:
        text = unanswered_text(error, lang, away="skill.model_away", limited="skill.day_limit")
        return _ask_by_hand(frame, text, context, why=str(error))
    match outcome:
        case DialogueProgress(dialogue=dialogue):
            calls = context.services.recorded_calls()
            reading = reading_after(dialogue.reading, calls)
            return Next(_with(dialogue, reading=reading), outcome.why)
        case DialogueResult():
            return _take_output(outcome.dialogue, outcome.value, context)
        case DialogueFailure(faults=faults):
            why = f"{MAX_FAULTY} invalid answers: {'; '.join(faults)}"
            known = _understood(outcome.dialogue, context)
            text = say("skill.understood" if known.paths else "skill.faulty", lang, n=MAX_FAULTY)
            return _ask_by_hand(outcome.dialogue, text, context, why=why, known=known)


def _understood(frame: ModelFrame, context: StepContext) -> Patch:
    """The values that stand in answers which could not be used as they were."""
    skill, definition = _skill(frame, context), context.playbook.definition
    answers = (m.content for m in frame.messages if m.role == "assistant")
    kept = understood_leaves(answers, skill, definition, context.services.today)
    data = {name: _as_tuple(value) for name, value in kept.data.items()}
    return Patch(by=skill.id, profile=kept.profile, data=data)


async def _recall(frame: ModelFrame, context: StepContext) -> str:
    """What was remembered for the project that may matter, for a skill that searches the memory."""
    if MEMORY_SEARCH.name not in _skill(frame, context).tools or context.services.model is None:
        return ""
    query = {"query": context.run.message[:RECALL_CHARS]}
    try:
        found = await context.services.call(MEMORY_SEARCH, query, context.tool_context())
    except ToolError:
        # The model is told so when it searches itself.
        return ""
    return json.dumps(found["memos"], ensure_ascii=False) if found["memos"] else ""


def _task(frame: ModelFrame, remembered: str, context: StepContext) -> ModelTask[Output]:
    skill, definition = _skill(frame, context), context.playbook.definition
    today = context.services.today
    return ModelTask(
        purpose="skill",
        opening=lambda: skill_opening(frame, remembered, context),
        read=lambda text: read_output(text, skill, definition, today),
        schema=schema_of(skill, definition),
        cut_off=CUT_OFF,
        tools=context.model_tools(skill.tools, context.run.state.tree(), STATE_CHARS),
        max_calls=READING_CALLS if PARSER in skill.tools else MAX_CALLS,
    )


def _take_output(frame: ModelFrame, output: Output, context: StepContext) -> Next:
    """Store a valid output; its questions are asked in the next step."""
    skill, control = _skill(frame, context), output.control
    unread = unread_files(frame, skill, context)
    if unread and frame.reminded < MAX_REMINDED:
        said = Message(role="user", content=reminder(unread))
        after = _with(frame, messages=(*frame.messages, said), reminded=frame.reminded + 1)
        return Next(after, f"has to read on: {'; '.join(unread)}")
    names = ", ".join([*(f"profile.{name}" for name in output.profile), *output.data])
    response = shorten(output.response.strip(), RESPONSE_CHARS)
    if unread:
        listed = say("list.items", context.run.lang).join(map(literal, unread))
        told = say("skill.unread", context.run.lang, files=listed)
        response = "\n\n".join(filter(None, (response, told)))
    patch = Patch(
        by=skill.id,
        profile=output.profile,
        data={name: _as_tuple(value) for name, value in output.data.items()},
        read=read_files(frame),
        tried=seen_files(skill, context.run.state.attachments),
        response=response,
        problems=(),
    )
    declared = skill.card is not None and control.review_type == skill.card.kind
    if control.action == "ask_user" and not declared and frame.asked_times < MAX_ASKED:
        select = control.review_type == "select"
        after = _with(frame, response=response, questions=control.questions, select=select)
        return Next(after, f"fills {names or 'nothing'}, and has questions", patch)
    # The dialogue has served its purpose.
    after = _with(frame, messages=(), response=response, finished=True)
    return Next(after, f"fills {names or 'nothing'}; {control.action}", patch)


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _ask_questions(frame: ModelFrame, context: StepContext) -> Suspend:
    skill = _skill(frame, context)
    if frame.select:
        card = skill_cards.options_card(skill, frame.questions[0], frame.response, context)
    else:
        card = skill_cards.questions_card(skill, frame.questions, frame.response, context)
    fields = tuple(question.field for question in frame.questions)
    after = _with(frame, asked=card.token, fields=fields, asked_times=frame.asked_times + 1)
    return _suspend(after, card, f"{skill.id} asks for {', '.join(fields)}", context)


def _suspend(frame: ModelFrame, card: Card, why: str, context: StepContext) -> Suspend:
    run = context.run
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    return Suspend(frame, (card,), note, why)


def _ask_by_hand(
    frame: ModelFrame,
    text: str,
    context: StepContext,
    *,
    why: str = "",
    paths: tuple[str, ...] = (),
    known: Patch | None = None,
) -> Suspend:
    """Ask a person with a form for these paths, or for everything that the skill fills in."""
    skill = _skill(frame, context)
    paths = paths or skill.output_schema.paths
    card = skill_cards.by_hand_card(skill, paths, text, context, known=known)
    after = _with(frame, asked=card.token, fields=paths, by_hand=True, messages=(), questions=())
    return _suspend(after, card, why or f"{skill.id} is filled in by hand", context)


async def _finish(frame: ModelFrame, context: StepContext) -> StepOutcome:
    """Show the card that the playbook has for the output, or end the skill."""
    skill = _skill(frame, context)
    if lacking := _lacking(skill, context):
        text = "\n\n".join(filter(None, (frame.response, say("skill.lacking", context.run.lang))))
        why = f"{skill.id} leaves out {', '.join(lacking)}"
        return _ask_by_hand(_with(frame, finished=False), text, context, why=why, paths=lacking)
    if skill.card is None:
        return Done(Patch.from_paths(skill.id, skill.sets), f"{skill.id} is done")
    if not _has_choices(skill.card, context):
        return _ask_by_hand(frame, say("skill.nothing_to_choose", context.run.lang), context)
    approvers = await skill_cards.find_card_approvers(skill.card, context)
    if isinstance(approvers, StatusChange):
        return approvers
    card = skill_cards.declared_card(skill, skill.card, frame.response, approvers, context)
    why = f"{skill.id} asks to {skill.card.kind} ({card.task_key})"
    after = _with(frame, asked=card.token)
    if approvers is None:
        return _suspend(after, card, why, context)
    note = approvers.asking_note(context.run)
    return Suspend(after, (card,), note, f"{why}; waits for {approvers.why}")


def _has_choices(card: SkillCard, context: StepContext) -> bool:
    match card.kind:
        case "select":
            return bool(skill_cards.option_texts(card, context))
        case "confirm":
            return True
        case _:
            assert_never(card.kind)


def _lacking(skill: Skill, context: StepContext) -> tuple[str, ...]:
    """The paths that the skill has to fill in and that are still empty.

    None for a caller that forces the skill: it takes what the skill gives.
    """
    if any(isinstance(frame, PlannerFrame) and frame.force for frame in context.run.frames):
        return ()
    definition, state = context.playbook.definition, context.run.state
    leaves = ((path, definition.leaf(path)) for path in skill.output_schema.paths)
    return tuple(
        path for path, leaf in leaves if leaf and leaf.required and _is_blank(value_of(path, state))
    )


def _is_blank(value: object) -> bool:
    return value is None or value in ("", ())


async def _take_answer(frame: ModelFrame, decision: Decision, context: StepContext) -> StepOutcome:
    skill = _skill(frame, context)
    match decision.choice:
        case "withdraw":
            return end_withdrawn(decision, context)
        case "retry":
            fresh = ModelFrame(skill=skill.id, feedback=frame.feedback)
            return Next(fresh, f"{decision.name} wants the model to try again")
        case "change":
            feedback = str(decision.values.get("feedback", ""))
            fresh = ModelFrame(skill=skill.id, feedback=feedback)
            return Next(fresh, f"{decision.name} wants a change")
        case "reject":
            reason, told = str(decision.values.get("reason", "")), rejection_text(decision, context)
            fresh = ModelFrame(skill=skill.id, feedback=reason or NO_REASON)
            why = f"{decision.name} rejected: {reason}".removesuffix(": ")
            note = Note("working", told)
            return Next(fresh, why, Patch(by=decision.person, problems=(told,)), note=note)
        case "submit":
            return await _take_form(frame, decision, context)
    if frame.finished and skill.card is not None:
        return _take_declared(skill, skill.card, decision, context)
    return _take_option(frame, decision, context)


async def _take_form(frame: ModelFrame, decision: Decision, context: StepContext) -> Next:
    patch, faults = await patch_from_form(frame.fields, decision, context)
    patch = patch.model_copy(update={"problems": faults})
    if faults:
        return Next(frame, f"{decision.name} answered with faults: {'; '.join(faults)}", patch)
    why = f"{decision.name} answered"
    if frame.by_hand:
        files = seen_files(_skill(frame, context), context.run.state.attachments)
        patch = patch.model_copy(update={"tried": files, "read": files})
        return Next(_with(frame, finished=True, by_hand=False), why, patch)
    return Next(_continue(frame, decision, context), why, patch)


def _take_option(frame: ModelFrame, decision: Decision, context: StepContext) -> Next:
    """Store the chosen option of the model's own question."""
    question = frame.questions[0]
    text = question.options[int(decision.choice) - 1]
    leaf = context.playbook.definition.leaf(question.field)
    assert leaf is not None, "a question names one of the skill's fields"
    changes = {"by": decision.person, **_set(question.field, option_value(leaf, text))}
    patch = Patch.model_validate(changes)
    answer = decision.model_copy(update={"values": {question.field: text}})
    return Next(_continue(frame, answer, context), f"{decision.name} chose {text}", patch)


def _continue(frame: ModelFrame, decision: Decision, context: StepContext) -> ModelFrame:
    """The dialogue goes on with the person's answer, and with what files have come."""
    new = [f.name for f in context.run.state.unseen_files if f.name not in frame.reading]
    said = answer_message(decision, new)
    return _with(frame, messages=(*frame.messages, said), questions=(), fields=())


def _take_declared(skill: Skill, card: SkillCard, decision: Decision, context: StepContext) -> Done:
    """End the skill with the answer to the playbook's card, and that it was decided."""
    changed: dict[str, dict[str, object]] = {}
    match card.kind:
        case "select":
            text = skill_cards.option_texts(card, context)[int(decision.choice) - 1]
            leaf = context.playbook.definition.leaf(card.field)
            changed = _set(card.field, option_value(leaf, text) if leaf else text)
            why = f"{decision.name} chose {text}"
        case "confirm":
            why = f"{decision.name} confirmed"
        case _:
            assert_never(card.kind)
    if card.decision:
        changed["decisions"] = {card.decision: True}
    patch = Patch.from_paths(decision.person, skill.sets)
    profile = {**patch.profile, **changed.get("profile", {})}
    decisions = {**patch.decisions, **changed.get("decisions", {})}
    update = {"profile": profile, "decisions": decisions, "data": changed.get("data", {})}
    return Done(patch.model_copy(update=update), why)


def _set(path: str, value: object) -> dict[str, dict[str, object]]:
    group, name = split_path(path)
    return {group or "data": {name: value}}


def _with(frame: ModelFrame, **changes: object) -> ModelFrame:
    return frame.model_copy(update=changes)
