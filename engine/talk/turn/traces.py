"""Traces for operators: how a message was understood and answered."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.ports.storage.store import TraceWrite
from engine.react import ReActResult
from engine.services import TraceSettings
from engine.text.thoughts import without_thoughts
from engine.understanding.context import RoutedMessage, StrategyVerdict
from engine.understanding.form_model import ModelFormReading

LookupCalls = Sequence[tuple[int, Mapping[str, Any]]]
"""Calls of look-ups, as recorded, each with the index of its part."""


def routing_trace(
    head: ReplyHead, routed: RoutedMessage, calls: LookupCalls, tracing: TraceSettings
) -> tuple[TraceWrite, ...]:
    """How the message was routed: every verdict, the intents, and what look-ups came to."""
    body = {
        "kind": "routed",
        **_head_facts(head, tracing),
        "entities": [each.model_dump(exclude_defaults=True) for each in head.entities],
        "verdicts": [_verdict(each) for each in routed.verdicts],
        "intents": [_intent(intent) for intent in routed.intents],
        "calls": [{"part": index, **brief_call(call)} for index, call in calls],
    }
    return trace_writes(head.id, body, tracing)


def lookup_trace(
    head: ReplyHead, calls: LookupCalls, tracing: TraceSettings
) -> tuple[TraceWrite, ...]:
    """What look-ups of parts came to that began after the message was routed."""
    if not calls:
        return ()
    facts = {"kind": "looked_up", **_head_facts(head, tracing)}
    return tuple(
        write
        for part in dict.fromkeys(index for index, _ in calls)
        for write in trace_writes(
            f"{head.id}/{part}",
            {**facts, "part": part, "calls": [brief_call(c) for i, c in calls if i == part]},
            tracing,
        )
    )


def brief_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded call without its arguments and its result, of which it says how many rows."""
    facts = {name: call[name] for name in ("tool", "seconds", "error") if name in call}
    return facts | ({"rows": count_rows(call["result"])} if "result" in call else {})


def count_rows(result: Any) -> int:
    """How many rows a tool's result has; what is no list is one, or none where nothing is found."""
    if isinstance(result, Mapping) and result.get("found") is False:
        return 0
    rows = result.get("rows", result) if isinstance(result, Mapping) else result
    return len(rows) if isinstance(rows, list | tuple) else int(rows is not None)


def react_trace(
    head: ReplyHead, part: Part, result: ReActResult, tracing: TraceSettings
) -> tuple[TraceWrite, ...]:
    """How a part was answered: each thought, call and observation, and what they cost."""
    body = {
        "kind": "react",
        **_head_facts(head, tracing),
        "part": part.index,
        "question": part.intent.text,
        "outcome": result.reason,
        "model": result.model,
        "tokens": result.tokens,
        "cost": result.cost,
        "seconds": round(result.seconds, 3),
        "steps": [item.model_dump(exclude_defaults=True) for item in result.trace],
        "answer": result.content,
    }
    return trace_writes(f"{head.id}/{part.index}", body, tracing)


def form_trace(
    head: ReplyHead, part: Part, read: ModelFormReading, tracing: TraceSettings
) -> tuple[TraceWrite, ...]:
    """What a model took from an answer to a form, by which words, and what that cost."""
    taken = read.reading
    body = {
        "kind": "form",
        **_head_facts(head, tracing),
        "part": part.index,
        "question": part.intent.text,
        "card": part.intent.card,
        "outcome": read.why or "answered",
        "model": next((each.model for each in reversed(read.answers)), ""),
        "tokens": sum(each.tokens for each in read.answers),
        "cost": sum(each.cost for each in read.answers),
        "seconds": round(sum(each.seconds for each in read.answers), 3),
        "values": taken.values if taken else {},
        "words": taken.words if taken else {},
        "answers": [without_thoughts(each.text) for each in read.answers],
    }
    return trace_writes(f"{head.id}/{part.index}", body, tracing)


def _head_facts(head: ReplyHead, tracing: TraceSettings) -> dict[str, Any]:
    return {
        "at": head.at.isoformat(),
        "conversation": head.conversation,
        "project": tracing.project(head.conversation),
        "by": head.principal.id,
        "text": head.text,
    }


def _verdict(verdict: StrategyVerdict) -> dict[str, Any]:
    facts = {"strategy": verdict.strategy, "sure": verdict.sure, "why": verdict.why}
    return facts | ({"answers": verdict.answers} if verdict.answers else {})


def _intent(intent: Intent) -> dict[str, Any]:
    return intent.model_dump(mode="json", exclude_defaults=True, exclude={"values", "told"})


def trace_writes(name: str, body: dict[str, Any], tracing: TraceSettings) -> tuple[TraceWrite, ...]:
    """The trace of that name, masked; empty where no traces are kept."""
    if tracing.keep_s <= 0:
        return ()
    text = json.dumps(mask_texts(body, tracing.mask), ensure_ascii=False)
    return (TraceWrite(name, text, tracing.keep_s),)


def mask_texts(value: Any, mask: Callable[[str], str]) -> Any:
    """The JSON value with every text in it masked; keys stay."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: mask_texts(each, mask) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [mask_texts(each, mask) for each in value]
    return value
