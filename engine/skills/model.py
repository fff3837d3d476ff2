"""The prompt skill with a model: think, read, ask people, hand over what is valid (spec 003)."""

from cards.markdown import literal
from cards.model import Card, Decision
from cards.texts import say
from engine.dialogue import (
    CUT_OFF,
    MAX_FAULTY,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
)
from engine.errors import ModelError, NoModel
from engine.frames.leaves import option_value, value_of
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    Done,
    FrameInput,
    Next,
    Note,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import ModelFrame, Patch, PlannerFrame
from engine.playbooks.skill import FILES, Skill, SkillCard
from engine.skills import cards
from engine.skills.answers import filled_in, unanswered, withdrawn
from engine.skills.output import Output, read_output, schema_of
from engine.skills.texts import heard, skill_opening
from engine.tools.telling import shorten

MAX_ASKED = 5
RESPONSE_CHARS = 2000


async def advance(frame: ModelFrame, given: FrameInput, context: StepContext) -> StepOutcome:
    """One answer of the model, one round of tool calls, or one card; each is persisted."""
    match given:
        case CardAnswered(decision=decision):
            return _answered(frame, decision, context)
        case CardTimedOut():
            return unanswered(context)
    if frame.finished:
        return _settled(frame, context)
    if frame.by_hand:
        return _by_hand(frame, say("skill.by_hand", context.run.lang), context)
    if frame.questions:
        return _asks(frame, context)
    return await _converses(frame, context)


def _skill(frame: ModelFrame, context: StepContext) -> Skill:
    return context.playbook.skills[frame.skill]


async def _converses(frame: ModelFrame, context: StepContext) -> StepOutcome:
    """One answer of the model, or the calls that it waits for."""
    lang = context.run.lang
    try:
        outcome = await advance_dialogue(frame, _task(frame, context), context.services.model)
    except NoModel:
        return _by_hand(frame, say("skill.no_model", lang), context)
    except ModelError as error:
        return _by_hand(frame, say("skill.model_away", lang), context, why=str(error))
    match outcome:
        case DialogueProgress():
            return Next(outcome.dialogue, outcome.why)
        case DialogueResult():
            return _output(outcome.dialogue, outcome.value, context)
        case DialogueFailure(faults=found):
            faults = "\n".join(f"- {literal(fault)}" for fault in found[:5])
            text = say("skill.faulty", lang, n=MAX_FAULTY, faults=faults)
            why = f"{MAX_FAULTY} invalid answers: {'; '.join(found)}"
            return _by_hand(outcome.dialogue, text, context, why=why)


def _task(frame: ModelFrame, context: StepContext) -> ModelTask[Output]:
    skill, definition = _skill(frame, context), context.playbook.definition
    return ModelTask(
        opening=lambda: skill_opening(frame, context),
        read=lambda text: read_output(text, skill, definition),
        schema=schema_of(skill, definition),
        cut_off=CUT_OFF,
        hands=context.hands(skill.tools),
    )


