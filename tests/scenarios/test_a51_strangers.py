"""A51: who is not admitted gets one sentence and no data, and nothing is started for them."""

import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.serve.intake.admissions import ASK_PACE
from cards.model import Card
from engine.events import (
    Accepted,
    Actor,
    CardTapped,
    CommandGiven,
    DirectAnswer,
    FormSubmitted,
    MessageReceived,
    Outcome,
    SharedFile,
)
from tests.fakes.crank import Crank, cranked, pressed
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.scenarios.conftest import ROOT, Start, settings_over
from tests.scenarios.test_platform_walk import (
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)

ADMIN = """
  - id: gao
    name: 高原 / Gao Yuan
    web: gao
    roles: [admin]
    language: en
"""
TELEGRAM = Actor(platform="telegram", workspace="9", user="77", name="Nia")
MEMBER = Actor(platform="slack", workspace="T0TRIAL", user="U0NEW", name="New")
GUEST = Actor(platform="slack", workspace="T0TRIAL", user="U0OTHER", name="Other", guest=True)
GROUPED = Actor(platform="slack", workspace="T0TRIAL", user="U0GROUP", name="Grouped")
ASK = "Show me the ECOG of P003"
WORK = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"
_numbers = itertools.count(1)


def people(folder: Path, admit: str = "", *changes: tuple[str, str]) -> Path:
    """The sample people with an admin, and who else may ask."""
    text = (ROOT / "playbooks" / "people.yaml").read_text(encoding="utf-8") + ADMIN
    text = text.replace("roles:\n", "roles:\n  - {id: admin, zh: 管理员, en: administrator}\n", 1)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = folder / f"people-{next(_numbers)}.yaml"
    path.write_text(f"{text}\n{admit}", encoding="utf-8")
    return path


@pytest.fixture
def crank(redis: Redis, redis_server: EmbeddedServer, tmp_path: Path) -> Any:
    """A service with such people."""

    @asynccontextmanager
    async def opened(
        admit: str = "", *changes: tuple[str, str], **more: Any
    ) -> AsyncIterator[Crank]:
        listed = people(tmp_path, admit, *changes)
        async with cranked(settings_over(redis_server, tmp_path, people=listed, **more)) as made:
            yield made

    return opened


def where(actor: Actor) -> str:
    return f"{actor.platform}:{actor.workspace}:C0CHANNEL"


async def give(crank: Crank, kind: Any, actor: Actor, **more: Any) -> Outcome:
    """An update of that account."""
    given = {"id": f"u{next(_numbers)}", "conversation": where(actor), "actor": actor, **more}
    return await crank.parts.intake(kind(**given))


async def said(crank: Crank, actor: Actor, text: str) -> str:
    """What the account is told at once, "" when the message was taken."""
    outcome = await give(crank, MessageReceived, actor, text=text)
    if isinstance(outcome, Accepted):
        return ""
    assert isinstance(outcome, DirectAnswer)
    assert (outcome.ok, outcome.stranger) == (False, True)
    return outcome.text


async def kept(crank: Crank, actor: Actor) -> list[str]:
    """Everything in the store that names the conversation."""
    return [key async for key in crank.client.scan_iter(match=f"*{where(actor)}*")]


WAYS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (MessageReceived, {"text": ASK}),
    (MessageReceived, {"text": WORK}),
    (MessageReceived, {"text": "/pending"}),
    (MessageReceived, {"text": "help"}),
    (MessageReceived, {"text": "", "files": (SharedFile(platform="telegram", id="f"),)}),
    *((CommandGiven, {"name": n}) for n in ("help", "start", "pending", "runs", "cancel")),
    (CommandGiven, {"name": "start", "text": "c_0-abcdefghijkl"}),
    (CommandGiven, {"name": "handover", "text": "Ana"}),
    (CardTapped, {"button": "s1:0-abcdefghijklmnopqrstuv:approve:1"}),
    (FormSubmitted, {"button": "s1:0-abcdefghijklmnopqrstuv:submit:1", "values": {}}),
)


