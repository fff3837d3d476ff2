"""What a model over HTTP answers to a Leader and to experts, as a script for ModelServer."""

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.fakes.job_playbook import job, plan, says, whose
from tests.fakes.model_server import Reply, say

Line = str | Reply
TEAM = plan(
    job("visits"),
    job("windows", "protocol"),
    job("report", "statistics", "visits", "windows"),
)


class TeamScript:
    """Everybody succeeds, but for what `lines` say: of each, its answers in order, then success.

    `asked` is who was asked, in order; `told` what each was told the last time.
    """

    def __init__(self, lines: Mapping[str, list[Line]] | None = None, team: str = TEAM) -> None:
        self.asked: list[str] = []
        self.told: dict[str, str] = {}
        self._lines = {name: list(each) for name, each in (lines or {}).items()}
        self._team = team

    def __call__(self, request: dict[str, Any]) -> Reply:
        contents = [str(message.get("content") or "") for message in request["messages"]]
        who = whose(contents, request["response_format"]["json_schema"]["schema"])
        self.asked.append(who)
        self.told[who] = "\n".join(contents)
        waiting = self._lines.get(who)
        if waiting:
            line = waiting.pop(0)
        else:
            line = self._team if who == "leader" else says("SUCCESS", f"result of {who}")
        return say(line) if isinstance(line, str) else line


def held(until: asyncio.Event, line: str) -> Reply:
    """The answer comes once `until` is set."""
    return Reply(text=line, until=until)
