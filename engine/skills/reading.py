"""How far a skill's model has read the files, by the calls that it made."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.frames.outcome import StepContext
from engine.frames.state import Attachment, FileReading, ModelFrame
from engine.playbooks.skill import FILES, Skill
from engine.text.fence import fence_data

PARSER: Final = "file__parse"
MAX_REMINDED = 2
READING_CALLS = 60
"""A skill that reads files may call so many tools: a long file has many pages."""

_REMINDER = (
    "Not taken yet: {files} not read. Read on with {parser} (`from` is where), and then answer "
    "again, with what else you find. Only what cannot be read may be left out."
)


def reading_after(
    reading: Mapping[str, FileReading], calls: Iterable[Mapping[str, Any]]
) -> dict[str, FileReading]:
    """How far files are read after these calls of a step, as they were recorded."""
    after = dict(reading)
    for call in calls:
        if call.get("kind") != "call" or call.get("tool") != PARSER:
            continue
        name = str(call["arguments"].get("name", ""))
        before = after.get(name, FileReading())
        result = call.get("result")
        if result is None:
            after[name] = before.model_copy(update={"unreadable": True})
        elif result.get("found"):
            after[name] = _after_page(before, result)
    return after


def _after_page(before: FileReading, result: Mapping[str, Any]) -> FileReading:
    if result["kind"] == "picture":
        return before.model_copy(update={"unreadable": True})
    if result["kind"] != "text":
        # Columns and first rows: the table itself begins at 0.
        return before.model_copy(update={"chars": result["chars"]})
    start, following = result["from"], result["next"]
    if start > before.read_to:
        return before
    read_to = max(before.read_to, start + len(result["text"]))
    whole = before.whole or (following is None and not result["cut"])
    return FileReading(
        read_to=read_to,
        chars=result["chars"],
        whole=whole,
        # What lies beyond what can be read.
        unreadable=following is None and not whole,
    )


def unread_files(frame: ModelFrame, skill: Skill, context: StepContext) -> tuple[str, ...]:
    """What the skill should have read and has not, each with how far it is read.

    A skill for files has to open each file that no such skill has had; one that reads files whole
    has to read those that it opened to their ends, whichever these are.
    """
    if PARSER not in skill.tools:
        return ()
    unread = []
    if skill.category == FILES:
        new = (file.name for file in context.run.state.unseen_files)
        unread += [f"{name} (not opened)" for name in new if name not in frame.reading]
    if skill.reads == "whole":
        unread += [
            f"{name} (to character {reading.read_to} of {reading.chars})"
            for name, reading in frame.reading.items()
            if not reading.is_over
        ]
    return tuple(unread)


def reminder(unread: Iterable[str]) -> str:
    """What the model is told of files that it has not read."""
    return _REMINDER.format(files=fence_data("; ".join(unread)), parser=PARSER)


def read_files(frame: ModelFrame) -> tuple[str, ...]:
    """The files that were read to their end."""
    return tuple(name for name, reading in frame.reading.items() if reading.whole)


def seen_files(skill: Skill, files: Iterable[Attachment]) -> tuple[str, ...]:
    """The files that a skill for files has had, once it is done."""
    return tuple(file.name for file in files) if skill.category == FILES else ()
