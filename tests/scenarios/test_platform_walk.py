"""The same walk over Slack and Telegram, each against a local server as strict as the platform."""

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import aiohttp

from tests.fakes.platforms.patience import until
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.study import visits_in
from tests.scenarios.conftest import Service, Start

ASK_EN = "Show me the ECOG of P003, then record today's visit"
ASK_ZH = "帮我查一下 P003 的 ECOG,然后录入今天的访视数据"
GOOD = {"ecog": "2", "weight_kg": "61.5", "systolic": "121", "diastolic": "77"}
REQUESTER_ID, REVIEWER_ID, BYSTANDER_ID = 1001, 2002, 3003


def with_accounts(people: Path, team: str) -> Path:
    """The sample people with a Slack and a Telegram account each."""
    text = people.read_text()
    accounts = {
        "lin": (f"{team}:U0REQUESTER", REQUESTER_ID),
        "chen": (f"{team}:U0REVIEWER", REVIEWER_ID),
        "zhao": (f"{team}:U0BYSTANDER", BYSTANDER_ID),
    }
    for person, (slack, telegram) in accounts.items():
        old = f"    web: {person}\n    slack: []\n    telegram: []\n"
        assert old in text
        new = f'    web: {person}\n    slack: ["{slack}"]\n    telegram: ["{telegram}"]\n'
        text = text.replace(old, new)
    people.write_text(text)
    return people


def slack_settings(server: SlackServer) -> dict[str, Any]:
    return {
        "slack_bot_token": server.bot_token,
        "slack_signing_secret": server.signing_secret,
        "slack_api_url": server.api_url,
    }


def telegram_settings(server: TelegramServer) -> dict[str, Any]:
    return {
        "telegram_bot_token": server.token,
        "telegram_webhook_secret": server.secret,
        "telegram_api_url": server.url,
    }


class SlackSide:
    """Sends signed requests to the service as Slack does."""

    def __init__(self, service: Service, server: SlackServer, http: aiohttp.ClientSession) -> None:
        self._url = f"{service.url}/slack/events"
        self.server = server
        self._http = http

    async def send(self, payload: dict[str, Any]) -> Any:
        body, headers = self.server.signed_request(payload)
        async with self._http.post(self._url, data=body, headers=headers) as response:
            assert response.status == 200, await response.text()
            text = await response.text()
            return json.loads(text) if text else {}

    async def shown(self, said: str, *, channel: str = "") -> Shown:
        """The newest message that says so, as soon as there is one."""

        def found() -> Shown | None:
            messages = [m for m in self.server.messages.values() if channel in ("", m.channel)]
            return next((m for m in reversed(messages) if said in m.body), None)

        message = await self.server.wait_for(found)
        assert message is not None
        return message

    async def tap(self, message: Shown, label: str, *, user: str) -> Any:
        return await self.send(self.server.action(message, label, user=user))


class Addressed(Protocol):
    """What a platform reaches by its address."""

    @property
    def url(self) -> str: ...


class TelegramSide:
    """Sends webhook updates to the service as Telegram does."""

    def __init__(
        self, service: Addressed, server: TelegramServer, http: aiohttp.ClientSession
    ) -> None:
        self._url = f"{service.url}/telegram/webhook"
        self.server = server
        self._http = http

    async def send(self, update: dict[str, Any]) -> None:
        headers = self.server.secret_headers()
        async with self._http.post(self._url, json=update, headers=headers) as response:
            assert response.status == 200, await response.text()

    async def confirm(self, message: Sent, label: str, **by: Any) -> dict[str, Any]:
        """Taps what cannot be taken back, and confirms it; the update that did."""
        await self.send(self.server.tap_update(message, label, **by))
        really = message.labels[0]
        assert label in really, message.labels
        sure = self.server.tap_update(message, really, **by)
        await self.send(sure)
        return sure

    async def shown(self, chat_id: int, said: str) -> Sent:
        def found() -> list[Sent]:
            return [m for m in self.server.chat(chat_id) if said in m.text]

        await self.server.wait_for(lambda: bool(found()))
        return found()[-1]


