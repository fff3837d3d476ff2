"""Messages of a conversation as steps of a test: what was said, and what was answered to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from bot.testing.recording.read import Conversation, TracedMessage
from engine.frames.intents import Intent
from engine.frames.replies import Part
from engine.frames.shared_files import kept_names
from engine.playbooks.model import Playbook

ROOM: Final = "room"
"""Where a conversation of several people is played."""

_SOON: Final = timedelta(seconds=1)
_NONE: Final = "none"
_PASSING: Final = ("working", "waiting")


@dataclass(slots=True)
class Step:
    """Something that was done, and what came of it."""

    at: datetime
    does: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """As a file has it."""
        return {**self.does, **({"expect": self.expect} if self.expect else {})}


@dataclass(slots=True)
class MessageSteps:
    """The steps of messages: all of them, those that began a run, and answers to cards by text."""

    steps: list[Step] = field(default_factory=list)
    begun: dict[str, Step] = field(default_factory=dict)
    typed: list[tuple[str, Step]] = field(default_factory=list)

    def answer_to(self, card: str, until: datetime) -> Step | None:
        """The last message by then that answered the card."""
        found = [step for token, step in self.typed if token == card and step.at <= until]
        return found[-1] if found else None


def message_steps(conversation: Conversation) -> MessageSteps:
    """What people said, with what was answered."""
    found = MessageSteps()
    shared = len({message.by for message in conversation.messages}) > 1
    for message in conversation.messages:
        step = Step(message.at, _said(message, shared=shared), _answer(message, conversation))
        found.steps.append(step)
        found.typed += [(each.card, step) for each in message.intents if each.card]
        for intent, part in zip(message.intents, _parts(message), strict=False):
            mine = step
            if choice := _choice(intent, part):
                mine = Step(message.at + _SOON, {message.by: {"tap": choice}})
                found.steps.append(mine)
            if part.run:
                found.begun[part.run] = mine
    return found


def _said(message: TracedMessage, *, shared: bool) -> dict[str, Any]:
    text = message.reply[0].text if message.reply else str(message.routed["text"])
    files = kept_names(message.reply[0].files) if message.reply else ()
    if not files and not shared:
        return {message.by: text}
    shares = [{"name": name, "text": f"what {name} contained"} for name in files]
    does = {"says": text, "shares": shares, "in": ROOM if shared else ""}
    return {message.by: {name: value for name, value in does.items() if value}}


def _parts(message: TracedMessage) -> Sequence[Part]:
    return message.reply[1] if message.reply else ()


def _choice(intent: Intent, part: Part) -> str:
    """The button of the card that asked what was meant, "" for none."""
    if part.intent == intent or not (intent.candidates or intent.condition):
        return ""
    if intent.condition:
        return "" if part.intent.condition else "1"
    for number, each in enumerate(intent.candidates, 1):
        meant = (each.kind, each.playbook, each.request)
        if meant == (part.intent.kind, part.intent.playbook, part.intent.request):
            return str(number)
    return ""


def _answer(message: TracedMessage, conversation: Conversation) -> dict[str, Any]:
    """What happened, and not in which words: of which kind the answer was, what was looked up."""
    expect: dict[str, Any] = {}
    for intent, part in zip(message.intents, _parts(message), strict=False):
        state = "asked" if _choice(intent, part) or part.state == "needs_you" else part.state
        if state not in _PASSING and (state == "asked" or not part.run):
            expect.setdefault("reply", {"is": state})
    tools = conversation.tools
    called = [call for call, _ in looked_up(message, conversation.playbooks)]
    dialogues = message.dialogues
    for item in dialogues[0]["steps"] if len(dialogues) == 1 else ():
        if item.get("action"):
            called.append((item["action"], {}))
    if called := [(name, given) for name, given in called if name in tools]:
        expect["called"] = [{name: given} if given else name for name, given in called]
    return expect


def looked_up(
    message: TracedMessage, playbooks: Mapping[str, Playbook]
) -> Iterator[tuple[tuple[str, dict[str, Any]], Mapping[str, Any]]]:
    """Each tool that a look-up called with its arguments, and what is kept of the call."""
    later = [trace for trace in message.parts if trace["kind"] == "looked_up"]
    for index, intent in enumerate(message.intents):
        wanted = [each for each in (intent.lookup, *intent.more) if each]
        calls = [
            call
            for trace in (message.routed, *later)
            for call in trace.get("calls", ())
            if call.get("part", trace.get("part")) == index
        ]
        for lookup, call in zip(wanted, calls, strict=False):
            yield _tool_of(lookup.tool, lookup.arguments, playbooks), call


def _tool_of(
    name: str, given: Mapping[str, Any], playbooks: Mapping[str, Playbook]
) -> tuple[str, dict[str, Any]]:
    """The tool itself, where a playbook's answer reads it."""
    given = {key: value for key, value in given.items() if value is not None}
    if not name.startswith("answer:"):
        return name, given
    _, playbook, answer = name.split(":", 2)
    found = playbooks[playbook].answers.get(answer) if playbook in playbooks else None
    return (found.tool, {**found.arguments, **given}) if found and found.tool else (name, given)
