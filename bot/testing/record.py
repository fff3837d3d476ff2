"""A conversation that was had, written as a test: what people did, and what came of it."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import yaml

from bot.masking import compile_mask
from bot.settings import Settings
from bot.wiring.store import StorePorts, open_store_ports
from cards.model import SUBMIT
from engine.frames.replies import ReplyHead
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition

_MOST_RUNS: Final = 1000
_AT_ONCE: Final = timedelta(seconds=60)
"""What comes so soon after something was done came of it; what comes later, of time."""


class _PlainDumper(yaml.SafeDumper):
    """Writes out what stands twice, for aliases are not allowed in our files."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@dataclass(slots=True)
class _Step:
    """Something that was done, and what came of it."""

    at: datetime
    does: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        return {**self.does, **({"expect": self.expect} if self.expect else {})}


@dataclass(frozen=True, slots=True)
class Recording:
    """A run with its log, its playbook, and the message that began it."""

    run: Run
    entries: Sequence[Mapping[str, Any]]
    playbook: Playbook
    head: ReplyHead | None


async def record_test(settings: Settings, name: str) -> int:
    """Print a test of the run, or of all runs of the conversation; 1 where there is none."""
    async with open_store_ports(settings) as store:
        recordings = await read_recordings(store, name)
    if not recordings:
        print(f"{name}: no run and no conversation with runs has this id", file=sys.stderr)
        return 1
    mask = compile_mask(settings.trace_mask)
    print(mask(as_yaml(recordings, settings.timezone, name)), end="")
    return 0


async def read_recordings(store: StorePorts, name: str) -> list[Recording]:
    """The run of that id, or those of the conversation of that id or room, the oldest first."""
    found: list[Recording] = []
    for run_id, _ in reversed(await store.archive.runs(_MOST_RUNS)):
        history = await store.archive.history(run_id)
        if history is None:
            continue
        run = Run.model_validate_json(history.body)
        is_of = run.conversation == name or run.conversation.endswith(f":{name}")
        if run.parent or not (run_id == name or is_of):
            continue
        body = await store.published.load(run.digest)
        if body is None:
            continue
        reply = await store.decisions.reply(run.reply)
        head = ReplyHead.model_validate_json(reply[0]) if reply else None
        entries = [json.loads(entry) for entry in history.entries]
        found.append(Recording(run, entries, Playbook.model_validate_json(body), head))
    return found


def as_yaml(recordings: Sequence[Recording], zone: str, name: str) -> str:
    """The test as a file has it."""
    steps = sorted((step for each in recordings for step in _steps(each)), key=lambda step: step.at)
    begin = steps[0].at.astimezone(ZoneInfo(zone))
    given: dict[str, Any] = {"now": begin.strftime("%Y-%m-%dT%H:%M")}
    calls = [call for each in recordings for entry in each.entries for call in _calls(entry)]
    tools = {n: t for each in recordings for n, t in each.playbook.tools.items()}
    if stubs := _stubs(calls, tools):
        given["tools"] = stubs
    if lines := list(_model_lines(calls)):
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
    return str(text)


def _steps(recording: Recording) -> list[_Step]:
    """What people did, and time, in the order of the log."""
    run, steps = recording.run, list[_Step]()
    if recording.head is not None:
        head = recording.head
        steps.append(_Step(head.at, {head.principal.id: head.text}))
    for number, entry in enumerate(recording.entries):
        at = datetime.fromisoformat(str(entry["at"]))
        later = recording.entries[number:]
        if action := _action(entry, later, taken=_tapped(recording.entries[:number])):
            steps.append(_Step(at, action))
            if entry.get("event") == "tap" and entry.get("result") not in ("decided", "vote"):
                steps[-1].expect["refused"] = True
        elif not steps or at - steps[-1].at > _AT_ONCE:
            steps.append(_Step(at, {"after": ""}))
        _add_expectations(steps[-1].expect, entry, run, recording.playbook)
    return [step for step in steps if step.expect or "after" not in step.does]


