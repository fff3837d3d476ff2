"""A dialogue with a model: ask, read the answer, send its faults back, call tools, keep limits.

A `ModelTask` says what a model is asked for. A dialogue that is stored with a run goes on with
`advance_dialogue`, one answer or one round of tool calls at a time; `run_dialogue` takes one to its
end.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from cards.frozen import Frozen
from cards.model import Lang
from cards.texts import say
from engine.errors import AllowanceUsedUp, ModelError, NoModel
from engine.ports.model import Completion, Message, Model, Purpose, ToolCall
from engine.text.answer import AnswerFaults
from engine.text.fence import fence_data
from engine.text.thoughts import without_thoughts
from engine.tools.read_only import ReadOnlyTools

MAX_FAULTY = 3
MAX_CALLS = 12
UNLIMITED: Final = sys.maxsize
NO_MORE_CALLS = "no more tools can be called; answer with what is known"
CUT_OFF = "the answer was cut off at its greatest length; make it shorter"
NO_ROOM = "the model used up its greatest length, raised once, before it wrote any answer"


class Dialogue(Frozen):
    """The messages of a dialogue with a model, and its counts; frames with a dialogue extend it.

    `rounds` counts the model's answers, `faulty` those that were not usable since the last one that
    was, `calls` the tool calls it asked for, `asked_times` its questions to people.
    """

    messages: tuple[Message, ...] = ()
    rounds: int = 0
    faulty: int = 0
    calls: int = 0
    asked_times: int = 0

    @property
    def pending_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls that the model waits for."""
        return self.messages[-1].tool_calls if self.messages else ()


def correction_text(
    faults: AnswerFaults,
    wrong: str = "That answer cannot be used. Send the whole object again, corrected:",
) -> str:
    """The exact faults of an answer, for the next try; they may quote the answer itself."""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return f"{wrong}\n{fence_data(listed)}"


def first_messages(system: str, user: str) -> tuple[Message, ...]:
    """The first messages of a dialogue: what the model is to do, and its material."""
    return Message(role="system", content=system), Message(role="user", content=user)


def unanswered_text(error: ModelError, lang: Lang, *, away: str, limited: str) -> str:
    """Why there is no answer, by two texts of the catalogue: the model is away, or it is limited.

    A limit of the day that is used up is named.
    """
    if not isinstance(error, AllowanceUsedUp):
        return say(away, lang)
    return say(limited, lang, limit=limit_text(error.whose, lang))


def limit_text(whose: str, lang: Lang) -> str:
    """That the day's limit is used up, of a person, a project or all: a clause of a sentence."""
    return say("model.limit", lang, whose=say(f"model.limit.{whose}", lang))


D = TypeVar("D", bound=Dialogue)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTask(Generic[T]):
    """What a model is asked for: the first messages, how its answer is read, tools, and limits.

    `read` gives the answer's value or its faults, `correction` what the model is told of these.
    `cut_off` is told instead where the provider cut the answer off, unless it is "". Without
    `tools`, tool calls of the model are not heard. `not_called` answers a call beyond the limits.
    `purpose` is what settings know the task by.
    """

    opening: Callable[[], tuple[Message, ...]] = tuple
    read: Callable[[str], T | AnswerFaults]
    purpose: Purpose
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 4000
    correction: Callable[[AnswerFaults], str] = correction_text
    cut_off: str = ""
    tools: ReadOnlyTools | None = None
    not_called: str = "Not called: too many calls."
    max_faulty: int = MAX_FAULTY
    max_rounds: int = UNLIMITED
    max_calls: int = MAX_CALLS
    max_calls_each: int = UNLIMITED


@dataclass(frozen=True, slots=True)
class DialogueProgress(Generic[D]):
    """The dialogue goes on: the model wants tools, has their results, or its answer's faults."""

    dialogue: D
    why: str


@dataclass(frozen=True, slots=True)
class DialogueResult(Generic[D, T]):
    """The model's answer can be used."""

    dialogue: D
    value: T


@dataclass(frozen=True, slots=True)
class DialogueFailure(Generic[D]):
    """The limits are reached without an answer that can be used; `faults` are of the last one.

    One whose length was used up before there was any answer is not asked for again.
    """

    dialogue: D
    faults: AnswerFaults