def _output(frame: ModelFrame, output: Output, context: StepContext) -> Next:
    """Take a valid output in; what people are asked comes with the next step."""
    skill, control = _skill(frame, context), output.control
    names = ", ".join([*(f"profile.{name}" for name in output.profile), *output.data])
    response = shorten(output.response.strip(), RESPONSE_CHARS)
    patch = Patch(
        by=skill.id,
        profile=output.profile,
        data={name: _kept(value) for name, value in output.data.items()},
        read=_files(skill, context),
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


def _files(skill: Skill, context: StepContext) -> tuple[str, ...]:
    """The attachments that have been read once the skill has its output."""
    return tuple(a.name for a in context.run.state.attachments) if skill.category == FILES else ()


def _kept(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _asks(frame: ModelFrame, context: StepContext) -> Suspend:
    skill = _skill(frame, context)
    if frame.select:
        card = cards.options_card(skill, frame.questions[0], frame.response, context)
    else:
        card = cards.questions_card(skill, frame.questions, frame.response, context)
    fields = tuple(question.field for question in frame.questions)
    after = _with(frame, asked=card.token, fields=fields, asked_times=frame.asked_times + 1)
    return _suspended(after, card, f"{skill.id} asks for {', '.join(fields)}", context)


def _suspended(frame: ModelFrame, card: Card, why: str, context: StepContext) -> Suspend:
    run = context.run
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    return Suspend(frame, (card,), note, why)


def _by_hand(
    frame: ModelFrame,
    text: str,
    context: StepContext,
    *,
    why: str = "",
    paths: tuple[str, ...] = (),
) -> Suspend:
    """To a person: a form for these paths, or everything that the skill fills in."""
    skill = _skill(frame, context)
    paths = paths or skill.output_schema.paths
    card = cards.by_hand_card(skill, paths, text, context)
    after = _with(frame, asked=card.token, fields=paths, by_hand=True, messages=(), questions=())
    return _suspended(after, card, why or f"{skill.id} is filled in by hand", context)


def _settled(frame: ModelFrame, context: StepContext) -> StepOutcome:
    """The output stands: the card that the playbook has for it, or the end of the skill."""
    skill = _skill(frame, context)
    if lacking := _lacking(skill, context):
        text = "\n\n".join(filter(None, (frame.response, say("skill.lacking", context.run.lang))))
        why = f"{skill.id} leaves out {', '.join(lacking)}"
        return _by_hand(_with(frame, finished=False), text, context, why=why, paths=lacking)
    if skill.card is None:
        return Done(Patch.setting(skill.id, skill.sets), f"{skill.id} is done")
    if skill.card.kind == "select" and not cards.choosable(skill.card, context):
        return _by_hand(frame, say("skill.nothing_to_choose", context.run.lang), context)
    card = cards.declared_card(skill, skill.card, frame.response, context)
    why = f"{skill.id} asks to {skill.card.kind} ({card.task_key})"
    return _suspended(_with(frame, asked=card.token), card, why, context)


def _lacking(skill: Skill, context: StepContext) -> tuple[str, ...]:
    """What is required of the skill's output and does not stand: a person is asked for it.

    A caller that forces the skill takes what it gives.
    """
    if any(isinstance(frame, PlannerFrame) and frame.force for frame in context.run.frames):
        return ()
    definition, state = context.playbook.definition, context.run.state
    leaves = ((path, definition.leaf(path)) for path in skill.output_schema.paths)
    return tuple(
        path for path, leaf in leaves if leaf and leaf.required and _blank(value_of(path, state))
    )


def _blank(value: object) -> bool:
    return value is None or value in ("", ())


def _answered(frame: ModelFrame, decision: Decision, context: StepContext) -> StepOutcome:
    skill = _skill(frame, context)
    match decision.choice:
        case "withdraw":
            return withdrawn(decision, context)
        case "retry":
            fresh = ModelFrame(skill=skill.id, feedback=frame.feedback)
            return Next(fresh, f"{decision.name} wants the model to try again")
        case "change":
            feedback = str(decision.values.get("feedback", ""))
            fresh = ModelFrame(skill=skill.id, feedback=feedback)
            return Next(fresh, f"{decision.name} wants a change")
        case "submit":
            return _filled_in(frame, decision, context)
    if frame.finished and skill.card is not None:
        return _chosen(skill, skill.card, decision, context)
    return _picked(frame, decision, context)


def _filled_in(frame: ModelFrame, decision: Decision, context: StepContext) -> Next:
    patch, faults = filled_in(frame.fields, decision, context)
    patch = patch.model_copy(update={"problems": faults})
    if faults:
        return Next(frame, f"{decision.name} answered with faults: {'; '.join(faults)}", patch)
    why = f"{decision.name} answered"
    if frame.by_hand:
        patch = patch.model_copy(update={"read": _files(_skill(frame, context), context)})
        return Next(_with(frame, finished=True, by_hand=False), why, patch)
    return Next(_heard(frame, decision), why, patch)


def _picked(frame: ModelFrame, decision: Decision, context: StepContext) -> Next:
    """One of the options of the model's own question."""
    question = frame.questions[0]
    text = question.options[int(decision.choice) - 1]
    leaf = context.playbook.definition.leaf(question.field)
    assert leaf is not None, "a question names one of the skill's fields"
    changes = {"by": decision.person, **_set(question.field, option_value(leaf, text))}
    patch = Patch.model_validate(changes)
    told = decision.model_copy(update={"values": {question.field: text}})
    return Next(_heard(frame, told), f"{decision.name} chose {text}", patch)


def _heard(frame: ModelFrame, decision: Decision) -> ModelFrame:
    return _with(frame, messages=(*frame.messages, heard(decision)), questions=(), fields=())


def _chosen(skill: Skill, asks: SkillCard, decision: Decision, context: StepContext) -> Done:
    """The declared card's answer: what was chosen, and that it was decided."""
    changed: dict[str, dict[str, object]] = {}
    why = f"{decision.name} confirmed"
    if asks.kind == "select":
        text = cards.choosable(asks, context)[int(decision.choice) - 1]
        leaf = context.playbook.definition.leaf(asks.field)
        changed = _set(asks.field, option_value(leaf, text) if leaf else text)
        why = f"{decision.name} chose {text}"
    if asks.decision:
        changed["decisions"] = {asks.decision: True}
    settled = Patch.setting(decision.person, skill.sets)
    profile = {**settled.profile, **changed.get("profile", {})}
    decisions = {**settled.decisions, **changed.get("decisions", {})}
    update = {"profile": profile, "decisions": decisions, "data": changed.get("data", {})}
    return Done(settled.model_copy(update=update), why)


def _set(path: str, value: object) -> dict[str, dict[str, object]]:
    group, _, name = path.rpartition(".")
    return {group or "data": {name: value}}


def _with(frame: ModelFrame, **changes: object) -> ModelFrame:
    return frame.model_copy(update=changes)
