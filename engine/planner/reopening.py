"""A request whose work its case has settled already: it stands, or is done again (design §12)."""

from collections.abc import Collection

from cards.markdown import literal
from cards.model import Card, Choice
from cards.texts import say
from engine.frames.leaves import value_rows, value_tables, values_at
from engine.frames.outcome import StepContext
from engine.frames.state import Patch, PlannerFrame
from engine.planner.phases import PhaseManager, goals
from engine.playbooks.model import Phase, PlaybookFile
from engine.playbooks.nesting import split_path
from engine.reviews.policy import requester_card_fields

KEEP, AGAIN = "keep", "again"


def is_settled(frame: PlannerFrame, context: StepContext) -> bool:
    """Whether all that the request goes through had been done before it was asked for."""
    phases = PhaseManager(context.playbook, context.run.request).phases
    return bool(frame.passed) and {phase.id for phase in phases} <= set(frame.passed)


def settled_card(context: StepContext) -> Card:
    """Asks the requester whether it stands; says which other phases are opened if it does not."""
    run, definition = context.run, context.playbook.definition
    phase = _asked_phase(context)
    shown = values_at((goal.field for goal in goals(phase) if definition.leaf(goal.field)), context)
    others = reopened(definition, phase)[1:]
    names = say("list.items", run.lang).join(literal(each.name(run.lang)) for each in others)
    reopens = say("case.reopens", run.lang, phases=names) if others else ""
    text = say("case.settled_text", run.lang)
    return Card(
        kind="select",
        title=say("case.settled", run.lang, phase=phase.name(run.lang)),
        text="\n\n".join(filter(None, (text, reopens, *value_tables(shown, run.lang)))),
        rows=value_rows(shown, run.lang),
        choices=(
            Choice(id=KEEP, label=say("choice.keep", run.lang), style="primary"),
            Choice(id=AGAIN, label=say("choice.again", run.lang)),
        ),
        **requester_card_fields(context),
        task_key=f"settled:{phase.id}",
    )


def reopen(frame: PlannerFrame, by: str, context: StepContext) -> tuple[PlannerFrame, Patch]:
    """The planner at the phase that is done again, and the change that opens all that depends."""
    phases = reopened(context.playbook.definition, _asked_phase(context))
    names = {phase.id for phase in phases}
    paths = [goal.field for goal in goals(phases[0])]
    paths += [path for phase in phases[1:] for path in _opening_paths(phase)]
    update = {
        "phase": phases[0].id,
        "passed": (),
        "announced": tuple(name for name in frame.announced if name not in names),
    }
    return frame.model_copy(update=update), _cleared(paths, by)


def opened_by(changed: Collection[str], by: str, context: StepContext) -> Patch:
    """The change that opens what was settled by other values of these fields, and what depends."""
    definition = context.playbook.definition
    begun = [p for p in definition.phases if not set(changed).isdisjoint(p.checkpoints)]
    paths = [p.gate_field for p in begun if p.gate_field]
    others = dict.fromkeys(o for p in begun for o in reopened(definition, p)[1:])
    paths += [path for phase in others for path in _opening_paths(phase)]
    return _cleared([path for path in paths if path not in changed], by)


def reopened(definition: PlaybookFile, phase: Phase) -> tuple[Phase, ...]:
    """The phase, and all that depend on it, directly or by others, in the playbook's order."""
    names = {phase.id}
    found = [phase]
    for each in definition.phases:
        if not names.isdisjoint(each.depends_on):
            names.add(each.id)
            found.append(each)
    return tuple(found)


def _asked_phase(context: StepContext) -> Phase:
    """The last phase that the request goes through: what it is asked for."""
    return PhaseManager(context.playbook, context.run.request).phases[-1]


def _opening_paths(phase: Phase) -> list[str]:
    """What is cleared so that the phase is open: its gate, else what it checks."""
    return [phase.gate_field] if phase.gate_field else list(phase.checkpoints)


def _cleared(paths: list[str], by: str) -> Patch:
    in_data = [path for path in paths if not split_path(path)[0]]
    others = [path for path in paths if split_path(path)[0]]
    return Patch.from_paths(by, dict.fromkeys(others), data=dict.fromkeys(in_data))