def _tapped(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    return {str(e.get("card")) for e in entries if _is_tap(e) and e.get("result") == "decided"}


def _is_tap(entry: Mapping[str, Any]) -> bool:
    return entry.get("event") == "tap"


def _action(
    entry: Mapping[str, Any], later: Sequence[Mapping[str, Any]], *, taken: set[str]
) -> dict[str, Any]:
    """What a person did by this entry, empty for none."""
    decision = entry.get("mail", {}).get("decision") if "mail" in entry else None
    if _is_tap(entry):
        token = entry.get("card")
        decisions = (e["mail"] for e in later if e.get("mail", {}).get("card") == token)
        made: Mapping[str, Any] = next((m["decision"] for m in decisions if m.get("decision")), {})
        values = _filled(made) if entry.get("result") == "decided" else _vote(entry)
        return {str(entry["by"]): _answer(str(entry.get("choice", "")), values)}
    if decision and str(entry["mail"].get("card")) not in taken:
        # A text that answered the card.
        return {str(decision["person"]): _answer(decision["choice"], _filled(decision))}
    return {}


def _filled(decision: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a form; what a file contained is not kept."""
    files = {
        name: {"name": str(decision["values"].get(name))} for name in decision.get("files", ())
    }
    unknown = {
        name: {**file, "text": f"what {file['name']} contained"} for name, file in files.items()
    }
    return {**decision.get("values", {}), **unknown}


def _vote(entry: Mapping[str, Any]) -> dict[str, Any]:
    votes = [v for card in entry.get("changed_cards", ()) for v in card.get("votes", ())]
    mine = [vote for vote in votes if vote["person"] == entry["by"] and vote.get("reason")]
    return {"reason": mine[-1]["reason"]} if mine else {}


def _answer(choice: str, values: Mapping[str, Any]) -> dict[str, Any]:
    typed = {name: _typed(value) for name, value in values.items() if value is not None}
    if choice == SUBMIT:
        return {"fill": typed}
    reason = typed.pop("reason", None)
    told = {"tap": choice, **({"reason": reason} if reason else {})}
    return {**told, **({"values": typed} if typed else {})}


def _typed(value: Any) -> Any:
    """A value as people type it."""
    if isinstance(value, Mapping) and value.keys() >= {"value", "currency"}:
        return f"{value['value']:g} {value['currency']}"
    if isinstance(value, str | int | float | bool | Mapping):
        return value
    return json.dumps(value, ensure_ascii=False)


def _add_expectations(
    expect: dict[str, Any], entry: Mapping[str, Any], run: Run, playbook: Playbook
) -> None:
    """Add what the entry says of what came of the step."""
    for card in entry.get("changed_cards", ()):
        review = card.get("review", {})
        if card["status"] == "open" and card["version"] == 1:
            expect["card"] = {"kind": card["kind"], "to": _asked(card, run)}
        elif entry.get("result") == "vote":
            expect["votes"] = f"{len(card.get('votes', ()))} of {review.get('quorum', 1)}"
        if entry.get("event") == "reminded":
            expect["reminded"] = _asked(card, run)
    if entry.get("event") == "escalated":
        expect["escalated"] = list(entry.get("added", ()))
    for call in _calls(entry):
        tool = playbook.tools.get(str(call.get("tool")))
        if call["kind"] == "call" and tool is not None and tool.writes:
            given = {n: v for n, v in call["arguments"].items() if v is not None}
            expect.setdefault("called", []).append({call["tool"]: given})
    if entry.get("end"):
        expect["end"] = entry["end"]


def _asked(card: Mapping[str, Any], run: Run) -> list[str]:
    """Whom the card waits for, by its facts in the log."""
    review = card.get("review", {})
    voted = {vote["person"] for vote in card.get("votes", ())}
    if review.get("four_eyes"):
        voted.add(run.requester.id)
    named = [*(review.get("approvers") or ()), *review.get("persons", ())]
    return [each for each in dict.fromkeys(named) if each not in voted]


def _calls(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from entry.get("calls", ())


def _stubs(
    calls: Iterable[Mapping[str, Any]], tools: Mapping[str, ToolDefinition]
) -> dict[str, Any]:
    """What each tool gave, with the arguments where it was called more than once."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for call in calls:
        tool = tools.get(str(call.get("tool")))
        if tool is None or call["kind"] != "call":
            continue
        given = {n: v for n, v in call["arguments"].items() if v is not None}
        case = {"with": given, **_outcome(call, tool)}
        if case not in cases.setdefault(str(call["tool"]), []):
            cases[str(call["tool"])].append(case)
    return {name: _short(found) for name, found in cases.items()}


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


def _model_lines(calls: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
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


def _with_waits(steps: Sequence[_Step]) -> Iterator[_Step]:
    """The steps, with the time that passed before those that came later."""
    before: datetime | None = None
    for step in steps:
        gone = step.at - before if before else timedelta()
        if "after" in step.does:
            step.does = {"after": _duration(gone)}
        elif gone > 10 * _AT_ONCE:
            yield _Step(step.at, {"after": _duration(gone)})
        yield step
        before = step.at


def _duration(gone: timedelta) -> str:
    minutes = max(1, round(gone.total_seconds() / 60))
    days, minutes = divmod(minutes, 1440)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((days, "d"), (hours, "h"), (minutes, "m")) if n]
    return " ".join(parts)
