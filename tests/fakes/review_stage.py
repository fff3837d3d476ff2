"""A review on three platforms at once: one service, and people on Slack, Telegram and the web."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from cards.model import Card
from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.web_room import Message, WebRoom
from tests.scenarios.conftest import Service
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_web_walk import to_review

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
WU_ID, HUI_ID, BO_ID = 4004, 5005, 6006
MORE = """
  - id: hui
    name: 惠芳 / Hui Fang
    web: hui
    slack: ["{team}:U0LEAD"]
    telegram: ["5005"]
    roles: [lead]

  - id: bo
    name: 柏林 / Bo Lin
    web: bo
    slack: ["{team}:U0STANDIN"]
    telegram: ["6006"]
    roles: []
"""


def people_of(path: Path, team: str, *, delegate: str = "") -> Path:
    """Lin asks; Chen and Wu review; Hui leads; Bo has no role; all are on every platform.

    `delegate` is Chen's, as YAML.
    """
    text = with_accounts(path, team).read_text(encoding="utf-8")
    text = text.replace(
        "    web: wu\n    slack: []\n    telegram: []\n",
        f'    web: wu\n    slack: ["{team}:U0WU"]\n    telegram: ["{WU_ID}"]\n',
    )
    text = text.replace("people:\n", "  - {id: lead, zh: 负责人, en: lead}\n\npeople:\n", 1)
    if delegate:
        text = text.replace("    web: chen\n", f"    web: chen\n    delegate: {delegate}\n", 1)
    path.write_text(text + MORE.format(team=team), encoding="utf-8")
    return path


def with_policy(playbooks: Path, policy: str, roles: str = "[reviewer]") -> None:
    """The visit's review with these roles, and this after them."""
    edits = "may_edit: [ecog, weight_kg, systolic, diastolic, adverse_event]"
    old = f"review: {{roles: [reviewer], quorum: 1, four_eyes: true, {edits}}}"
    change(playbooks, "skills/visit-review.yaml", old, f"review: {{roles: {roles}, {policy}}}")


def settings(people: Path, playbooks: Path, slack: SlackServer, telegram: TelegramServer) -> Any:
    """Of a service on all three platforms."""
    return {
        "people": people,
        "playbooks": playbooks,
        **slack_settings(slack),
        **telegram_settings(telegram),
    }


@dataclass
class Stage:
    """One review that stands open everywhere, and what each person sees of it."""

    service: Service
    slack: SlackServer
    telegram: TelegramServer
    http: aiohttp.ClientSession
    room: WebRoom

    @property
    def side(self) -> SlackSide:
        """Slack's way in."""
        return SlackSide(self.service, self.slack, self.http)

    @property
    def chat(self) -> TelegramSide:
        """Telegram's way in."""
        return TelegramSide(self.service, self.telegram, self.http)

    async def review(self) -> Message:
        """Lin asks on the web, up to the reviewers' card; returns it as the web shows it."""
        return await to_review(self.room)

    async def on_slack(self, user: str, said: str = "请审核") -> Shown:
        """The newest message of a person's direct messages that says so."""
        return await self.side.shown(said, channel=f"D{user[1:]}")

    async def on_telegram(self, chat_id: int, said: str = "请审核") -> Sent:
        """The newest message of a private chat that says so."""
        return await self.chat.shown(chat_id, said)

    async def tap_slack(self, message: Shown, label: str, user: str) -> str:
        """A tap, and what its person was told."""
        before = len(self.slack.ephemerals)
        await self.side.tap(message, label, user=user)
        told = self.slack.ephemerals[before:]
        assert [each.user for each in told] == [user]
        return told[0].text

    async def tap_telegram(self, message: Sent, label: str) -> tuple[str, bool]:
        """A tap, what its person was told, and whether they have to close it by hand.

        What cannot be taken back is confirmed.
        """
        before = len(self.telegram.callback_answers)
        await self.chat.send(self.telegram.tap_update(message, label))
        if label not in message.labels and message.labels:
            await self.chat.send(self.telegram.tap_update(message, message.labels[0]))
        told = self.telegram.callback_answers[before:][-1]
        return told.text, told.show_alert

    async def card(self) -> Card:
        """The review as it is stored."""
        decisions = self.service.parts.services.decisions
        (found,) = [
            card
            for card in await decisions.open_cards(f"web:local:{self.room.room}")
            if card.review.roles
        ]
        return found

    async def log(self, run: str) -> list[dict[str, Any]]:
        """What the audit says of a run."""
        history = await self.service.parts.store.archive.history(run)
        assert history is not None
        return [json.loads(entry) for entry in history.entries]

    async def later(self, ms: int) -> None:
        """So much time passes for the store, once all is shown that was to be."""
        await self.settle()
        self.skip(ms)

    async def settle(self) -> None:
        """Wait until the store knows that all is shown.

        What is being shown while time is skipped would be shown twice, as its lease would be over.
        """
        operations = self.service.parts.store.operations

        async def settled() -> bool:
            backlog = await operations.backlog()
            return not (backlog.lanes or backlog.destinations)

        await until(settled)

    def skip(self, ms: int) -> None:
        """So much time passes for the store at once."""
        self.service.parts.store.scripts.offset_ms += ms

    async def until_reminded(self, times: int) -> Card:
        """The review once it has been reminded of so often."""

        async def reminded() -> Card | None:
            card = await self.card()
            return card if card.reminded == times else None

        card: Card = await until(reminded)
        return card
