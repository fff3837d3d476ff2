"""One SOP over many records, as child runs, with one summary at the end (spec 001 §4)."""

from cards.clipping import shorten
from cards.texts import say
from engine.errors import ToolError
from engine.frames.ends import fail_run
from engine.frames.leaves import option_value
from engine.frames.outcome import (
    Child,
    ChildRunEnded,
    Done,
    Fork,
    FrameInput,
    Note,
    StepContext,
    StepOutcome,
)
from engine.frames.state import BatchFrame, Patch, Scalar, SopFrame
from engine.playbooks.leaf import MAX_ROWS, value_faults
from engine.playbooks.records import Batch
from engine.playbooks.skill import Sop
from engine.sop.listing import list_members
from engine.sop.violations import add_counts, chart_of

END = "end_batch"
"""The end whose outcome is set once every record has ended."""
PROBLEM_CHARS = 500


async def advance(frame: BatchFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Take a record's result, begin as many more as may run at once; sum up after the last."""
    sop, batch = _parts(frame, context)
    if frame.left is None:
        try:
            frame = await _begin(frame, batch, context)
        except ToolError as error:
            return fail_run(context.run, error.text(context.run.lang), str(error))
    running = set(context.run.children)
    if isinstance(event, ChildRunEnded):
        if event.status == "blocked":
            return Fork(frame, (), f"{event.key} is blocked: {event.reason}")
        running.discard(event.key)
        rows = (*frame.rows, _result_row(event, batch))
        violations = add_counts(frame.violations, event.patch.violations.items())
        update = {"rows": rows[:MAX_ROWS], "violations": violations}
        frame = frame.model_copy(update=update)
    left = frame.left or ()
    room = batch.concurrency - len(running)
    frame = frame.model_copy(update={"left": left[room:]})
    new = tuple(_child(key, frame, sop, batch, context) for key in left[:room])
    if new or running:
        keys = ", ".join(child.key for child in new) or "nothing more"
        return Fork(frame, new, f"begins {keys}", note=_progress(frame, context))
    return _sum_up(frame, sop, batch, context)


def _parts(frame: BatchFrame, context: StepContext) -> tuple[Sop, Batch]:
    sop = context.playbook.skills[frame.skill].sop
    assert sop is not None, "the loader checks that an sop skill has an SOP"
    assert sop.batch is not None, "only a batch has this frame"
    return sop, sop.batch


async def _begin(frame: BatchFrame, batch: Batch, context: StepContext) -> BatchFrame:
    """The frame with all records to check; those that do not fit their leaf have failed."""
    listed = await list_members(batch.tool, batch.arguments, batch.name_column, context)
    leaf = context.playbook.definition.data_fields[batch.name]
    faults = {name: value_faults(leaf, option_value(leaf, name)) for name in listed}
    rows = (
        {batch.name_column: name, "result": "failed", "problems": wrong[0][1]}
        for name, wrong in faults.items()
        if wrong
    )
    left = tuple(name for name, wrong in faults.items() if not wrong)
    return frame.model_copy(update={"left": left, "of": len(faults), "rows": tuple(rows)})


def _child(key: str, frame: BatchFrame, sop: Sop, batch: Batch, context: StepContext) -> Child:
    leaf = context.playbook.definition.data_fields[batch.name]
    patch = Patch(by=frame.skill, data={batch.name: option_value(leaf, key)})
    return Child(key, SopFrame(skill=frame.skill, node=sop.start_node), patch)


def _result_row(ended: ChildRunEnded, batch: Batch) -> dict[str, Scalar]:
    problems = ended.patch.problems or ()
    text = "; ".join(problems) if ended.status == "completed" else ended.reason
    result = ended.patch.end or ended.status
    problem = shorten(text, PROBLEM_CHARS)
    return {batch.name_column: ended.key, "result": result, "problems": problem}


def _progress(frame: BatchFrame, context: StepContext) -> Note:
    run = context.run
    text = say("part.records", run.lang, name=run.name, n=len(frame.rows), of=frame.of)
    return Note("working", text)


def _sum_up(frame: BatchFrame, sop: Sop, batch: Batch, context: StepContext) -> Done:
    rows = tuple(sorted(frame.rows, key=lambda row: str(row[batch.name_column])))
    chart = chart_of(frame.violations, frame.of, context)
    data = {batch.summary: rows}
    lang = context.run.lang
    cut = say("records.cut_records", lang, n=len(rows)) if frame.of > len(rows) else None
    patch = Patch.from_paths(frame.skill, sop.sets(END), data=data, chart=chart, response=cut)
    return Done(patch, f"{len(rows)} of {frame.of} records have ended")
