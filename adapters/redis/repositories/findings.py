"""Findings of checks, by project."""

from typing import Any

from adapters.redis import keys
from adapters.redis.client import translate_errors
from adapters.redis.scripts import LUA, LuaScript, ScriptCall, Scripts
from engine.ports.storage.findings import Check, ProjectFindings, Withdrawal

FINDINGS = 10_000


class RedisFindings:
    """The findings port: of each project at most 10,000 findings; the oldest checks give way.

    `most` is another number than 10,000, for tests.
    """

    def __init__(self, scripts: Scripts, *, most: int = FINDINGS) -> None:
        self._scripts = scripts
        self._client = client = scripts.client
        self._most = most
        self._script = LuaScript(client, LUA.joinpath("findings.lua").read_text())
        self._withdraw = LuaScript(client, LUA.joinpath("withdraw.lua").read_text())

    async def keep(self, *checks: Check) -> int:
        """Put each in place of an older check; returns how many findings gave way to them.

        All go in one round trip to a single server, which syncs its file once for them.
        """
        calls = [self._call(check) for check in checks]
        return sum(map(int, await self._scripts.call_each(calls)))

    def _call(self, check: Check) -> ScriptCall:
        at_ms = int(check.at.timestamp() * 1000)
        body, most = check.stored() if check.found else "", self._most
        args = (check.name, at_ms, body, check.found, most, most)
        return ScriptCall(self._script, _keys_of(check.project), args)

    async def withdraw(self, ended: Withdrawal) -> int:
        """Close what the run found; returns how many findings that were."""
        at_ms = int(ended.at.timestamp() * 1000)
        args: list[Any] = [ended.run, ended.record, at_ms, self._most]
        with translate_errors():
            return int(await self._withdraw(keys=_keys_of(ended.project), args=args))

    async def of(self, project: str, limit: int) -> ProjectFindings:
        """Return how many findings stand, with the newest `limit` checks."""
        checks, by_time, _, numbers = _keys_of(project)
        with translate_errors():
            newest = await self._client.zrange(by_time, 0, limit - 1, desc=True)
            names = [str(name) for name in newest]
            found = await self._client.hmget(checks, names) if names else []
            kept, dropped = await self._client.hmget(numbers, ["kept", "dropped"])
        return ProjectFindings(
            findings=int(kept or 0),
            # One that was closed in between is gone.
            checks=tuple(Check.model_validate_json(body) for body in found if body is not None),
            dropped=int(dropped or 0),
        )


def _keys_of(project: str) -> list[str]:
    checks = keys.findings(project)
    return [checks, f"{checks}:at", f"{checks}:closed", f"{checks}:numbers"]
