"""Makes the account of a message out of what the store keeps: its reply, its traces, its runs."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from bot.dev.account import (
    AccountEvent,
    CallMade,
    MessageAccount,
    ModelAsked,
    PartAccount,
    RouteVerdict,
    StepMade,
    TakenValue,
)
from bot.dev.run_events import (
    MOST_VALUES,
    Cast,
    LogEntry,
    RunLog,
    answer_events,
    call_event,
    clip,
    value_text,
)
from bot.operate.audit import mask_values
from bot.people.directory import Directory
from engine.frames.intents import Candidate, Intent, Lookup
from engine.frames.replies import Part, ReplyHead, is_settled
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.ports.storage.archive import Archive
from engine.ports.storage.store import Decisions
from engine.text.entity_kinds import NamedEntity

MOST_EVENTS = 120
MOST_CHILDREN = 10
MOST_PARTS = 40

FindPlaybook = Callable[[str], Awaitable[Playbook | None]]


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Reads accounts; `mask` takes personal data and secrets out of every text of them."""

    archive: Archive
    decisions: Decisions
    playbook: FindPlaybook
    people: Directory
    today: Callable[[], date]
    mask: Callable[[str], str]

    async def account(self, reply_id: str) -> MessageAccount | None:
        """The account of the message that this reply answers; None when it is not kept.

        Raises StoreUnavailable.
        """
        stored = await self.decisions.reply(reply_id)
        if stored is None:
            return None
        head = ReplyHead.model_validate_json(stored[0])
        parts = tuple(Part.model_validate_json(body) for body in stored[1])
        trace = await self._trace(reply_id)
        verdicts = [
            RouteVerdict(strategy=each["strategy"], sure=each["sure"], why=clip(each["why"]))
            for each in trace.get("verdicts", ())
        ]
        return MessageAccount(
            id=head.id,
            at=head.at,
            conversation=head.conversation,
            by=self.mask(head.principal.id),
            name=clip(self.mask(head.principal.name)),
            lang=head.lang,
            text=clip(self.mask(head.text)),
            strategy=next((each.strategy for each in verdicts if each.sure), ""),
            verdicts=tuple(verdicts),
            named=tuple(self._named(each) for each in head.entities[:MOST_VALUES]),
            parts=tuple([await self._part(part, head, trace) for part in parts[:MOST_PARTS]]),
            settled=is_settled(parts),
        )

    def _why(self, intent: Intent, index: int, trace: Mapping[str, Any]) -> str:
        """Why the part is what it is; begun work keeps the beginning, and the trace the rest."""
        traced = trace.get("intents", ())[index : index + 1]
        whole = self.mask(str(traced[0].get("why", ""))) if traced else ""
        return whole if whole.startswith(intent.why) else intent.why

    def _named(self, entity: NamedEntity) -> TakenValue:
        named = (clip(self.mask(text)) for text in (entity.kind, entity.id, entity.text))
        return TakenValue(**dict(zip(("path", "value", "words"), named, strict=True)))

    async def _part(self, part: Part, head: ReplyHead, trace: Mapping[str, Any]) -> PartAccount:
        intent = Intent.model_validate(mask_values(part.intent.model_dump(), self.mask))
        events = [*await self._answer_events(part, intent, head, trace)]
        if part.run:
            events += await self._run_events(part.run)
        return PartAccount(
            number=part.index + 1,
            text=clip(intent.text),
            kind=intent.kind,
            target=_target(intent),
            condition=clip(intent.condition),
            after=tuple(n + 1 for n in intent.depends_on),
            sure=intent.sure,
            confidence=intent.confidence,
            why=clip(self._why(intent, part.index, trace)),
            may_mean=tuple(_candidate_name(each) for each in intent.candidates),
            is_open=intent.kind == "qa_query" and not (intent.lookup or intent.told or events),
            state=part.state,
            run=part.run,
            events=tuple(events[:MOST_EVENTS]),
            cut=max(0, len(events) - MOST_EVENTS),
        )

    async def _answer_events(
        self, part: Part, intent: Intent, head: ReplyHead, trace: Mapping[str, Any]
    ) -> Sequence[AccountEvent]:
        """How a question was answered, or what a typed answer gave to its card."""
        if intent.card:
            return await self._typed_events(intent.card, head.id)
        own = await self._trace(f"{head.id}/{part.index}")
        calls = [c for c in (*trace.get("calls", ()), *own.get("calls", ())) if _is_of(c, part)]
        lookups: tuple[Lookup, ...] = (*((intent.lookup,) if intent.lookup else ()), *intent.more)
        given = [each.arguments for each in lookups]
        events: list[AccountEvent] = [
            call_event({**call, "arguments": arguments})
            for call, arguments in zip(calls, given, strict=False)
        ]
        return [*events, *_thought_events(own)]

    async def _typed_events(self, token: str, reply: str) -> Sequence[AccountEvent]:
        found = await self.decisions.card(token)
        if found is None:
            return ()
        entries = await self._log(found.card.run or token)
        ours = [entry for entry in entries if entry.get("reply") == reply]
        return [e for entry in ours if "event" in entry for e in answer_events(entry, self._cast())]

    async def _run_events(self, run_id: str, *, with_children: bool = True) -> list[AccountEvent]:
        history = await self.archive.history(run_id)
        if history is None:
            return []
        digest = Run.model_validate_json(history.body).digest
        entries = self._read(history.entries)
        log = RunLog(await self.playbook(digest), self._cast())
        events = list(islice(log.events(entries), MOST_EVENTS + 1))
        children = {k: c for e in entries for k, c in e.get("children", {}).items()}
        for key, child in list(children.items())[:MOST_CHILDREN] if with_children else ():
            events.append(StepMade(why=f"{key}:"))
            events += await self._run_events(str(child), with_children=False)
        return events

    async def _log(self, name: str) -> Sequence[LogEntry]:
        history = await self.archive.history(name)
        return self._read(history.entries) if history else ()

    def _read(self, entries: Iterable[str]) -> Sequence[LogEntry]:
        return [mask_values(json.loads(entry), self.mask) for entry in entries]

    async def _trace(self, name: str) -> Mapping[str, Any]:
        """A trace, which was masked when it was kept; its keys are masked here."""
        body = await self.archive.trace(name)
        found = mask_values(json.loads(body), self.mask) if body else {}
        return found if isinstance(found, dict) else {}

    def _cast(self) -> Cast:
        people, today = self.people, self.today()

        def name(person: str) -> str:
            found = people.person(person) if person else None
            return clip(self.mask(found.name if found else person))

        return Cast(name, lambda person: people.delegate_of(person, today))


def _target(intent: Intent) -> str:
    if intent.lookup:
        return intent.lookup.tool
    return "/".join(filter(None, (intent.playbook, intent.request)))


def _candidate_name(candidate: Candidate) -> str:
    return "/".join(filter(None, (candidate.playbook, candidate.request))) or candidate.kind


def _is_of(call: Mapping[str, Any], part: Part) -> bool:
    return bool(call.get("part", part.index) == part.index)


def _thought_events(trace: Mapping[str, Any]) -> list[AccountEvent]:
    """What a model called to answer or to read a form, and what that cost, by its trace."""
    if trace.get("kind") not in ("react", "form"):
        return []
    calls: list[AccountEvent] = [
        CallMade(
            tool=str(step["action"]),
            arguments=value_text(step.get("arguments", "")),
            seconds=step.get("seconds"),
            fault="" if step.get("ok", True) else value_text(step.get("observation", "")),
        )
        for step in trace.get("steps", ())
        if step.get("action")
    ]
    asked = ModelAsked(
        model=str(trace.get("model", "")),
        tokens=int(trace.get("tokens", 0)),
        seconds=trace.get("seconds"),
        fault="" if trace.get("outcome") == "answered" else str(trace.get("outcome", "")),
    )
    return [*calls, asked]