async def run_dialogue(
    task: ModelTask[T], model: Model | None
) -> DialogueResult[Dialogue, T] | DialogueFailure[Dialogue]:
    """A dialogue from its opening to its end, kept nowhere. Raises ModelError."""
    dialogue = Dialogue()
    while True:
        outcome = await advance_dialogue(dialogue, task, model)
        if not isinstance(outcome, DialogueProgress):
            return outcome
        dialogue = outcome.dialogue


async def advance_dialogue(
    dialogue: D, task: ModelTask[T], model: Model | None
) -> DialogueProgress[D] | DialogueResult[D, T] | DialogueFailure[D]:
    """The tool calls that the model waits for, else its next answer. Raises ModelError."""
    if dialogue.pending_calls and task.tools:
        return await _call_tools(dialogue, task, task.tools)
    if model is None:
        raise NoModel("there is no model")
    if not dialogue.messages:
        dialogue = _extend(dialogue, *task.opening())
    offers = task.tools.offers() if task.tools and _may_call(dialogue, task) else ()
    answer = await model.complete(
        dialogue.messages,
        tools=offers,
        schema=task.schema,
        max_tokens=task.max_tokens,
        purpose=task.purpose,
    )
    return _take_answer(dialogue, task, answer)


def _may_call(dialogue: Dialogue, task: ModelTask[Any]) -> bool:
    """Whether the next answer may call tools: there has to be another one after it."""
    return dialogue.calls < task.max_calls and dialogue.rounds + 1 < task.max_rounds


async def _call_tools(
    dialogue: D, task: ModelTask[Any], tools: ReadOnlyTools
) -> DialogueProgress[D]:
    """Make the calls that the model waits for; all of them only read."""
    pending, results = dialogue.pending_calls, list[Message]()
    left = min(task.max_calls - dialogue.calls, task.max_calls_each)
    for number, call in enumerate(pending):
        # Every call must have a result, or the provider refuses the dialogue.
        content = (await tools.call(call)).content if number < left else task.not_called
        results.append(Message(role="tool", tool_call_id=call.id, content=content))
    after = _extend(dialogue, *results, calls=dialogue.calls + len(pending))
    return DialogueProgress(after, f"called {_names(pending)}")


def _take_answer(
    dialogue: D, task: ModelTask[T], answer: Completion
) -> DialogueProgress[D] | DialogueResult[D, T] | DialogueFailure[D]:
    # What the model thinks is nobody's to read, and is not told to it again either.
    answer = replace(answer, text=without_thoughts(answer.text))
    rounds, calls = dialogue.rounds + 1, answer.tool_calls if task.tools else ()
    message = Message(role="assistant", content=answer.text)
    if calls and _may_call(dialogue, task):
        calling = message.model_copy(update={"tool_calls": calls})
        after = _extend(dialogue, calling, rounds=rounds)
        return DialogueProgress(after, f"the model wants {_names(calls)}")
    if answer.has_no_room:
        return DialogueFailure(_extend(dialogue, rounds=rounds), AnswerFaults((NO_ROOM,)))
    value = _read_answer(task, answer)
    if not isinstance(value, AnswerFaults):
        return DialogueResult(_extend(dialogue, message, rounds=rounds, faulty=0), value)
    after = _extend(dialogue, message, rounds=rounds, faulty=dialogue.faulty + 1)
    if after.faulty >= task.max_faulty or rounds >= task.max_rounds:
        return DialogueFailure(after, value)
    again = _extend(after, Message(role="user", content=task.correction(value)))
    return DialogueProgress(again, f"sent back: {'; '.join(value)}")


def _read_answer(task: ModelTask[T], answer: Completion) -> T | AnswerFaults:
    if answer.tool_calls and task.tools:
        return AnswerFaults((NO_MORE_CALLS,))
    value = task.read(answer.text)
    if answer.truncated and task.cut_off and isinstance(value, AnswerFaults):
        return AnswerFaults((task.cut_off,))
    return value


def _extend(dialogue: D, *more: Message, **counted: int) -> D:
    return dialogue.model_copy(update={"messages": (*dialogue.messages, *more), **counted})


def _names(calls: Iterable[ToolCall]) -> str:
    return ", ".join(call.name for call in calls)
