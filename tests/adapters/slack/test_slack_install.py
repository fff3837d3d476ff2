"""Workspaces install the app by OAuth, over Slack's own stores, and take it away again."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.fernet import Fernet
from redis.asyncio import Redis

from adapters.clock import SystemClock
from adapters.redis import keys
from adapters.redis.repositories.platform_texts import RedisPlatformTexts
from adapters.slack.workspace.install import REDIRECT, Install, SlackApp
from adapters.slack.workspace.installations import STATE_S, Installations, OAuthStates
from adapters.slack.workspace.scopes import required_scopes
from adapters.slack.workspace.workspaces import ManyWorkspaces
from cards.showing.view import MessageView, PartView
from engine.errors import Forbidden, Gone, StoreUnavailable, Unavailable
from engine.events import SharedFile
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.installer import Installer
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.slack_app import connected, local_slack

PUBLIC = "https://signoff.example.com"
KEY, OLDER_KEY = Fernet.generate_key().decode(), Fernet.generate_key().decode()
VIEW = MessageView(lang="en", parts=(PartView(number=0, state="answered", text="hello"),))


@pytest.fixture
def stored(redis: Redis) -> Installations:
    return Installations(RedisPlatformTexts.over(redis, "slack"), [KEY])


@pytest.fixture
def workspaces(slack: SlackServer, stored: Installations) -> ManyWorkspaces:
    return ManyWorkspaces(api_url=slack.api_url, installations=stored)


@pytest.fixture
def other(slack: SlackServer) -> SlackServer:
    """A second workspace: its people and channels have the ids of the first one's."""
    return slack.join(local_slack(team="T0OTHER", bot_token="xoxb-other"))


@pytest.fixture
def teams() -> tuple[str, ...]:
    """Who may install; a test may want some only."""
    return ()


@pytest.fixture
async def install(
    slack: SlackServer, stored: Installations, redis: Redis, teams: tuple[str, ...]
) -> AsyncIterator[Install]:
    slack.authority.redirect_uris = [PUBLIC + REDIRECT]
    app = SlackApp("111.222", "stub-client-secret", PUBLIC, slack.api_url, teams)
    made = Install(
        app, stored, OAuthStates(RedisPlatformTexts.over(redis, "slack")), SystemClock("UTC")
    )
    yield made
    assert slack.authority.faults == []


@pytest.fixture
async def platform(slack: SlackServer, workspaces: ManyWorkspaces, install: Install) -> Any:
    made = connected(slack, workspaces=workspaces, install=install)
    yield made
    await made.close()


@pytest.fixture
async def person(platform: Any, intake: Any) -> AsyncIterator[Installer]:
    app = web.Application()
    app.add_routes(platform.routes(intake))
    async with TestServer(app, host="127.0.0.1") as server:
        yield Installer(f"http://127.0.0.1:{server.port}")


async def test_a_workspace_that_installs_the_app_is_written_to_with_its_token(
    slack, other, person, platform, redis
) -> None:
    with pytest.raises(Gone, match="not installed in workspace T0TRIAL"):
        await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k0")
    for workspace in (slack, other):
        status, text = await person.install(workspace)
        assert (status, "is installed in the workspace Trial" in text) == (200, True)
        assert f"app=A0SIGNOFF&amp;team={workspace.team}" in text
    assert person.cookies == {}
    for workspace in (slack, other):
        await platform.send(f"slack:{workspace.team}:C0TRIAL", VIEW, key=workspace.team)
        assert [m.body for m in workspace.messages.values()] == ["hello"]
    kept = "".join([str(await redis.get(key)) for key in await redis.keys("signoff:slack:bot:*")])
    assert kept
    assert slack.bot_token not in kept
    assert "T0TRIAL" not in kept


async def test_the_page_asks_for_the_scopes_that_are_needed(slack, person) -> None:
    slack.scopes = set()
    person.lang = "zh-CN,zh;q=0.9"
    status, text = await person.install(slack)
    assert (status, "已装进工作区「Trial」" in text) == (200, True)
    assert slack.scopes == required_scopes()


