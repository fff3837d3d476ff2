"""The checker of taps knows what was told from what was not."""

import json

import pytest

from tests.chaos.people import Tap
from tests.chaos.platforms import FORM, Notice
from tests.chaos.tapped import Tapped

LATE = {"text": "Already decided by Wu Jing.", "ok": False}
OK = {"text": "Recorded.", "ok": True}


def judged(held: dict[str, object] | None, *notices: Notice) -> list[str]:
    """The violations of one tap that was acknowledged."""
    tap = Tap("u1", "t1", "reject", ("D1/U1",), heard=[(200, "")])
    answers = {"u1": json.dumps(held)} if held else {}
    result = "decided" if held and held["ok"] else "not_open"
    log = [{"event": "tap", "update": "u1", "result": result}] if held else []
    body = json.dumps({"decision": {"choice": "reject"}})
    tapped = Tapped(answers, {"run": log}, {"t1": {"body": body}}, {"D1/U1": list(notices)})
    tapped.judge([tap])
    return tapped.violations


@pytest.mark.parametrize(
    ("held", "notices"),
    [
        (OK, [Notice("Recorded.", "", "web1")]),
        (LATE, [Notice(str(LATE["text"]), "lost", "web1")]),
        (LATE, [Notice(str(LATE["text"]), "limited", "web1")]),
        (None, [Notice(FORM, "", "web1")]),
        (LATE, [Notice(FORM, "", "web1")]),
    ],
)
def test_what_was_told_is_no_violation(held: dict[str, object], notices: list[Notice]) -> None:
    assert judged(held, *notices) == []


@pytest.mark.parametrize(
    ("held", "notices"),
    [
        (OK, []),
        (LATE, []),
        (OK, [Notice(FORM, "", "web1")]),
        (OK, [Notice("Something else.", "", "web1")]),
    ],
)
def test_who_is_told_nothing_or_something_else_is_found(
    held: dict[str, object], notices: list[Notice]
) -> None:
    assert judged(held, *notices)