async def test_a_visit_is_recorded_over_slack(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(people=people, webchat=False, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    asked = slack.mention_event(ASK_EN)
    ts = asked["event"]["ts"]
    twin = slack.mention_event(ASK_EN, ts=ts, kind="message")
    await side.send(asked)
    await side.send(twin)
    await side.send(asked)
    reply = await side.shown("Record a visit")
    assert reply.thread_ts == ts
    assert "2026-10-28" in reply.body
    assert [m.channel for m in slack.messages.values()].count("C0TRIAL") == 1

    await side.tap(reply, "Fill in…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    refused = await side.send(slack.view_submission(opened, {**GOOD, "weight_kg": "9" * 16}))
    assert refused["response_action"] == "errors"
    assert list(refused["errors"]) == ["weight_kg"]
    await side.send(slack.view_submission(opened, GOOD))

    card = await side.shown("Please review", channel="C0TRIAL")
    assert "61.5 kg" in card.body
    for user in ("U0REQUESTER", "U0BYSTANDER"):
        before = len(slack.ephemerals)
        await side.tap(card, "Approve", user=user)
        assert len(slack.ephemerals) == before + 1
        assert slack.ephemerals[-1].user == user
    assert card.buttons
    # The reviewer has the card in a direct message too; that tap counts as well.
    direct = await side.shown("Please review", channel=await _direct_of(slack))
    edits = card.edits
    await side.tap(direct, "Approve", user="U0REVIEWER")
    await slack.wait_for(lambda: not card.buttons and not direct.buttons)
    assert "陈博" in card.body
    await side.shown("Visit recorded", channel="C0TRIAL")
    await _all_shown(service)
    # Who decided it, and how it ended: nothing is shown that is over, and nothing once more.
    assert card.edits - edits <= 2
    assert direct.edits == 1
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5


async def _all_shown(service: Service) -> None:
    """Return once nothing is left to be done, or to be shown."""

    async def is_at_rest() -> bool:
        backlog = await service.parts.store.operations.backlog()
        return not (backlog.lanes or backlog.destinations)

    await until(is_at_rest)


async def _direct_of(slack: SlackServer) -> str:
    """The channel of the first message outside of the trial's, once there is one."""
    found = await slack.wait_for(
        lambda: next((m.channel for m in slack.messages.values() if m.channel != "C0TRIAL"), None)
    )
    assert found is not None
    return found


async def test_a_reviewer_on_telegram_rejects_what_a_requester_on_slack_asked(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
) -> None:
    people = with_accounts(people_file, slack.team)
    service = await start(
        people=people, webchat=False, **slack_settings(slack), **telegram_settings(telegram)
    )
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    await side.send(slack.message_event(ASK_ZH))
    reply = await side.shown("录入访视")
    await side.tap(reply, "填写…", user="U0REQUESTER")
    opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
    assert opened is not None
    await side.send(slack.view_submission(opened, GOOD))
    card = await chat.shown(REVIEWER_ID, "请审核")
    assert "61.5 kg" in card.text
    await chat.send(telegram.tap_update(card, "驳回", name="Bo"))
    prompt = await chat.shown(REVIEWER_ID, "驳回理由")
    assert prompt.force_reply
    await chat.send(telegram.reply_update(prompt, "体重请复核", name="Bo"))
    back = await side.shown("录入访视：请修改", channel="D0REQUESTER")
    assert "体重请复核" in back.body
    await telegram.wait_for(lambda: not card.keyboard)
    assert "驳回" in card.text
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg != 61.5


async def test_a_visit_is_recorded_over_telegram(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_accounts(people_file, "T0")
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)
    asked = telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID)
    for _ in range(3):
        await chat.send(asked)
    reply = await chat.shown(REQUESTER_ID, "录入访视")
    assert "2026-10-28" in reply.text
    assert len(telegram.chat(REQUESTER_ID)) == 1
    answer = "ECOG 2,体重 61.5,血压 121/77"
    await chat.send(telegram.message_update(answer, chat_id=REQUESTER_ID))
    card = await chat.shown(REVIEWER_ID, "请审核")
    own = await chat.shown(REQUESTER_ID, "请审核")
    await chat.send(telegram.tap_update(own, "批准"))
    assert telegram.callback_answers[-1].show_alert
    assert own.labels[0] == "批准", "who may not decide it is not asked"
    before = own.edits
    tap = await chat.confirm(card, "批准", name="Bo")
    assert not telegram.callback_answers[-1].show_alert
    await chat.send(tap)
    await telegram.wait_for(lambda: not card.keyboard and not own.keyboard)
    await chat.shown(REQUESTER_ID, "访视已录入")
    await _all_shown(service)
    assert own.edits - before <= 2
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5
    today = datetime.now(ZoneInfo("Asia/Shanghai")).date()
    assert visits[-1].visit_date == today


async def test_wrong_signatures_and_bodies_are_refused_and_nothing_is_stored(
    start: Start, slack: SlackServer, telegram: TelegramServer, http: aiohttp.ClientSession
) -> None:
    service = await start(webchat=False, **slack_settings(slack), **telegram_settings(telegram))
    before = await _stored(service)
    body, headers = slack.signed_request(slack.message_event(ASK_EN))
    update = json.dumps(telegram.message_update(ASK_EN)).encode()
    secret = telegram.secret_headers()
    wrong = {**headers, "X-Slack-Signature": "v0=" + "0" * 64}
    slack_url, telegram_url = f"{service.url}/slack/events", f"{service.url}/telegram/webhook"
    big = b" " * (1024 * 1024 + 1)
    cases = [
        (slack_url, body, wrong, 401),
        (slack_url, b"{", slack.signed_headers(b"{"), 400),
        (slack_url, b"[1]", slack.signed_headers(b"[1]"), 400),
        (slack_url, big, slack.signed_headers(big), 413),
        (telegram_url, update, {"X-Telegram-Bot-Api-Secret-Token": "no"}, 401),
        (telegram_url, update, {}, 401),
        (telegram_url, b"{", secret, 400),
        (telegram_url, big, secret, 413),
        (telegram_url, b'{"update_id": 1, "poll": {}}', secret, 200),
    ]
    for url, sent, with_headers, status in cases:
        async with http.post(url, data=io.BytesIO(sent), headers=with_headers) as response:
            assert (url, response.status) == (url, status)
    assert await _stored(service) == before


async def _stored(service: Service) -> set[str]:
    """What is kept for conversations; processes keep things of their own, at any time."""
    keys = {str(key) for key in await service.parts.store.client.keys("*")}
    return {key for key in keys if not key.startswith("signoff:") and not key.endswith("probe")}
