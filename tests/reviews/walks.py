"""People on Slack and Telegram, and a request that waits for a reviewer."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

from tests.fakes.platforms.slack.workspace import Shown
from tests.scenarios.conftest import Service
from tests.scenarios.test_platform_walk import ASK_EN, GOOD, SlackSide, TelegramSide


class Meeting(NamedTuple):
    """A service with both platforms connected, and its people there."""

    service: Service
    side: SlackSide
    chat: TelegramSide


Meet = Callable[..., Awaitable[Meeting]]


async def asked_in_slack(side: SlackSide) -> Shown:
    """Somebody asks in a channel's thread; the review card there."""
    slack = side.server
    before = len(slack.views)
    await side.send(slack.mention_event(ASK_EN))
    await side.tap(await side.shown("Record a visit"), "Fill in…", user="U0REQUESTER")
    await slack.wait_for(lambda: len(slack.views) > before)
    await side.send(slack.view_submission(slack.views[-1], GOOD))
    return await side.shown("Please review", channel="C0TRIAL")


def rewrite(path: Path, old: str, new: str) -> None:
    """Put `new` in place of `old`, which has to be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
