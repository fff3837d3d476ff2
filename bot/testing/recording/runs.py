"""Runs of a conversation as steps of a test: what people decided, and what came of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from bot.testing.recording.messages import MessageSteps, Step
from bot.testing.recording.read import Recording, calls_in
from cards.model import SUBMIT
from engine.frames.state import Run
from engine.playbooks.model import Playbook

AT_ONCE: Final = timedelta(seconds=60)
"""What comes so soon after something was done came of it; what comes later, of time."""


def run_steps(recording: Recording, said: MessageSteps) -> list[Step]:
    """What people did, and time, in the order of the log; steps of messages are those `said`."""
    run, steps = recording.run, list[Step]()
    head, begun = recording.head, said.begun.get(recording.run.id)
    if begun is not None:
        steps.append(begun)
    elif head is not None:
        steps.append(Step(head.at, {head.principal.id: head.text}))
    for number, entry in enumerate(recording.entries):
        at = datetime.fromisoformat(str(entry["at"]))
        later = recording.entries[number:]
        tapped = _tapped(recording.entries[:number])
        card = str(entry.get("mail", {}).get("card", ""))
        typed = said.answer_to(card, at) if card and card not in tapped else None
        if typed is not None:
            steps.append(typed)
        elif action := _action(entry, later, taken=tapped):
            steps.append(Step(at, action))
            if entry.get("event") == "tap" and entry.get("result") not in ("decided", "vote"):
                steps[-1].expect["refused"] = True
        elif not steps or at - steps[-1].at > AT_ONCE:
            steps.append(Step(at, {"after": ""}))
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
    for call in calls_in(entry):
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
