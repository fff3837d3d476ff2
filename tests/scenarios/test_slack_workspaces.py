"""Two workspaces of one service, whose people and channels have the same ids: nothing crosses."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography.fernet import Fernet

from adapters.slack.workspace.install import REDIRECT
from tests.fakes.platforms.slack.installer import Installer
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.slack_app import local_slack
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import ASK_EN, GOOD, SlackSide

PUBLIC = "https://signoff.example.com"
# Chen is a reviewer in both; Lin asks in the first, Zhao in the other, each as U0REQUESTER there.
ACCOUNTS = {
    "lin": ["T0TRIAL:U0REQUESTER"],
    "chen": ["T0TRIAL:U0REVIEWER", "T0OTHER:U0REVIEWER"],
    "zhao": ["T0OTHER:U0REQUESTER"],
    "wu": ["T0OTHER:U0SECOND"],
}
STUDY = "SIGNOFF-101"


@pytest.fixture
def other(slack: SlackServer) -> SlackServer:
    return slack.join(local_slack(team="T0OTHER", bot_token="xoxb-other"))


@pytest.fixture
def many(slack: SlackServer, people_file: Path) -> dict[str, Any]:
    """Settings of a service in which workspaces install the app."""
    text = people_file.read_text()
    for person, accounts in ACCOUNTS.items():
        head, found, tail = text.partition(f"    web: {person}\n    slack: []\n")
        if found:
            text = f"{head}    web: {person}\n    slack: {accounts}\n{tail}"
    people_file.write_text(text)
    slack.authority.redirect_uris = [PUBLIC + REDIRECT]
    return {
        "people": people_file,
        "slack_client_id": slack.authority.client_id,
        "slack_client_secret": slack.authority.client_secret,
        "slack_token_keys": Fernet.generate_key().decode(),
        "slack_signing_secret": slack.signing_secret,
        "slack_api_url": slack.api_url,
        "public_url": PUBLIC,
        "webchat": False,
    }


class Workspace(SlackSide):
    """Both workspaces' people reach the service at the same address."""

    async def asks(self, text: str, *, ts: str, user: str = "U0REQUESTER") -> None:
        await self.send(self.server.mention_event(text, user=user, ts=ts))

    async def reviews(self, ts: str) -> None:
        """A visit is asked for and filled in; its card waits for a reviewer."""
        await self.asks(ASK_EN, ts=ts)
        reply = await self.shown("Record a visit")
        await self.tap(reply, "Fill in…", user="U0REQUESTER")
        views = self.server.views
        opened = await self.server.wait_for(lambda: views[-1] if views else None)
        assert opened is not None
        await self.send(self.server.view_submission(opened, GOOD))
        await self.shown("Please review", channel="D0REVIEWER")

    async def pending(self, user: str) -> str:
        """What /pending says to somebody, in their direct messages."""
        before = len(self.server.messages)
        command = self.server.slash_command("pending", user=user, channel="D" + user[1:])
        await self.send(command)
        await self.server.wait_for(lambda: len(self.server.messages) > before)
        return self.server.latest.body


@dataclass(frozen=True, slots=True)
class Pair:
    """A service in which both workspaces have installed the app."""

    service: Service
    here: Workspace
    there: Workspace


Begin = Callable[..., Awaitable[Pair]]


@pytest.fixture
def begin(
    start: Start,
    slack: SlackServer,
    other: SlackServer,
    many: dict[str, Any],
    http: aiohttp.ClientSession,
) -> Begin:
    """Starts the service; the study is the first workspace's alone, unless wanted otherwise."""

    async def started(**more: Any) -> Pair:
        service = await start(**{**many, "projects": (("slack:T0TRIAL", STUDY),), **more})
        person = Installer(service.url)
        for workspace in (slack, other):
            assert (await person.install(workspace))[0] == 200
        return Pair(service, Workspace(service, slack, http), Workspace(service, other, http))

    return started


async def test_what_one_workspace_asks_for_no_other_sees_or_decides(
    begin: Begin, slack: SlackServer, other: SlackServer
) -> None:
    pair = await begin(projects=(("slack:T0TRIAL", STUDY), ("slack:T0OTHER", STUDY)))
    here, there = pair.here, pair.there
    await here.reviews("1763700000.000100")
    card = await here.shown("Please review", channel="D0REVIEWER")
    assert other.messages == {}

    # Chen is a reviewer in both, Wu in the other alone: neither is shown it there.
    for user in ("U0REVIEWER", "U0SECOND"):
        assert "Please review" not in await there.pending(user)
        await there.send(other.home_event(user))
        assert "61.5 kg" not in other.home_body(user)
    await here.send(slack.home_event("U0REVIEWER"))
    assert "61.5 kg" in slack.home_body("U0REVIEWER")
    assert "Please review" in await here.pending("U0REVIEWER")

    # Nor do their taps count, were they to get hold of a button.
    for user in ("U0REVIEWER", "U0SECOND"):
        stolen = slack.action(card, "Approve", user=user)
        stolen["team"]["id"] = stolen["user"]["team_id"] = other.team
        told = len(other.ephemerals)
        await there.send(stolen)
        assert len(other.ephemerals) == told + 1
        assert "This card is not known here." in other.ephemerals[-1].text
    assert card.buttons

    await here.tap(card, "Approve", user="U0REVIEWER")
    await here.shown("Visit recorded", channel="C0TRIAL")
    assert all("61.5" not in m.body for m in other.messages.values())
    assert other.faults == []


async def test_the_same_message_of_two_workspaces_is_two_messages(
    begin: Begin, slack: SlackServer, other: SlackServer
) -> None:
    pair = await begin()
    here, there = pair.here, pair.there
    for side in (here, there):
        await side.asks("Show me the ECOG of P003", ts="1763700000.000100")
    await here.shown("2026-10-28")
    # The study is the first one's alone; memos and files are each one's own as well.
    assert "slack-T0OTHER" in (await there.shown("slack-T0OTHER")).body
    assert pair.service.parts.services.project("slack:T0OTHER:C0TRIAL:1.2") == "slack-T0OTHER"
    for server in (slack, other):
        assert {m.thread_ts for m in server.messages.values()} == {"1763700000.000100"}


async def test_payloads_of_all_workspaces_come_through_the_same_sockets(
    begin: Begin, slack: SlackServer, other: SlackServer
) -> None:
    side = (await begin(slack_app_token=slack.app_token)).there
    await slack.wait_for(lambda: len(slack.sockets) == 2)
    asked = other.message_event("/help")
    envelope = await other.envelope(asked, "events_api")
    await side.shown("/pending", channel="D0REQUESTER")
    assert slack.messages == {}
    assert envelope in slack.acks


async def test_what_waits_for_a_workspace_that_left_ends_with_a_reason(
    begin: Begin, slack: SlackServer, other: SlackServer
) -> None:
    pair = await begin()
    side = pair.here
    left: list[str] = []

    async def leave() -> None:
        if not left:
            left.append("now")
            for event in slack.uninstall():
                await side.send(event)

    slack.before["chat.postMessage"] = leave
    await side.asks("/help", ts="1763700000.000100")
    redis = pair.service.parts.store.client

    async def reasons() -> list[str]:
        rows = [key async for key in redis.scan_iter(match="*:row:*")]
        found = [await redis.hget(row, "dropped") for row in rows]
        return [reason for reason in found if reason]

    async def told() -> str:
        while not (found := await reasons()):
            await slack.wait_for(lambda: True)
        return found[0]

    assert "token_revoked" in await told()
    await pair.there.asks("/help", ts="1763700000.000200")
    await other.wait_for(lambda: bool(other.messages))
