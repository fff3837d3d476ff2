"""What the run and somebody else changed at the same time: the requester decides (design §12)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from cards.clipping import clip
from cards.markdown import literal
from cards.model import Card, Choice, Decision
from cards.texts import say
from engine.cases.letters import patch_at
from engine.frames.case import CaseConflict
from engine.frames.leaves import (
    LabelledValue,
    form_field,
    label_of,
    value_rows,
    value_tables,
    values_at,
)
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
from engine.frames.state import CaseFrame, Patch
from engine.reviews.policy import requester_card_fields
from engine.skills.card_answers import patch_from_form
from engine.skills.output import LABEL_CHARS

WITHIN = timedelta(days=7)
"""What nobody has decided by then stands as the other one left it."""


async def advance(frame: CaseFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Ask about the first path that both changed; done when none is left."""
    match event:
        case CardAnswered(decision=decision):
            return await _take_decision(frame, decision, context)
        case CardTimedOut():
            return _let_stand(frame, context)
    if not frame.conflicts:
        return Done(Patch(by=context.run.requester.id), "nothing is in conflict any more")
    card = _card(frame.conflicts[0], context)
    note = Note("needs_you", say("part.needs_you", context.run.lang, name=context.run.name))
    after = frame.model_copy(update={"asked": card.token})
    return Suspend(after, (card,), note, f"{frame.conflicts[0].path} was changed meanwhile")


async def _take_decision(frame: CaseFrame, decision: Decision, context: StepContext) -> StepOutcome:
    first, rest = frame.conflicts[0], _without_first(frame)
    why = f"{decision.name} chose {decision.choice} for {first.path}"
    match decision.choice:
        case "theirs":
            return Next(rest, why, _theirs(first, decision.person))
        case "change":
            patch, faults = await patch_from_form((first.path,), decision, context)
            problems = patch.model_copy(update={"problems": faults})
            return Next(frame if faults else rest, why, problems)
        case _:
            return Next(rest, why, Patch(by=decision.person, problems=()))


def _let_stand(frame: CaseFrame, context: StepContext) -> Next:
    """Nobody answered: what the other one changed stands, and that is told."""
    first, lang = frame.conflicts[0], context.run.lang
    label = literal(label_of(first.path, context))
    remark = say("case.theirs_stands", lang, label=label, name=literal(_author_name(first)))
    rest = _without_first(frame)
    rest = rest.model_copy(update={"remarks": (*rest.remarks, remark)})
    return Next(rest, f"nobody decided on {first.path}: theirs stands", _theirs(first, "signoff"))


def _without_first(frame: CaseFrame) -> CaseFrame:
    return frame.model_copy(update={"conflicts": frame.conflicts[1:], "asked": ""})


def _theirs(conflict: CaseConflict, by: str) -> Patch:
    return patch_at(conflict.path, conflict.theirs.value, by)


def _author_name(conflict: CaseConflict) -> str:
    author = conflict.theirs.author
    return author.name or author.by


def _card(conflict: CaseConflict, context: StepContext) -> Card:
    run, path = context.run, conflict.path
    leaf, label = context.playbook.definition.leaf(path), label_of(path, context)
    theirs = _theirs(conflict, "").apply(run.state)
    other = replace(context, run=run.model_copy(update={"state": theirs}))
    name = _author_name(conflict)
    both = (
        *_labelled(path, say("case.mine", run.lang), context),
        *_labelled(path, say("case.theirs", run.lang, name=name), other),
    )
    choices = [
        Choice(id="mine", label=say("choice.mine", run.lang), style="primary"),
        Choice(id="theirs", label=clip(say("choice.theirs", run.lang, name=name), LABEL_CHARS)),
    ]
    if leaf is not None:
        form = (form_field(path, leaf, run.lang, run.state),)
        choices.append(Choice(id="change", label=say("choice.edit", run.lang), form=form))
    return Card(
        kind="select",
        title=say("case.conflict", run.lang, label=label),
        text="\n\n".join((say("case.conflict_text", run.lang), *value_tables(both, run.lang))),
        rows=value_rows(both, run.lang),
        problems=run.state.problems,
        choices=tuple(choices),
        **requester_card_fields(context),
        task_key=f"case:{path}",
        deadline=context.services.now + WITHIN,
    )


def _labelled(path: str, label: str, context: StepContext) -> Sequence[LabelledValue]:
    return [replace(each, label=label) for each in values_at((path,), context)]
