"""What a request's message says otherwise than its case has it: who asks now is who is heard."""

from dataclasses import replace

from cards.markdown import literal
from cards.texts import say
from engine.cases.letters import with_remark
from engine.frames.outcome import StepContext
from engine.frames.state import Patch, Run
from engine.planner.phases import PhaseManager
from engine.planner.reopening import opened_by
from engine.skills.ask_skill import values_said


async def heed_message(run: Run, context: StepContext) -> tuple[Run, frozenset[str]]:
    """The run with what its message says of fields that its case has, and their names.

    The run has just got what the case knows. What depends on such a value is open again.
    """
    context = replace(context, run=run)
    phases = PhaseManager(context.playbook, run.request).phases
    skills = dict.fromkeys(name for phase in phases for name in phase.allowed_skills)
    values, labels = await values_said(tuple(skills), context)
    if not values:
        return run, frozenset()
    by, definition = run.requester.id, context.playbook.definition
    opened = opened_by(values.keys(), by, context)
    state = opened.apply(run.state)
    state = Patch(by=by, data=values, labels=labels).apply(state)
    names = say("list.items", run.lang).join(
        literal(definition.data_fields[name].label(run.lang)) for name in values
    )
    run = run.model_copy(update={"state": state})
    return with_remark(run, say("case.said", run.lang, fields=names)), frozenset(values)