@pytest.mark.parametrize("actor", [TELEGRAM, MEMBER, GUEST], ids=["telegram", "member", "guest"])
async def test_a51_a_stranger_is_told_their_account_and_nothing_is_kept_or_started(
    crank: Any, actor: Actor
) -> None:
    account = "telegram:77" if actor is TELEGRAM else f"slack:T0TRIAL:{actor.user}"
    async with crank() as service:
        for kind, more in WAYS:
            outcome = await give(service, kind, actor, **more)
            assert isinstance(outcome, DirectAnswer)
            assert (outcome.ok, outcome.stranger) == (False, True)
            assert account in outcome.text
            assert "P003" not in outcome.text
        assert await kept(service, actor) == []


async def test_a51_it_is_counted_and_the_sentence_is_the_files(crank: Any) -> None:
    admit = (
        "admit:\n  ask: Ana (ana@example.org)\n"
        "  sentence: {zh: '{account}？请找 {ask}', en: 'Who is {account}? Ask {ask}.'}\n"
    )
    async with crank(admit) as service:
        assert (
            await said(service, TELEGRAM, ASK) == "Who is telegram:77? Ask Ana (ana@example.org)."
        )
        assert await said(service, TELEGRAM, "查 P003") == "telegram:77？请找 Ana (ana@example.org)"
        await service.parts.telemetry.meter.share()
        counts = await service.parts.store.numbers.counts()
        assert counts["updates", "telegram", "message", "stranger"] == 2


async def test_a51_strangers_are_limited_as_others_are(crank: Any) -> None:
    async with crank(messages_per_min=2) as service:
        told = [await give(service, MessageReceived, TELEGRAM, text=ASK) for _ in range(4)]
    assert [isinstance(each, DirectAnswer) and each.stranger for each in told] == [
        True,
        True,
        False,
        False,
    ]
    assert isinstance(told[2], DirectAnswer)
    assert told[3] == Accepted(duplicate=True)


@pytest.mark.parametrize(
    ("admit", "admitted"),
    [
        ("", []),
        ("admit: {platforms: [telegram]}", [TELEGRAM]),
        ("admit: {platforms: [slack]}", [MEMBER, GROUPED]),
        ("admit: {workspaces: [T0TRIAL]}", [MEMBER, GROUPED]),
        ("admit: {workspaces: [T0OTHERS]}", []),
        ("admit: {roles: [reviewer]}", [GROUPED]),
    ],
)
async def test_the_file_says_who_else_is_admitted_and_a_workspace_never_admits_its_guests(
    crank: Any, admit: str, admitted: list[Actor]
) -> None:
    group = ("en: data reviewer}", 'en: data reviewer, slack_group: "T0TRIAL:S0GROUP"}')
    async with crank(admit, group) as service:
        directory = replace(
            service.parts.resources.people, members=lambda group: frozenset({"T0TRIAL:U0GROUP"})
        )
        found = [
            actor
            for actor in (TELEGRAM, MEMBER, GUEST, GROUPED)
            if directory.is_admitted(directory.principal(actor))
        ]
        assert found == admitted
        if TELEGRAM in admitted:
            assert await said(service, TELEGRAM, ASK) == ""
            await service.still()
            assert await kept(service, TELEGRAM)


async def test_a_member_of_a_reviewers_group_decides_though_only_listed_people_may_ask(
    crank: Any,
) -> None:
    group = ("en: data reviewer}", 'en: data reviewer, slack_group: "T0TRIAL:S0GROUP"}')
    async with crank("", group) as service:
        groups = service.parts.resources.groups
        await groups._cache.store("T0TRIAL:S0GROUP", frozenset({"T0TRIAL:U0GROUP"}), keep_s=600)
        await groups.load()
        await service.say("lin", WORK)
        await service.still()
        (card,) = await service.cards()
        assert await said(service, GROUPED, ASK)
        assert await give(service, CommandGiven, GROUPED, name="pending") == Accepted()
        told = await give(service, CardTapped, GROUPED, button=pressed(card, "approve"))
        assert isinstance(told, DirectAnswer)
        assert told.ok


