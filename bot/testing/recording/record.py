"""A conversation that was had, written as a test: what people did, and what came of it."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import yaml

from bot.masking import compile_mask
from bot.settings import Settings
from bot.testing.recording.given import has_examples, model_lines, tool_stubs
from bot.testing.recording.messages import Step, message_steps
from bot.testing.recording.read import Conversation, read_conversation
from bot.testing.recording.runs import AT_ONCE, run_steps
from bot.wiring.store import open_store_ports

_EXAMPLE_NOTE: Final = """\
# What look-ups found is not kept: their rows are examples, as many as there were, two at most.
"""


class _PlainDumper(yaml.SafeDumper):
    """Writes out what stands twice, for aliases are not allowed in our files."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


async def record_test(settings: Settings, name: str) -> int:
    """Print a test of the run, or of all of the conversation; 1 where there is none."""
    async with open_store_ports(settings) as store:
        conversation = await read_conversation(store, name)
    if not conversation.recordings and not conversation.messages:
        told = "no run and no conversation has this id, or its traces are not kept any more"
        print(f"{name}: {told}", file=sys.stderr)
        return 1
    mask = compile_mask(settings.trace_mask)
    print(mask(as_yaml(conversation, settings.timezone, name)), end="")
    return 0


def as_yaml(conversation: Conversation, zone: str, name: str) -> str:
    """The test as a file has it."""
    steps = _steps(conversation)
    begin = steps[0].at.astimezone(ZoneInfo(zone))
    given: dict[str, Any] = {"now": begin.strftime("%Y-%m-%dT%H:%M")}
    if stubs := tool_stubs(conversation):
        given["tools"] = stubs
    if lines := model_lines(conversation):
        given["model"] = lines
    test = {
        "test": f"as it was in {name}",
        "given": given,
        "steps": [step.as_data() for step in _with_waits(steps)],
    }
    text = yaml.dump(
        [test],
        Dumper=_PlainDumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return f"{_EXAMPLE_NOTE if has_examples(conversation) else ''}{text}"


def _steps(conversation: Conversation) -> list[Step]:
    said = message_steps(conversation)
    found = {id(step): step for step in said.steps}
    for recording in conversation.recordings:
        found |= {id(step): step for step in run_steps(recording, said)}
    return sorted(found.values(), key=lambda step: step.at)


def _with_waits(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, with the time that passed before those that came later."""
    before: datetime | None = None
    for step in steps:
        gone = step.at - before if before else timedelta()
        if "after" in step.does:
            step.does = {"after": _duration(gone)}
        elif gone > 10 * AT_ONCE:
            yield Step(step.at, {"after": _duration(gone)})
        yield step
        before = step.at


def _duration(gone: timedelta) -> str:
    minutes = max(1, round(gone.total_seconds() / 60))
    days, minutes = divmod(minutes, 1440)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "m")) if n]
    return " ".join(parts)
