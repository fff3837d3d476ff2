"""What a run knows from its request, and changes of its state, checked before (spec 000 §1)."""

import re
from collections.abc import Sequence
from dataclasses import replace

from cards.clipping import clip
from cards.model import SUBMIT, Decision, Lang
from cards.moments import local_time
from engine.frames.outcome import Done, Fork, Next, StepContext, StepOutcome
from engine.frames.state import AgentState, Attachment, LeafValue, Patch, Run, position_of
from engine.playbooks.conditions import rule_data
from engine.playbooks.leaf import computed_value
from engine.playbooks.model import Playbook
from engine.playbooks.skill import FILES, Skill
from engine.sop.ends import SIGNOFF
from engine.understanding.briefing import newest
from engine.yaml.faults import key_text

MAX_FILES = 20
FILE_READERS = frozenset(("file__parse", "file__search", "element__extract"))
"""Tools that read what is in a file."""

RECENT_LINES = 6
DECIDED_LINES = 6
KEPT_DECISIONS = 12
SHOWN_CHANGES = 3
LINE_CHARS = 300
MOST_CHARS = 2000
_FILE = re.compile(
    r"[^\s,;:，；：、。「」《》\"'<>|/\\]{1,100}\.(?:txt|md|csv|json|pdf|docx|xlsx)", re.I
)


def with_request_context(
    run: Run,
    playbook: Playbook,
    recent: Sequence[str],
    *,
    files: Sequence[str] = (),
    decided: Sequence[str] = (),
) -> Run:
    """The run with the files and the recent lines that its playbook's skills or forms can take.

    `files` came with the request; they stand before those that its text only names. `decided` are
    lines on what was decided before, and why.
    """
    asks = asks_model(playbook)
    named = [*files, *_FILE.findall(run.message)] if takes_files(playbook) else []
    names = tuple(dict.fromkeys(named))[:MAX_FILES]
    state = run.state.model_copy(
        update={
            "attachments": tuple(Attachment(name=name) for name in names),
            "recent": _newest_lines(recent, RECENT_LINES, "messages") if asks else (),
            "decided": _newest_lines(decided, DECIDED_LINES, "decisions") if asks else (),
        }
    )
    return run.model_copy(update={"state": state})


def _newest_lines(lines: Sequence[str], most: int, what: str) -> tuple[str, ...]:
    """The newest lines that fit, whole, below one that counts the older ones."""
    kept = newest(lines, most, MOST_CHARS)
    older = len(lines) - len(kept)
    return (f"({older} older {what} left out)", *kept) if older else kept


def with_decision(before: Run, run: Run, decision: Decision, context: StepContext) -> Run:
    """The run that knows who chose what on the frame of `before`, and why, where a model is asked.

    What a form holds is told as values, and what a choice made of them stands with it.
    """
    if decision.choice == SUBMIT or not asks_model(context.playbook):
        return run
    when = local_time(decision.at, context.services.zone)
    about = position_of(before.frames[-1])
    names = ", ".join(dict.fromkeys(each.name for each in decision.deciders))
    old = before.state.data | before.state.decisions
    new = run.state.data | run.state.decisions
    changed = [f"{path} = {value}" for path, value in new.items() if value != old.get(path)]
    why = [*changed[:SHOWN_CHANGES], str(decision.values.get("reason", ""))]
    told = ": ".join(filter(None, (f"[{when}] {names} chose {decision.choice} on {about}", *why)))
    chosen = (*run.state.chosen, clip(told, LINE_CHARS))[-KEPT_DECISIONS:]
    return run.model_copy(update={"state": run.state.model_copy(update={"chosen": chosen})})


def asks_model(playbook: Playbook) -> bool:
    """Whether a model is asked in runs of it, which may have to know what was said before."""
    return any(map(_asks_model, playbook.skills.values()))


def _asks_model(skill: Skill) -> bool:
    judges = skill.sop is not None and any(
        node.instruction for node in skill.sop.nodes.values() if node.type == "soft_instruction"
    )
    return bool(skill.system_prompt or skill.planner or skill.jobs or skill.document or judges)


def takes_files(playbook: Playbook) -> bool:
    """Whether files are of use to runs of the playbook: to a skill that reads them, or a field."""
    skills, leaves = playbook.skills.values(), playbook.definition.data_fields.values()
    return any(
        skill.category == FILES or not FILE_READERS.isdisjoint(skill.tools) for skill in skills
    ) or any(leaf.type == "file" for leaf in leaves)


def with_more_files(state: AgentState, names: Sequence[str]) -> AgentState:
    """The state with files that are the run's from now on; itself when it has them all."""
    known = [attachment.name for attachment in state.attachments]
    new = tuple(Attachment(name=n) for n in dict.fromkeys(names) if n not in known)
    return state.model_copy(update={"attachments": (*state.attachments, *new)}) if new else state


class BadState(Exception):
    """A change does not fit the playbook's fields; the message lists every fault."""


def merge_patch(state: AgentState, patch: Patch, playbook: Playbook, lang: Lang) -> AgentState:
    """The state after the change, with what its options are called in the run's language.

    Raises BadState when the change does not fit.
    """
    if faults := state_faults(patch.paths, playbook):
        raise BadState("; ".join(faults))
    after = patch.apply(state)
    labels = _option_labels(after, playbook, lang)
    return after.model_copy(update={"labels": after.labels | labels}) if labels else after


def with_computed(state: AgentState, outcome: StepOutcome, playbook: Playbook) -> StepOutcome:
    """The outcome whose change has what it makes of computed leaves too, and so has the audit."""
    match outcome:
        case Next(patch=patch) | Fork(patch=patch) | Done(patch=patch):
            computed = _computed_leaves(patch.apply(state) if patch else state, playbook)
        case _:
            return outcome
    if not computed:
        return outcome
    patch = patch or Patch(by=SIGNOFF)
    patch = patch.model_copy(update={"data": {**patch.data, **computed}})
    return replace(outcome, patch=patch)


def compute_leaves(run: Run, playbook: Playbook) -> Run:
    """The run with its computed leaves as they follow from what it knows."""
    computed = _computed_leaves(run.state, playbook)
    if not computed:
        return run
    state = Patch(by=SIGNOFF, data=computed).apply(run.state)
    return run.model_copy(update={"state": state})


def _computed_leaves(state: AgentState, playbook: Playbook) -> dict[str, LeafValue | None]:
    """The computed leaves that are otherwise than the state has them, in the file's order."""
    data: dict[str, LeafValue | None] = {}
    for name, leaf in playbook.definition.data_fields.items():
        if leaf.computed is None:
            continue
        value = computed_value(leaf, rule_data(state.tree()))
        if value != state.data.get(name):
            data[name] = value
            state = Patch(by=SIGNOFF, data={name: value}).apply(state)
    return data


def _option_labels(state: AgentState, playbook: Playbook, lang: Lang) -> dict[str, dict[str, str]]:
    """What people read for the options that were chosen, by path, where it is not the value."""
    named: dict[str, dict[str, str]] = {}
    for path, leaf in playbook.definition.data_fields.items():
        option = state.data.get(path)
        if leaf.labels and isinstance(option, str) and option not in state.labels.get(path, {}):
            label = leaf.label_of(option, lang)
            named |= {path: {option: label}} if label != option else {}
    return named


def state_faults(paths: dict[str, object], playbook: Playbook) -> list[str]:
    """Why values do not fit these paths; clearing one is no fault."""
    return [
        f"{'.'.join((path, *map(key_text, inside)))}: {fault}"
        for path, value in paths.items()
        if value is not None
        for inside, fault in playbook.definition.value_faults(path, value)
    ]