async def test_a_message_that_waited_while_its_writer_was_taken_out_is_not_answered(
    crank: Any, redis: Redis
) -> None:
    async with crank("admit: {platforms: [telegram]}") as service:
        assert await said(service, TELEGRAM, WORK) == ""
        await give(service, CommandGiven, TELEGRAM, name="runs")
    async with crank() as service:
        await service.still()
        assert await service.parts.store.archive.runs(10) == []
        backlog = await service.parts.store.operations.backlog()
        assert (backlog.lanes, backlog.destinations) == (0, 1)


async def asked(service: Crank) -> Card:
    """The card that asks the admin."""
    (card,) = [c for c in await service.cards() if c.task_key.startswith("admit:")]
    return card


async def test_an_admin_is_asked_once_lets_the_account_in_and_takes_it_back(crank: Any) -> None:
    async with crank() as service:
        for _ in range(3):
            assert await said(service, TELEGRAM, ASK)
        await service.still()
        card = await asked(service)
        rows = {row.label: row.value for row in card.rows}
        assert (rows["Account"], rows["Calls themselves"]) == ("telegram:77", "Nia")
        refused = await service.tap("chen", card, "admit")
        assert isinstance(refused, DirectAnswer)
        assert not refused.ok
        taken = await service.tap("gao", card, "admit")
        assert isinstance(taken, DirectAnswer)
        assert taken.ok
        await service.still()
        await service.parts.resources.admitted_accounts.load()
        (entrant,) = await service.parts.services.admissions.everybody()
        assert (entrant.account, entrant.name, entrant.by) == ("telegram:77", "Nia", "gao")
        assert await said(service, TELEGRAM, ASK) == ""
        assert service.parts.resources.people.principal(TELEGRAM).roles == ()
        assert await service.parts.services.admissions.revoke("telegram:77")
        await service.parts.resources.admitted_accounts.load()
        assert await said(service, TELEGRAM, ASK)


async def test_who_is_not_let_in_stays_a_stranger_and_a_crowd_asks_about_few(crank: Any) -> None:
    async with crank() as service:
        for number in range(ASK_PACE.burst + 5):
            who = TELEGRAM.model_copy(update={"user": str(number + 100)})
            assert await said(service, who, ASK)
        await service.still()
        cards = await service.cards()
        assert len(cards) == ASK_PACE.burst
        await service.tap("gao", cards[0], "leave")
        await service.still()
        assert await service.parts.services.admissions.everybody() == ()
        service.later(8 * 86_400)
        await service.still()
        assert await service.cards() == []


async def test_a51_on_each_platform_only_the_stranger_reads_the_sentence(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
) -> None:
    given = {**slack_settings(slack), **telegram_settings(telegram)}
    service = await start(people=with_accounts(people_file, slack.team), **given)
    side, chat = SlackSide(service, slack, http), TelegramSide(service, telegram, http)
    account = f"slack:{slack.team}:U0OTHER"
    other = slack.mention_event(ASK, user="U0OTHER")
    other["event"]["user_team"] = "T0OTHERS"
    for payload in (other, slack.message_event(ASK, user="U0OTHER")):
        await side.send(payload)
        assert slack.ephemerals[-1].user == "U0OTHER"
        assert account in slack.ephemerals[-1].text
    for text in (ASK, "/help"):
        await chat.send(telegram.message_update(text, chat_id=77))
        assert "telegram:77" in telegram.chat(77)[-1].text
    await side.send(slack.home_event("U0OTHER"))
    assert account in json.dumps(slack.homes["U0OTHER"])
    # Everybody else is answered as ever.
    await side.send(slack.message_event(ASK))
    await side.shown("ECOG of P003")
    told = [m.body for m in slack.messages.values() if m.channel != "D0REQUESTER"]
    assert [body for body in told if "P003" in body] == []
    assert len(telegram.chat(77)) == 2
