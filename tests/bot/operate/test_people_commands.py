"""`signoff people` and `signoff pending`: what operators are told, and the exit status."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, Ended, ended
from tests.fakes.garage import write_project
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.slack_app import local_slack

PEOPLE = """\
roles:
  - {id: reviewer, zh: 审核员, en: reviewer, slack_group: "T0TRIAL:S0REVIEW"}
people:
  - id: ana
    name: 安娜 / Ana
    web: ana
    slack: ["T0TRIAL:U0ANA"]
    telegram: ["1001"]
    language: en
    zone: Europe/Berlin
    delegate: {person: bo, until: 2026-12-31}
  - {id: bo, name: Bo, slack: ["T0TRIAL:U0BO"], telegram: ["2002"], roles: [reviewer]}
"""


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with local_slack() as server:
        server.add_user("U0ANA", "Ana")
        server.add_user("U0BO", "Bo")
        server.groups["S0REVIEW"] = ["U0ANA", "U0BO"]
        yield server
        assert server.faults == []


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        server.acquainted |= {1001, 2002}
        yield server
        assert server.faults == []


def written(folder: Path, text: str = PEOPLE) -> str:
    (folder / "people.yaml").write_text(text)
    return str(folder / "people.yaml")


async def checked(
    folder: Path, slack: SlackServer, telegram: TelegramServer, *words: str, people: str = PEOPLE
) -> Ended:
    return await ended(
        folder,
        "people",
        "check",
        *words,
        SIGNOFF_PEOPLE=written(folder, people),
        SLACK_BOT_TOKEN=slack.bot_token,
        SLACK_SIGNING_SECRET=slack.signing_secret,
        SLACK_API_URL=slack.api_url,
        TELEGRAM_BOT_TOKEN=telegram.token,
        TELEGRAM_API_URL=telegram.url,
    )


def states(told: Ended) -> dict[str, tuple[str, str]]:
    return {one["account"]: (one["state"], one["told"]) for one in json.loads(told.out)}


async def test_people_whom_both_platforms_know_are_all_right(
    tmp_path: Path, slack: SlackServer, telegram: TelegramServer
) -> None:
    slack.fail_next("users.info", Fault.rate_limited(0.1))
    telegram.fail_next("getChat", Fault.rate_limited())
    told = await checked(tmp_path, slack, telegram)
    assert (told.status, told.err) == (0, "")
    lines = [line.split() for line in told.out.splitlines()]
    assert lines[0] == ["whose", "platform", "account", "state", "told"]
    assert ["ana", "slack", "T0TRIAL:U0ANA", "ok", "Ana"] in lines
    assert ["bo", "telegram", "2002", "ok", "Ana"] in lines
    assert ["role", "reviewer", "slack", "T0TRIAL:S0REVIEW", "ok", "2", "members"] in lines


async def test_what_a_platform_does_not_know_is_wrong(
    tmp_path: Path, slack: SlackServer, telegram: TelegramServer
) -> None:
    del slack.users["U0ANA"]
    slack.add_user("U0BO", "Bo", deleted=True)
    slack.add_user("U0CY", "Cy", team_id="T0OTHER")
    slack.groups.clear()
    telegram.acquainted.remove(1001)
    more = '  - {id: cy, name: Cy, slack: ["T0TRIAL:U0CY", "T9:U0CY"]}\n'
    told = await checked(tmp_path, slack, telegram, "--json", people=PEOPLE + more)
    assert told.status == 1
    assert states(told) == {
        "T0TRIAL:U0ANA": ("wrong", "users.info: user_not_found"),
        "1001": ("wrong", "Chat not found"),
        "T0TRIAL:U0BO": ("wrong", "users.info: the account is deactivated"),
        "2002": ("ok", "Ana"),
        "T0TRIAL:U0CY": ("wrong", "users.info: the account is of workspace T0OTHER"),
        "T9:U0CY": ("wrong", "auth.test: the bot's workspace is T0TRIAL, not T9"),
        "T0TRIAL:S0REVIEW": ("wrong", "usergroups.users.list: no_such_subteam"),
    }


async def test_what_could_not_be_asked_is_not_called_right(
    tmp_path: Path, slack: SlackServer, telegram: TelegramServer
) -> None:
    slack.scopes.clear()
    telegram.fail_next("getChat", Fault.broken())
    told = await checked(tmp_path, slack, telegram, "--json")
    assert told.status == 3
    found = states(told)
    assert found["T0TRIAL:U0ANA"] == ("unknown", "users.info: missing_scope (users:read)")
    assert found["T0TRIAL:S0REVIEW"][1].endswith("missing_scope (usergroups:read)")
    assert found["1001"][0] == "unknown"
    off = await ended(tmp_path, "people", "check", SIGNOFF_PEOPLE=written(tmp_path))
    assert off.status == 3
    assert "slack is not connected" in off.out


async def test_people_are_listed_as_the_file_has_them(tmp_path: Path) -> None:
    people = written(tmp_path)
    table = await ended(tmp_path, "people", "list", SIGNOFF_PEOPLE=people)
    data = await ended(tmp_path, "people", "list", "--json", SIGNOFF_PEOPLE=people)
    assert (table.status, data.status) == (0, 0)
    assert "bo until 2026-12-31" in table.out
    assert "role reviewer: also the members of Slack group T0TRIAL:S0REVIEW" in table.out
    ana, bo = json.loads(data.out)
    assert (ana["zone"], ana["language"]) == ("Europe/Berlin", "en")
    assert ana["delegate"] == {"person": "bo", "until": "2026-12-31"}
    assert bo["accounts"] == ["slack:T0TRIAL:U0BO", "telegram:2002"]
    broken = written(tmp_path, PEOPLE.replace("person: bo", "person: bob"))
    told = await ended(tmp_path, "people", "list", SIGNOFF_PEOPLE=broken)
    assert told.status == 2
    assert "there is no person 'bob' in this file; did you mean 'bo'?" in told.err


async def test_an_account_is_let_in_listed_and_taken_back(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    people = written(tmp_path, f"{PEOPLE}\nadmit: {{workspaces: [T0OTHERS]}}\n")
    store = {"REDIS_URL": redis_server.url, "SIGNOFF_PEOPLE": people}
    assert (await ended(tmp_path, "people", "admit", "Nia", **store)).status == 1
    assert (await ended(tmp_path, "people", "admit", "telegram:77", **store)).status == 0
    told = await ended(tmp_path, "people", "list", **store)
    assert "may ask besides: workspaces T0OTHERS\n" in told.out
    assert "may ask besides: telegram:77 (), let in by operator on 20" in told.out
    listed = json.loads((await ended(tmp_path, "people", "list", "--json", **store)).out)
    assert (listed[-1]["id"], listed[-1]["admitted"]["by"]) == ("telegram:77", "operator")
    assert (await ended(tmp_path, "people", "revoke", "telegram:77", **store)).status == 0
    again = await ended(tmp_path, "people", "revoke", "telegram:77", **store)
    assert (again.status, "was not let in" in again.err) == (1, True)


async def test_a_connected_platform_on_which_nobody_may_ask_is_told(
    tmp_path: Path, slack: SlackServer, telegram: TelegramServer
) -> None:
    text = PEOPLE.replace('"1001"', "").replace('"2002"', "")
    told = await checked(tmp_path, slack, telegram, "--json", people=text)
    assert told.status == 1
    found = [one for one in json.loads(told.out) if one["whose"] == "nobody"]
    assert [(one["platform"], one["state"]) for one in found] == [("telegram", "wrong")]


async def test_pending_looks_at_a_folder_that_is_named(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    write_project(tmp_path / "garage")
    told = await ended(tmp_path, "pending", "mia", "garage", REDIS_URL=redis_server.url)
    assert told.out == "nothing waits for mia\n", told


async def test_pending_without_anything_says_so(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    store = {"REDIS_URL": redis_server.url, **FILES}
    assert (await ended(tmp_path, "pending", **store)).out == "nothing waits for anybody\n"
    assert (await ended(tmp_path, "pending", "chen", **store)).out == "nothing waits for chen\n"
    assert json.loads((await ended(tmp_path, "pending", "--json", **store)).out) == []
    told = await ended(tmp_path, "pending", "chne", **store)
    assert (told.status, told.out) == (1, "")
    assert "did you mean 'chen'?" in told.err


@pytest.mark.parametrize(
    ("words", "settings", "why"),
    [
        (("lin",), {}, "SIGNOFF_WEB_LOGIN: should be link"),
        (("lni",), {"SIGNOFF_WEB_LOGIN": "link"}, "did you mean 'lin'?"),
        (("lin", "--minutes", "0"), {}, "should be a number above 0"),
    ],
)
async def test_a_link_that_cannot_be_made_says_why(
    words: tuple[str, ...], settings: dict[str, str], why: str, tmp_path: Path
) -> None:
    told = await ended(tmp_path, "people", "link", *words, **FILES, **settings)
    assert told.status in (1, 2)
    assert told.out == ""
    assert why in told.err


async def test_what_waits_and_cannot_be_read_is_said(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    store = {"REDIS_URL": redis_server.url, **FILES}
    token = "0-ofAnotherVersion"
    await redis.zadd("{p0}:inbox:all", {token: 1})
    await redis.hset(f"{{p0}}:card:{token}", mapping={"body": "{}", "status": "open", "version": 1})
    told = await ended(tmp_path, "pending", **store)
    assert (told.status, told.out) == (0, "nothing readable waits for anybody\n")
    assert told.err.splitlines()[-1] == "and 1 that this version cannot read"
    told = await ended(tmp_path, "aside", **store)
    assert told.err.splitlines()[-1] == "1 open cards that this version cannot read"