async def test_a_state_is_good_once(slack, person) -> None:
    begun = await person.begin()
    cookies = dict(person.cookies)
    back = slack.authority.allowed(begun, slack)
    assert (await person.open(back))[0] == 200
    person.cookies = cookies
    status, text = await person.open(slack.authority.allowed(begun, slack))
    assert (status, "used already, or is too old" in text) == (400, True)


async def test_a_state_ends_with_its_time(slack, person, redis) -> None:
    back = slack.authority.allowed(await person.begin(), slack)
    (state,) = await redis.keys("signoff:slack:state:*")
    assert 0 < await redis.pttl(state) <= STATE_S * 1000
    assert back.partition("state=")[2] not in state
    await redis.pexpire(state, 0)
    assert (await person.open(back))[0] == 400
    assert slack.calls["oauth.v2.access"] == 0


async def test_what_one_browser_began_no_other_finishes(slack, person) -> None:
    back = slack.authority.allowed(await person.begin(), slack)
    victim = Installer(person.base)
    status, text = await victim.open(back)
    assert (status, "not begun in this browser" in text) == (400, True)
    await victim.begin()
    assert (await victim.open(back))[0] == 400
    assert slack.calls["oauth.v2.access"] == 0
    # It was not spent by them.
    assert (await person.open(back))[0] == 200


async def test_who_says_no_in_slack_is_told_that_nothing_is_installed(slack, person) -> None:
    status, text = await person.install(slack, denied=True)
    assert (status, "not allowed in Slack" in text) == (400, True)
    assert 'href="/slack/install"' in text


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"is_enterprise_install": True, "team": None}, "choose one workspace"),
        ({"expires_in": 43_200, "refresh_token": "xoxe-1"}, "token rotation"),
        ({"scope": "chat:write"}, "not all permissions"),
        ({"team": {"id": "T0ELSE", "name": "x"}}, "Please try again later"),
        ({"token_type": "user"}, "Please try again later"),
    ],
)
async def test_a_token_of_no_use_is_given_back(slack, person, platform, more, told) -> None:
    slack.authority.more = more
    status, text = await person.install(slack)
    assert (status, told in text) == (400, True)
    assert slack.bot_token in slack.revoked
    with pytest.raises(Gone):
        await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k")


async def test_a_refusal_takes_nothing_from_who_has_the_app(slack, person, platform) -> None:
    await person.install(slack)
    slack.authority.more = {"scope": "chat:write"}
    assert (await person.install(slack))[0] == 400
    await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k")


@pytest.mark.parametrize("teams", [("T0OTHER",)])
async def test_only_the_workspaces_of_the_setting_may_install(slack, other, person) -> None:
    status, text = await person.install(slack)
    assert (status, "not for that workspace" in text) == (400, True)
    assert (await person.install(other))[0] == 200


@pytest.mark.parametrize(
    ("fault", "told"), [(Fault.broken(), 503), (Fault.refused("bad_client_secret"), 400)]
)
async def test_when_slack_gives_no_token_the_person_is_told(slack, person, fault, told) -> None:
    slack.fail_next("oauth.v2.access", fault)
    status, text = await person.install(slack)
    assert status == told
    assert "Please try again later" in text


async def test_who_takes_the_app_away_is_written_to_no_more(
    slack, other, person, platform, post_to, redis
) -> None:
    for workspace in (slack, other):
        await person.install(workspace)
    for event in slack.uninstall():
        assert await post_to(event) == 200
    with pytest.raises(Gone, match="not installed in workspace T0TRIAL \\(any more\\)"):
        await platform.edit("slack:T0TRIAL:C0TRIAL", "C0TRIAL:1.2", VIEW)
    assert await redis.keys("signoff:slack:bot:*") == ["signoff:slack:bot:T0OTHER"]
    await platform.send("slack:T0OTHER:C0TRIAL", VIEW, key="k")
    # What Slack still had on its way is let be, and not asked for again and again.
    assert await post_to(slack.message_event("hello?")) == 200
    # With a new token all goes on.
    await person.install(slack)
    assert slack.bot_token != "xoxb-stub"
    await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k2")


