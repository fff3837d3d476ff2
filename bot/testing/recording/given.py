"""What is given to a test of a conversation: what each tool gave, what the model answered."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from bot.testing.recording.messages import looked_up
from bot.testing.recording.read import Conversation, TracedMessage, calls_in
from engine.playbooks.leaf import value_faults
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition
from engine.understanding.router.llm import NO_ANSWER

_EXAMPLES: Final[tuple[Any, ...]] = (
    "example",
    1,
    True,
    "2026-03-02",
    "09:00",
    {"value": 1, "currency": "EUR"},
    "example@example.org",
    "https://example.org",
)
_MOST_ROWS: Final = 2
_FENCE: Final = ("<data>", "</data>")

_Case = tuple[str, dict[str, Any]]
"""A tool's name, and a case of what it gave."""


def tool_stubs(conversation: Conversation) -> dict[str, Any]:
    """What each tool gave, with the arguments where it was called more than once."""
    tools, cases = conversation.tools, dict[str, list[dict[str, Any]]]()
    found = (*_run_cases(conversation), *_message_cases(conversation), *_listed(conversation))
    for name, case in found:
        mine = cases.setdefault(name, [])
        # What a run was given is kept; an example adds nothing to it.
        if all(each["with"] != case["with"] for each in mine):
            mine.append(case)
    return {name: _short(found) for name, found in cases.items() if name in tools}


def _listed(conversation: Conversation) -> Iterator[_Case]:
    """Of each list of entities the rows that the conversation named; no list is kept whole."""
    for playbook in conversation.playbooks.values():
        for kind, entity in playbook.definition.entities.items():
            tool = conversation.tools.get(entity.tool)
            if tool is None:
                continue
            rows = [
                {**_example_row(tool, {}), entity.id: id_, **dict.fromkeys(entity.names[:1], name)}
                for id_, name in _named(conversation, playbook, kind).items()
            ]
            if rows:
                yield entity.tool, {"with": {}, "gives": rows}


def _named(conversation: Conversation, playbook: Playbook, kind: str) -> dict[str, str]:
    """Ids of that kind, each with a name: what texts and fields had of it."""
    fields = playbook.definition.data_fields.items()
    runs = [each.run for each in conversation.recordings if each.run.playbook == playbook.id]
    ids = [run.state.data.get(name) for run in runs for name, f in fields if f.entity == kind]
    found = {id_: id_ for id_ in ids if isinstance(id_, str) and id_}
    heads = (message.reply[0] for message in conversation.messages if message.reply)
    named = [*(run.named or () for run in runs), *(head.entities for head in heads)]
    return found | {n.id: n.text for each in named for n in each if n.kind == kind}


def has_examples(conversation: Conversation) -> bool:
    """Whether rows had to be made up, as look-ups keep only how many there were."""
    tools, playbooks = conversation.tools, conversation.playbooks
    calls = [each for m in conversation.messages for each in looked_up(m, playbooks)]
    return any(name in tools and call.get("rows") for (name, _), call in calls)


def _run_cases(conversation: Conversation) -> Iterator[_Case]:
    for recording in conversation.recordings:
        for call in (call for entry in recording.entries for call in calls_in(entry)):
            tool = recording.playbook.tools.get(str(call.get("tool")))
            if tool is not None and call["kind"] == "call":
                given = {n: v for n, v in call["arguments"].items() if v is not None}
                yield str(call["tool"]), {"with": given, **_outcome(call, tool)}


def _message_cases(conversation: Conversation) -> Iterator[_Case]:
    tools, playbooks = conversation.tools, conversation.playbooks
    for message in conversation.messages:
        for (name, given), call in looked_up(message, playbooks):
            if name in tools:
                yield name, {"with": given, **_example(call, tools[name], given)}
        for item in (step for each in message.dialogues for step in each["steps"]):
            tool = tools.get(str(item.get("action", "")))
            if tool is not None:
                yield item["action"], {"with": arguments_of(item), **_observed(item, tool)}


def _example(
    call: Mapping[str, Any], tool: ToolDefinition, given: Mapping[str, Any]
) -> dict[str, Any]:
    """As many rows as there were, at most two: a look-up's result is not kept."""
    if "error" in call:
        return {"fault": "fails"}
    rows = [_example_row(tool, given)] * min(int(call.get("rows", 1)), _MOST_ROWS)
    match tool.result:
        case "text":
            return {"gives": "example"}
        case "many":
            return {"gives": rows}
        case "one":
            return {"gives": rows[0] if rows else None}


