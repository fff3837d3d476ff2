"""Whether the accounts and groups of people.yaml are what their platforms know."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from bot.people.directory import NOBODY_MAY_ASK, Directory
from bot.terminal.output import tracked
from cards.frozen import Frozen
from engine.errors import Gone, PlatformError, RateLimited
from engine.ports.accounts import AccountSource, GroupSource

Told = Callable[[str], Awaitable[object]]
"""What a platform says of an account or group. Raises Gone when it knows none, PlatformError."""

TRIES = 3
LONGEST_S = 60.0


class Checked(Frozen):
    """An account of a person, or the group of a role, and what came of asking.

    `state` is `unknown` when the platform could not be asked; `told` is how it is called there, or
    why it is not all right.
    """

    whose: str
    platform: str
    account: str
    state: Literal["ok", "wrong", "unknown"]
    told: str = ""


async def check(people: Directory, sources: Mapping[str, AccountSource | None]) -> list[Checked]:
    """Every account and group, asked one after the other; None is a platform that is off."""
    questions: list[tuple[str, str, str, Told | None]] = []
    for person in people.people:
        for name, source in sources.items():
            told = source.account if source else None
            questions += [(person.id, name, account, told) for account in person.on(name)]
    slack = sources.get("slack")
    members = slack.members if isinstance(slack, GroupSource) else None
    for role in people.file.roles:
        if role.slack_group:
            questions.append((f"role {role.id}", "slack", role.slack_group, members))
    found = [await _asked(*one) for one in tracked(questions, "accounts", len(questions))]
    shut_out = people.closed_platforms([name for name, source in sources.items() if source])
    return found + [
        Checked(whose="nobody", platform=name, account="-", state="wrong", told=NOBODY_MAY_ASK)
        for name in shut_out
    ]


async def _asked(whose: str, platform: str, account: str, told: Told | None) -> Checked:
    def checked(state: Literal["ok", "wrong", "unknown"], told: str) -> Checked:
        return Checked(whose=whose, platform=platform, account=account, state=state, told=told)

    if told is None:
        return checked("unknown", f"{platform} is not connected")
    try:
        answer = await _patiently(told, account)
    except Gone as error:
        return checked("wrong", str(error))
    except PlatformError as error:
        return checked("unknown", str(error))
    if isinstance(answer, tuple):
        return checked("ok", f"{len(answer)} members")
    return checked("ok", str(answer))


async def _patiently(told: Told, account: str) -> object:
    """The answer, also of a platform that asks to wait a few times."""
    for _ in range(TRIES - 1):
        try:
            return await told(account)
        except RateLimited as error:
            await asyncio.sleep(min(error.retry_after_s, LONGEST_S))
    return await told(account)
