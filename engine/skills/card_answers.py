"""What an answer to a card changes in a run: the form's values, or the run's end."""

from collections.abc import Sequence

from cards.markdown import literal
from cards.model import Decision
from cards.texts import say
from engine.errors import ToolError, ToolFailed
from engine.frames.ends import fail_run
from engine.frames.leaves import from_form, label_of
from engine.frames.outcome import Note, StatusChange, StepContext
from engine.frames.state import LeafValue, Patch
from engine.playbooks.nesting import split_path
from engine.ports.inbox_files import kind_of_name
from engine.skills.entity_values import find_cells, find_listed


async def patch_from_form(
    paths: Sequence[str], decision: Decision, context: StepContext
) -> tuple[Patch, tuple[str, ...]]:
    """The patch of the form's values, and a sentence for each value that is not valid.

    A field that is not in the answer was left empty. A file that came with the form is taken in.
    """
    groups: dict[str, dict[str, LeafValue | None]] = {"": {}, "profile": {}}
    faults: list[str] = []
    labels = labels_in(decision)
    for path in paths:
        group, name = split_path(path)
        try:
            value, names = await _leaf_value(path, decision, context)
            if path in decision.files:
                value = await _take_file(path, decision, context)
            else:
                await _check_file(path, value, context)
            groups[group][name] = value
            labels |= {path: names} if names else {}
        except ToolError as error:
            faults.append(error.text(context.run.lang))
        except ValueError as error:
            faults.append(literal(str(error)))
    patch = Patch.model_validate(
        {
            "by": decision.person,
            "profile": groups["profile"],
            "data": groups[""],
            "labels": labels,
            "joined": tuple(groups[""][p] for p in decision.files if groups[""].get(p)),
        }
    )
    return patch, tuple(faults)


def labels_in(decision: Decision) -> dict[str, dict[str, str]]:
    """What people read for values of the form that a tool listed, by path."""
    return {path: {str(decision.values[path]): each} for path, each in decision.labels.items()}


async def _leaf_value(
    path: str, decision: Decision, context: StepContext
) -> tuple[LeafValue | None, dict[str, str]]:
    """The value, and what people read for it, or for its cells, where a list has names."""
    leaf, values = context.playbook.definition.leaf(path), decision.values
    assert leaf is not None, "the loader checks that a form asks only for leaves"
    if path not in values:
        return None, {}
    value = from_form(leaf, values[path], context.run.lang)
    if isinstance(value, tuple):
        return await find_cells(leaf, value, decision.person, context)
    if leaf.entity and isinstance(value, str):
        id_, label = await find_listed(leaf, value, decision.person, context)
        return id_, {id_: label} if label else {}
    return value, {}


async def _take_file(path: str, decision: Decision, context: StepContext) -> LeafValue:
    """Return the name under which a file that came with a form is kept.

    Raises ToolFailed for one that is not taken, or that the field does not take.
    """
    services, run = context.services, context.run
    project = services.project(run.conversation)
    (receipt,) = await services.files.take(
        project, run.conversation, (decision.files[path],), by=decision.person
    )
    if receipt.problem:
        shown, limit = literal(receipt.shown), receipt.limit_mb
        raise ToolFailed(f"inbox.{receipt.problem}", name=shown, limit=limit)
    _check_kind(path, receipt.kind, context)
    return receipt.name


def _check_kind(path: str, kind: str, context: StepContext) -> None:
    leaf = context.playbook.definition.leaf(path)
    if leaf and leaf.kinds and kind not in leaf.kinds:
        fault = say("form.file_kind", context.run.lang, kinds=", ".join(leaf.kinds))
        raise ToolFailed("form.cell", label=literal(label_of(path, context)), fault=fault)


async def _check_file(path: str, value: LeafValue | None, context: StepContext) -> None:
    """Raise ToolFailed where the name that stands in a file's place is that of no file there."""
    leaf = context.playbook.definition.leaf(path)
    if leaf is None or leaf.type != "file" or value is None:
        return
    tool = context.find_tool("file__get_info")
    found = await context.services.call(tool, {"name": str(value)}, context.tool_context())
    if not found["found"]:
        names = say("list.items", context.run.lang).join(found["nearest"])
        key = "tool.file.unknown_near" if names else "tool.file.unknown"
        raise ToolFailed(key, name=literal(str(value)), names=literal(names))
    _check_kind(path, kind_of_name(str(value)), context)


def end_withdrawn(decision: Decision, context: StepContext) -> StatusChange:
    """End the run, which its requester withdrew."""
    run = context.run
    key = "part.stopped_after" if run.changes else "part.stopped"
    note = Note("cancelled", say(key, run.lang, name=run.name))
    return StatusChange("stopped", note, f"{decision.name} withdrew")


def end_unanswered(context: StepContext) -> StatusChange:
    """End the run, whose card nobody answered before its deadline."""
    reason = say("run.expired", context.run.lang)
    return fail_run(context.run, reason, "nobody answered in time", end="expired")