def _example_row(tool: ToolDefinition, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value of each column's type; what was asked for by its name is that."""
    found = {}
    for name, column in tool.columns.items():
        values = (given.get(name), *_EXAMPLES)
        fitting = (value for value in values if value and not value_faults(column.leaf, value))
        with suppress(StopIteration):
            found[name] = next(fitting)
    return found


def arguments_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a model's call, {} where it gave none that can be read."""
    with suppress(ValueError, RecursionError):
        found = json.loads(item.get("arguments") or "{}")
        if isinstance(found, dict):
            return {name: value for name, value in found.items() if value is not None}
    return {}


def _observed(item: Mapping[str, Any], tool: ToolDefinition) -> dict[str, Any]:
    """What the model was shown of a result, where all of it was."""
    if item.get("ok") is False:
        return {"fault": "fails"}
    begin, end = _FENCE
    text = str(item.get("observation", "")).removeprefix(begin).removesuffix(end)
    with suppress(ValueError, RecursionError):
        return _outcome({"result": json.loads(text)}, tool)
    return _example({}, tool, arguments_of(item))


def _short(cases: list[dict[str, Any]]) -> Any:
    if len(cases) > 1:
        return cases
    only = cases[0]
    return only["fault"] if "fault" in only else only["gives"]


def _outcome(call: Mapping[str, Any], tool: ToolDefinition) -> dict[str, Any]:
    """What a call gave, by the tool's columns, or its fault."""
    if "error" in call:
        return {"fault": "lost answer" if call.get("unsure") else "fails"}
    result = call.get("result")
    if not isinstance(result, Mapping):
        return {"gives": result}
    match tool.result:
        case "text":
            return {"gives": result.get("text", "")}
        case "many":
            return {"gives": [_row(row, tool) for row in result.get("rows", ())]}
        case "one":
            return {"gives": _row(result, tool) if result.get("found", True) else None}


def _row(row: Mapping[str, Any], tool: ToolDefinition) -> dict[str, Any]:
    names = tool.columns or (row.keys() - {"found"})
    return {name: row[name] for name in names if row.get(name) is not None}


def model_lines(conversation: Conversation) -> list[dict[str, Any]]:
    """What the model answered, in the order of time."""
    lines: list[tuple[datetime, list[dict[str, Any]]]] = []
    for recording in conversation.recordings:
        for entry in recording.entries:
            at = datetime.fromisoformat(str(entry["at"]))
            lines.append((at, list(_run_lines(calls_in(entry)))))
    lines += [(each.at, list(_message_lines(each))) for each in conversation.messages]
    lines.sort(key=lambda each: each[0])
    return [line for _, found in lines for line in found]


def _run_lines(calls: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for call in calls:
        if call["kind"] != "model":
            continue
        if "error" in call:
            yield {"fault": "away" if call.get("away") else "refuses"}
            continue
        answer = call["answer"]
        wanted = [{c["name"]: json.loads(c["arguments"])} for c in answer.get("tool_calls", ())]
        line = {"text": answer.get("text", ""), "calls": wanted}
        yield {name: value for name, value in line.items() if value}


def _message_lines(message: TracedMessage) -> Iterator[dict[str, Any]]:
    """How the model read the message, then how it answered each question in it."""
    for verdict in message.routed["verdicts"]:
        yield from ({"text": text} for text in verdict.get("answers", ()))
        if verdict["why"].startswith(NO_ANSWER):
            yield {"fault": "away"}
    dialogues = message.dialogues
    for dialogue in dialogues:
        # Several are answered at once.
        purpose = {"purpose": dialogue["question"]} if len(dialogues) > 1 else {}
        yield from ({**purpose, **line} for line in _dialogue_lines(dialogue))


def _dialogue_lines(dialogue: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    steps: Sequence[Mapping[str, Any]] = dialogue["steps"]
    for number in sorted({item["iteration"] for item in steps}):
        mine = [item for item in steps if item["iteration"] == number]
        text = "".join(item.get("thought", "") for item in mine)
        wanted = [{item["action"]: arguments_of(item)} for item in mine if item.get("action")]
        line = {"text": text, "calls": wanted}
        yield {name: value for name, value in line.items() if value} or {"text": ""}
    match dialogue["outcome"]:
        case "model_unavailable":
            yield {"fault": "away"}
        case "model_refused" if not steps:
            yield {"fault": "refuses"}
