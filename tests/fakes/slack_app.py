"""Our app in a local Slack: what its manifest asks for, and our platform connected to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from adapters.clock import SystemClock
from adapters.slack.platform import CONNECTIONS, SlackPlatform
from adapters.slack.workspace.workspaces import OneWorkspace
from engine.ports.platform import Intake
from tests.fakes.listening import listening
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import scopes_of

MANIFEST = Path(__file__).parents[2] / "docs" / "slack" / "manifest.yaml"


def local_slack(**more: Any) -> SlackServer:
    """A local Slack whose app has the scopes of our manifest, and no others."""
    return SlackServer(scopes=scopes_of(MANIFEST), **more)


def connected(slack: SlackServer, **more: Any) -> SlackPlatform:
    """Our platform there, with the server's tokens unless others are given."""
    given = {
        "workspaces": OneWorkspace(api_url=slack.api_url, token=slack.bot_token),
        "signing_secret": slack.signing_secret,
        "app_token": slack.app_token,
        "clock": SystemClock("UTC"),
    }
    return SlackPlatform(**{**given, **more})


@asynccontextmanager
async def connections(
    slack: SlackServer, platform: SlackPlatform, intake: Intake
) -> AsyncIterator[None]:
    """Ours listens over as many sockets as it wants."""
    async with listening(platform, intake):
        await slack.wait_for(lambda: len(slack.sockets) == CONNECTIONS)
        yield
