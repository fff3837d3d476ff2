"""The labels of stored values; an unknown value is its own label."""

from collections.abc import Mapping
from typing import get_args

from engine.playbooks.end_kinds import RunEnd

_STATUS: Mapping[str, str] = {
    "living": "pages.status.living",
    "running": "pages.status.running",
    "suspended": "pages.status.suspended",
    "completed": "pages.status.completed",
    "failed": "pages.status.failed",
    "stopped": "pages.status.stopped",
    "cancelled": "pages.status.cancelled",
    "blocked": "pages.status.blocked",
    "unreadable": "pages.status.unreadable",
    "": "pages.run.living",
}
_END: Mapping[str, str] = {end: f"end.{end}" for end in get_args(RunEnd)}
_CARD: Mapping[str, str] = {
    "open": "pages.card.open",
    "told": "pages.card.told",
    "decided": "pages.card.decided",
    "expired": "pages.card.expired",
    "cancelled": "pages.card.cancelled",
    "superseded": "pages.card.superseded",
}
_KIND: Mapping[str, str] = {
    "clarify": "pages.card.kind.clarify",
    "confirm": "pages.card.kind.confirm",
    "select": "pages.card.kind.select",
    "phase_done": "pages.card.kind.phase_done",
}
_CALL: Mapping[str, str] = {
    "model": "pages.call.model",
    "call": "pages.call.call",
    "rehearse": "pages.call.rehearse",
    "pin": "pages.call.pin",
}
_TRACE: Mapping[str, str] = {
    "routed": "pages.trace.kind.routed",
    "react": "pages.trace.kind.react",
    "skill": "pages.trace.kind.skill",
    "form": "pages.trace.kind.form",
}
_SEVERITY: Mapping[str, str] = {
    "error": "pages.severity.error",
    "warning": "pages.severity.warning",
    "info": "pages.severity.info",
}
TABLES: Mapping[str, Mapping[str, str]] = {
    "status": _STATUS,
    "end": _END,
    "card": _CARD,
    "kind": _KIND,
    "call": _CALL,
    "trace": _TRACE,
    "severity": _SEVERITY,
}
