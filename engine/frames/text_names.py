"""What names in a playbook's texts and calls stand for: fields, and what a run is about."""

from collections.abc import Callable
from typing import Final

from cards.clipping import shorten
from cards.markdown import literal
from cards.texts import say
from cards.visible import visible
from engine.frames.leaves import value_of, value_rows, values_at
from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.playbooks.nesting import split_path
from engine.text.language import LocalizedText
from engine.text.template import CONTEXT_NAMES, PLAN_NAMES, fill_names

VALUE_CHARS: Final = 300
"""So much of a value stands within a text; a card's rows have it whole."""


def given_names(run: Run) -> dict[str, str]:
    """What arguments of calls may name besides fields, as ids; the same for the whole run."""
    case = run.case.name.key if run.case else ""
    named = {"requester": run.requester.id, "project": run.project, "case": case}
    return {name: value for name, value in named.items() if value}


def is_given(name: str, context: StepContext) -> bool:
    """Whether a call's argument names what the run is about, and no field."""
    return name in PLAN_NAMES and context.playbook.definition.leaf(name) is None


def context_names(context: StepContext) -> dict[str, str]:
    """What texts may name besides fields, as people read it; "" where there is none."""
    run, services = context.run, context.services
    approvals, comma = [*run.state.approvals.values()], say("list.items", run.lang)
    project = services.projects().name(services.project(run.conversation), run.lang)
    return {
        "requester": visible(run.requester.name),
        "approver": visible(approvals[-1].name) if approvals else "",
        "approvers": visible(comma.join(approvals[-1].names)) if approvals else "",
        "project": project,
        "case": _case_name(run, project),
        "today": services.today.isoformat(),
    }


def _case_name(run: Run, project: str) -> str:
    """What people call the run's case; that of a conversation goes by no name."""
    if run.case is None or run.case.name.of == "conversation":
        return ""
    return project if run.case.name.of == "project" else run.case.name.key


def fill_plain(text: LocalizedText, context: StepContext) -> str:
    """The text in the run's language, with what its names stand for, as plain text."""
    return _fill(text, context, str)


def fill_markdown(text: LocalizedText, context: StepContext) -> str:
    """The Markdown in the run's language, with what its names stand for as plain words in it."""
    return _fill(text, context, literal)


def _fill(text: LocalizedText, context: StepContext, write: Callable[[str], str]) -> str:
    lang = context.run.lang

    def value(name: str) -> str | None:
        if (shown := _field_text(name, context)) is None and name in CONTEXT_NAMES:
            shown = context_names(context)[name]
        if shown is None:
            return None
        line = shorten(" ".join(shown.split()), VALUE_CHARS)
        return write(line or say("card.blank", lang))

    return fill_names(text(lang), value)


def _field_text(name: str, context: StepContext) -> str | None:
    """What stands in the field of that name, as people read it; None when there is no such."""
    definition = context.playbook.definition
    group, own = split_path(name)
    is_decision = group == "decisions" and own in definition.decision_fields
    if definition.leaf(name) is None and not is_decision:
        return None
    (labelled,) = values_at((name,), context)
    rows = value_rows((labelled,), context.run.lang)
    return rows[0].value if rows else str(value_of(name, context.run.state) or "")
