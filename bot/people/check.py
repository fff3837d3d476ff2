"""Whether the accounts and groups of people.yaml are known to their platforms."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

from bot.people.directory import NOBODY_MAY_ASK, Directory
from bot.terminal.output import show_progress
from cards.frozen import Frozen
from engine.errors import Gone, PlatformError, RateLimited
from engine.ports.accounts import AccountSource, GroupSource

AccountQuery = Callable[[str], Awaitable[object]]
"""Asks a platform about an account or group. Raises Gone when there is none, PlatformError."""

TRIES = 3
MAX_WAIT_S = 60.0


class AccountCheck(Frozen):
    """An account of a person, or the group of a role, and what its platform answered.

    `state` is `unknown` when the platform could not be asked; `told` is how it is called there, or
    what is wrong. The names are those of `signoff people check --json`.
    """

    whose: str
    platform: str
    account: str
    state: Literal["ok", "wrong", "unknown"]
    told: str = ""


async def check_accounts(
    people: Directory, sources: Mapping[str, AccountSource | None]
) -> list[AccountCheck]:
    """Check every account and group, one after the other; None is a platform that is off."""
    queries: list[tuple[str, str, str, AccountQuery | None]] = []
    for person in people.people:
        for name, source in sources.items():
            query = source.account if source else None
            queries += [(person.id, name, account, query) for account in person.accounts_on(name)]
    slack = sources.get("slack")
    members = slack.members if isinstance(slack, GroupSource) else None
    for role in people.file.roles:
        if role.slack_group:
            queries.append((f"role {role.id}", "slack", role.slack_group, members))
    checks = [await _check(*query) for query in show_progress(queries, "accounts", len(queries))]
    closed = people.closed_platforms([name for name, source in sources.items() if source])
    return checks + [
        AccountCheck(whose="nobody", platform=name, account="-", state="wrong", told=NOBODY_MAY_ASK)
        for name in closed
    ]


async def _check(
    whose: str, platform: str, account: str, query: AccountQuery | None
) -> AccountCheck:
    def result(state: Literal["ok", "wrong", "unknown"], told: str) -> AccountCheck:
        return AccountCheck(whose=whose, platform=platform, account=account, state=state, told=told)

    if query is None:
        return result("unknown", f"{platform} is not connected")
    try:
        answer = await _query_with_retries(query, account)
    except Gone as error:
        return result("wrong", str(error))
    except PlatformError as error:
        return result("unknown", str(error))
    if isinstance(answer, tuple):
        return result("ok", f"{len(answer)} members")
    return result("ok", str(answer))


async def _query_with_retries(query: AccountQuery, account: str) -> object:
    """The answer; a platform's rate limit is waited for a few times."""
    for _ in range(TRIES - 1):
        try:
            return await query(account)
        except RateLimited as error:
            await asyncio.sleep(min(error.retry_after_s, MAX_WAIT_S))
    return await query(account)
