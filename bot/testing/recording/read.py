"""What the service keeps of a conversation: its runs, and how its messages were read."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from bot.definitions.snapshot import Pointer
from bot.wiring.store import StorePorts
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition

_MOST_RUNS: Final = 1000
_MOST_TRACES: Final = 20_000
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Recording:
    """A run with its log, its playbook, and the message that began it."""

    run: Run
    entries: Sequence[Mapping[str, Any]]
    playbook: Playbook
    head: ReplyHead | None


@dataclass(frozen=True, slots=True)
class TracedMessage:
    """A message as its traces have it; `reply` is what was answered, where that is still kept."""

    id: str
    routed: Mapping[str, Any]
    parts: Sequence[Mapping[str, Any]]
    """Traces of its parts: look-ups that came later, and dialogues with a model."""
    reply: tuple[ReplyHead, Sequence[Part]] | None

    @property
    def at(self) -> datetime:
        """When it was read."""
        return datetime.fromisoformat(self.routed["at"])

    @property
    def by(self) -> str:
        """Who wrote it."""
        return str(self.routed["by"])

    @property
    def intents(self) -> Sequence[Intent]:
        """What was understood."""
        return [Intent.model_validate_json(json.dumps(each)) for each in self.routed["intents"]]

    @property
    def dialogues(self) -> Sequence[Mapping[str, Any]]:
        """How a model answered its questions, in their order."""
        found = [trace for trace in self.parts if trace["kind"] == "react"]
        return sorted(found, key=lambda trace: int(trace["part"]))


@dataclass(frozen=True, slots=True)
class Conversation:
    """Runs and messages, the oldest first, and the playbooks that they were about."""

    recordings: Sequence[Recording] = ()
    messages: Sequence[TracedMessage] = ()
    current: Sequence[Playbook] = field(default=())

    @property
    def playbooks(self) -> Mapping[str, Playbook]:
        """Playbooks by id, as the runs had them, else as they are now."""
        ran = {each.playbook.id: each.playbook for each in self.recordings}
        return {**{each.id: each for each in self.current}, **ran}

    @property
    def tools(self) -> Mapping[str, ToolDefinition]:
        """Every tool of these."""
        return {name: tool for p in self.playbooks.values() for name, tool in p.tools.items()}


async def read_conversation(store: StorePorts, name: str) -> Conversation:
    """The run of that id with its message, that message, or all of that conversation or room."""
    recordings = await _read_recordings(store, name)
    begun = {each.run.reply for each in recordings if each.run.id == name}
    messages = [
        message
        for message in await _read_messages(store, name, begun)
        if not begun or message.id in begun
    ]
    return Conversation(recordings, messages, await _read_playbooks(store))


def _is_of(conversation: str, name: str) -> bool:
    return conversation == name or conversation.endswith(f":{name}")


async def _read_recordings(store: StorePorts, name: str) -> list[Recording]:
    found: list[Recording] = []
    for run_id, _ in reversed(await store.archive.runs(_MOST_RUNS)):
        history = await store.archive.history(run_id)
        if history is None:
            continue
        run = Run.model_validate_json(history.body)
        if run.parent or not (run_id == name or _is_of(run.conversation, name)):
            continue
        body = await store.published.load(run.digest)
        if body is None:
            continue
        reply = await store.decisions.reply(run.reply)
        head = ReplyHead.model_validate_json(reply[0]) if reply else None
        entries = [json.loads(entry) for entry in history.entries]
        found.append(Recording(run, entries, Playbook.model_validate_json(body), head))
    return found


async def _read_messages(store: StorePorts, name: str, ids: set[str]) -> list[TracedMessage]:
    """Messages of the conversation, or with these ids."""
    routed: dict[str, Mapping[str, Any]] = {}
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for trace_id, trace in await _read_traces(store):
        if trace.get("kind") == "routed":
            routed[trace_id] = trace
        elif trace.get("kind") in ("looked_up", "react"):
            parts.setdefault(trace_id.rpartition("/")[0], []).append(trace)
    found = []
    for message, trace in routed.items():
        if message not in {name, *ids} and not _is_of(trace["conversation"], name):
            continue
        stored = await store.decisions.reply(message)
        reply = None
        if stored:
            head = ReplyHead.model_validate_json(stored[0])
            reply = (head, [Part.model_validate_json(body) for body in stored[1]])
        found.append(TracedMessage(message, trace, parts.get(message, []), reply))
    return sorted(found, key=lambda each: each.at)


async def _read_traces(store: StorePorts) -> list[tuple[str, Mapping[str, Any]]]:
    found: list[tuple[str, Mapping[str, Any]]] = []
    after = ""
    while len(found) < _MOST_TRACES:
        page = await store.archive.traces(_PAGE, after=after)
        found += [(name, json.loads(body)) for name, body in page]
        if not page:
            break
        after = page[-1][0]
    return found


async def _read_playbooks(store: StorePorts) -> list[Playbook]:
    """Those that are served now."""
    pointer = await store.published.pointer()
    if pointer is None:
        return []
    digests = Pointer.model_validate_json(pointer).playbooks.values()
    bodies = [await store.published.load(digest) for digest in digests]
    return [Playbook.model_validate_json(body) for body in bodies if body is not None]


def calls_in(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Calls of tools and of the model that a run's step made."""
    yield from entry.get("calls", ())