async def test_a_late_event_takes_away_nothing_that_was_installed_since(
    slack, person, platform, post_to
) -> None:
    events = slack.uninstall()
    await person.install(slack)
    for event in events:
        assert await post_to(event | {"event_time": event["event_time"] - 60}) == 200
    await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k")


async def test_the_token_of_a_person_is_none_of_ours(slack, person, platform, post_to) -> None:
    await person.install(slack)
    _, gone = slack.uninstall()
    slack.revoked.clear()
    told = {"type": "tokens_revoked", "tokens": {"oauth": ["U0REQUESTER"], "bot": []}}
    assert await post_to(gone | {"event": told}) == 200
    await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k")


async def test_a_token_that_slack_refuses_ends_the_delivery(slack, person, platform) -> None:
    await person.install(slack)
    slack.revoked.add(slack.bot_token)
    with pytest.raises(Forbidden, match="token_revoked"):
        await platform.send("slack:T0TRIAL:C0TRIAL", VIEW, key="k")


async def test_files_are_fetched_with_the_token_of_their_workspace(
    slack, other, person, platform
) -> None:
    for workspace in (slack, other):
        await person.install(workspace)
    for workspace in (slack, other):
        file = workspace.file_of("a.txt", Hosted(content=workspace.team.encode()))
        shared = SharedFile(
            platform="slack",
            id=file["id"],
            url=file["url_private_download"],
            workspace=workspace.team,
        )
        read = b"".join([piece async for piece in platform.fetch(shared)])
        assert read == workspace.team.encode()
        assert workspace.host.asked[0][1] == f"Bearer {workspace.bot_token}"


async def test_keys_are_changed_by_putting_the_new_one_first(redis, slack, person) -> None:
    await person.install(slack)
    changed = Installations(RedisPlatformTexts.over(redis, "slack"), [OLDER_KEY, KEY])
    found = await changed.async_find_bot(enterprise_id=None, team_id="T0TRIAL")
    assert found.bot_token == slack.bot_token


async def test_without_the_key_deliveries_wait_for_it(redis, slack, person) -> None:
    await person.install(slack)
    blind = Installations(RedisPlatformTexts.over(redis, "slack"), [OLDER_KEY])
    with pytest.raises(StoreUnavailable, match="none of SLACK_TOKEN_KEYS"):
        await blind.async_find_bot(enterprise_id=None, team_id="T0TRIAL")
    with pytest.raises(Unavailable, match="T0TRIAL"):
        await ManyWorkspaces(api_url=slack.api_url, installations=blind).api("T0TRIAL")


async def test_a_value_that_was_moved_to_another_workspace_is_not_read(
    redis, slack, person, stored
) -> None:
    await person.install(slack)
    value = await redis.get(keys.platform_text("slack", "bot", "T0TRIAL"))
    await redis.set(keys.platform_text("slack", "bot", "T0OTHER"), value)
    with pytest.raises(StoreUnavailable, match="another workspace's"):
        await stored.async_find_bot(enterprise_id=None, team_id="T0OTHER")


async def test_when_it_was_installed_is_kept(slack, person, stored) -> None:
    before = datetime.now(UTC).timestamp()
    await person.install(slack)
    found = await stored.async_find_installation(enterprise_id=None, team_id="T0TRIAL")
    assert before <= found.installed_at <= datetime.now(UTC).timestamp()
    assert (found.user_id, found.user_token) == ("U0INSTALLER", None)
    assert await stored.teams() == ["T0TRIAL"]
    await stored.async_delete_all(enterprise_id=None, team_id="T0TRIAL")
    assert await stored.teams() == []


@pytest.fixture
def post_to(person: Installer, slack: SlackServer) -> Any:
    """Posts an event, signed; the status of the answer."""

    async def send(payload: dict[str, Any]) -> int:
        body, headers = slack.signed_request(payload)
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{person.base}/slack/events", data=body, headers=headers) as answer,
        ):
            return answer.status

    return send
