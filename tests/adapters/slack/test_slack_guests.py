"""Who is a guest of the workspace, as far as payloads of Slack tell (A51)."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.inbound.receive import receive
from tests.fakes.tables import table

PAYLOADS = Path(__file__).parents[2] / "payloads" / "slack"


def recorded(name: str) -> Any:
    return json.loads((PAYLOADS / f"{name}.json").read_text())


def guest(payload: Any) -> bool:
    update = receive(payload)
    assert update is not None
    return update.actor.guest


@table(
    ("outer", "event", "told"),
    [
        ({}, {}, False),
        ({}, {"user_team": "TEAM"}, False),
        ({"is_ext_shared_channel": True}, {"user_team": "TEAM"}, False),
        ({"is_ext_shared_channel": True}, {"team": "TEAM"}, False),
        ({}, {"user_team": "T0OTHERS"}, True),
        ({"is_ext_shared_channel": True}, {"source_team": "T0OTHERS", "team": "TEAM"}, True),
        ({"is_ext_shared_channel": True}, {"team": "T0OTHERS"}, True),
        # Of a channel that others share, and nothing tells whose they are.
        ({"is_ext_shared_channel": True}, {"team": None}, True),
        ({}, {"user_profile": {"team": "T0OTHERS"}}, True),
        ({}, {"user_profile": {"is_restricted": True}}, True),
        ({}, {"user_profile": {"is_ultra_restricted": True}}, True),
    ],
)
def test_a_message_tells_who_is_of_the_workspace(
    outer: dict[str, Any], event: dict[str, Any], told: bool
) -> None:
    payload = recorded("app_mention")
    team = payload["team_id"]
    mine = json.loads(json.dumps(event).replace("TEAM", team))
    for name in ("user_team", "source_team", "team", "user_profile"):
        payload["event"].pop(name, None)
    assert guest({**payload, **outer, "event": {**payload["event"], **mine}}) is told


@pytest.mark.parametrize("name", ["block_actions_channel", "view_submission"])
@pytest.mark.parametrize(("home", "told"), [("", False), ("T0OTHERS", True)])
def test_a_tap_tells_by_the_team_of_who_tapped(name: str, home: str, told: bool) -> None:
    payload = recorded(name)
    payload["user"]["team_id"] = home or payload["team"]["id"]
    assert guest(payload) is told
    del payload["user"]["team_id"]
    assert guest(payload) is False
