"""A platform of ours that is connected to a local Slack."""

from typing import Any

from adapters.clock import SystemClock
from adapters.slack.platform import SlackPlatform
from adapters.slack.workspaces import OneWorkspace
from tests.fakes.platforms.slack.server import SlackServer


def connected(slack: SlackServer, **more: Any) -> SlackPlatform:
    """It, with the server's tokens unless others are given."""
    given = {
        "workspaces": OneWorkspace(api_url=slack.api_url, token=slack.bot_token),
        "signing_secret": slack.signing_secret,
        "app_token": slack.app_token,
        "clock": SystemClock("UTC"),
    }
    return SlackPlatform(**{**given, **more})
