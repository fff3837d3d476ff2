"""What files contain, read for the rules of a step that ask about it."""

from dataclasses import replace

from cards.values import FILE_TEXT
from engine.errors import ToolFailed
from engine.frames.leaves import value_of
from engine.frames.outcome import StepContext
from engine.ports.library import Extract, Files
from engine.rules.operators import UnreadFile


async def with_contents(context: StepContext) -> StepContext:
    """Return the step's context with the text of each file that a rule of its playbook reads."""
    run, files = context.run, context.services.library.files
    if not context.playbook.read_files or files is None:
        return context
    contents = {}
    for path in context.playbook.read_files:
        name = value_of(path, run.state)
        if isinstance(name, str):
            contents[f"{path}.{FILE_TEXT}"] = await _read_text(name, files, context)
    state = run.state.model_copy(update={"contents": contents})
    return replace(context, run=run.model_copy(update={"state": state}))


async def _read_text(name: str, files: Files, context: StepContext) -> str | UnreadFile:
    """Return the whole text; a rule that asks about any other file is told why it cannot."""
    try:
        extract = await files.extract(context.file_scope, name)
    except ToolFailed:
        return UnreadFile(name, "files.away")
    key = _unread_key(extract)
    return UnreadFile(name, key) if extract is None or key else extract.text


def _unread_key(extract: Extract | None) -> str:
    """Return the sentence on why a file has no text for a rule; "" when it has."""
    if extract is None:
        return "files.gone"
    if extract.problem:
        return f"files.{extract.problem}"
    if extract.width:
        return "files.picture"
    if extract.cut or extract.parts_read < extract.parts:
        return "files.long"
    return "" if extract.text.strip() else "files.no_words"
