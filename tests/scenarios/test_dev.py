"""Somebody writes a folder and sees how each message is read: in a terminal and on the page."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.dev.account import (
    CallMade,
    CardAsked,
    MessageAccount,
    ModelAsked,
    NodeReached,
    RunEnded,
    ValuesTaken,
)
from bot.dev.feed import MessageFeed
from bot.dev.printing import AccountPrinter
from bot.dev.service import gatherer_of, recall
from bot.settings import Settings
from tests.bot.signoff_process import ROOT, ended, serving
from tests.fakes.model_server import ModelServer, Reply, call_tool, say
from tests.fakes.paint_store import MESSAGE, PLAYBOOK, write_paint_store
from tests.fakes.platforms.patience import START_S, end_of, until, within
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service, Start, running

HOSTILE = "<b>list</b> all paints, write to ann@example.org \x1b[31m please"
KEY = "sk-0123456789abcdef0123"


@pytest.fixture
def store_folder(tmp_path: Path) -> Path:
    return write_paint_store(tmp_path / "paint")


@pytest.fixture
def told() -> list[MessageAccount]:
    """The accounts in the order in which they were told."""
    return []


@pytest.fixture
async def service(
    new_settings: Callable[..., Settings], store_folder: Path, told: list[MessageAccount]
) -> AsyncIterator[Service]:
    settings = settings_of(new_settings, store_folder)
    async with running(settings, MessageFeed(told.append)) as service:
        yield service


def documented_lines() -> list[str]:
    """What docs/dev.md shows of the message below its first line."""
    _, block, *_ = (ROOT / "docs" / "dev.md").read_text("utf-8").split("```text\n")
    return without_times(block.partition("```")[0]).splitlines()[1:]


def without_times(text: str) -> str:
    return re.sub(r"\d+ ms", "MS", text)


def settings_of(new_settings: Callable[..., Settings], folder: Path, **more: Any) -> Settings:
    return new_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        **more,
    )


async def page_of(service: Service, room: str = "main", **query: str) -> dict[str, Any]:
    """What the panel shows beside a room."""
    wanted = {"room": room, "person": "mia", "lang": "en", **query}
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"{service.url}/dev/messages", params=wanted) as answer,
    ):
        assert answer.status == 200
        found: dict[str, Any] = await answer.json()
        return found


def events_of(account: MessageAccount, kind: type) -> list[Any]:
    return [event for part in account.parts for event in part.events if isinstance(event, kind)]


def has_card(account: MessageAccount) -> bool:
    return bool(events_of(account, CardAsked))


async def test_all_that_came_of_a_message_is_in_its_account(
    service: Service, told: list[MessageAccount]
) -> None:
    printed: list[str] = []
    printer = AccountPrinter("en", "UTC", printed.append)
    async with WebRoom(service.url) as room:
        await room.say("mia", MESSAGE)
        card = await room.card("confirm")
        await until(lambda: bool(told) and told[-1].settled and has_card(told[-1]))
        printer.tell(told[-1])
        assert (await room.tap("gus", card, "approve"))[1]["ok"]
        assert (await room.tap("olga", card, "approve"))[1]["ok"]
        await until(lambda: told[-1].settled and bool(events_of(told[-1], RunEnded)))
    account = told[-1]
    question, order = account.parts
    assert (account.strategy, question.target, order.target) == (
        "deterministic",
        "list_paints",
        "deliveries/order",
    )
    (looked,) = [e for e in question.events if isinstance(e, CallMade)]
    assert "no such table: paints" in looked.fault
    assert looked.seconds is not None
    taken = {v.path: (v.value, v.words) for e in events_of(account, ValuesTaken) for v in e.values}
    assert taken["price"] == ("120.00 USD", "120 USD")
    assert taken["shelf"] == ("7", "shelf 7")
    (asked,) = events_of(account, CardAsked)
    assert [(p.name, p.delegate) for p in asked.to] == [("Fred", "Gus"), ("Olga", "")]
    assert "keeper; olga, by $requester.manager (price is 120.00 USD, limit 100 USD)" in asked.why
    nodes = [(e.node, e.result, e.by) for e in events_of(account, NodeReached)]
    assert nodes == [("fits", "passed", "rules"), ("approve", "approved", "Olga")]
    assert [e.tool for e in order.events if isinstance(e, CallMade)] == ["order_paint"]
    assert [e.end for e in events_of(account, RunEnded)] == ["done"]
    printer.tell(account)
    first, later = printed
    assert [each for each in documented_lines() if each not in without_times(first)] == []
    assert "price 120.00 USD ← “120 USD”" in first
    assert "Sign-off to Fred (away: Gus stands in), Olga" in first
    assert "Gus: approve (one vote was counted)" in later
    assert "price" not in later


async def test_a_rule_that_does_not_hold_and_words_that_nothing_takes_are_told(
    service: Service, told: list[MessageAccount]
) -> None:
    async with WebRoom(service.url, "two") as room:
        await room.say("mia", "order paint for 120 USD on shelf 95")
        await until(lambda: bool(told) and bool(events_of(told[-1], RunEnded)))
        (fits,) = events_of(told[-1], NodeReached)
        assert (fits.result, fits.rules, fits.broken) == ("failed", 1, ("shelf",))
        await room.say("mia", "I need to order paint for 120 USD")
        await room.card("clarify")
        await room.say("mia", "shelf 8 bananas")
        await until(lambda: any(each.text == "shelf 8 bananas" for each in told))
    (typed,) = next(each.parts for each in told if each.text == "shelf 8 bananas")
    assert typed.kind == "card_reply"
    assert [event.kind for event in typed.events] == ["values", "unused", "answer"]


async def test_the_page_shows_it_as_text_masked_beside_its_own_room_alone(
    service: Service, told: list[MessageAccount]
) -> None:
    async with WebRoom(service.url, "mine") as room:
        await room.say("mia", f"{HOSTILE} {KEY}")
        await until(lambda: bool(told) and told[-1].settled)
    page = await page_of(service, "mine")
    assert KEY not in str(page)
    (message,) = page["messages"]
    assert message["text"].startswith("<b>list</b> all paints, write to ***")
    assert {line["label"] for line in message["lines"]} >= {"read as", "because", "now"}
    assert (await page_of(service, "other"))["messages"] == []
    chinese = (await page_of(service, "mine", lang="zh"))["messages"][0]["lines"]
    assert "读作" in [line["label"] for line in chinese]
    printed: list[str] = []
    AccountPrinter("en", "UTC", printed.append).tell(told[-1])
    assert "\x1b" not in printed[0]


async def test_what_a_model_called_is_told_and_messages_of_before_are_on_the_page(
    new_settings: Callable[..., Settings], store_folder: Path, told: list[MessageAccount]
) -> None:
    def thinking(request: dict[str, Any]) -> Reply:
        asked = any(message["role"] == "tool" for message in request["messages"])
        return say("In a day.", tokens=30) if asked else call_tool("list_paints", {}, tokens=20)

    async with ModelServer(thinking) as model:
        asks = {"openai_api_key": model.api_key, "openai_base_url": model.base_url}
        settings = settings_of(new_settings, store_folder, llm_model="stub", **asks)
        async with running(settings, MessageFeed(told.append)) as service:
            async with WebRoom(service.url) as room:
                await room.say("mia", "How long does a wall dry?")
                await until(lambda: bool(told) and told[-1].settled)
            later = MessageFeed(told.append)
            known = len(told)
            await recall(service.parts, later)
            await later.look(gatherer_of(service.parts))
            (message,) = later.page("web:local:main", "en")["messages"]
            assert (message["text"], len(told)) == ("How long does a wall dry?", known)
    called, asked = told[-1].parts[0].events
    assert isinstance(called, CallMade)
    assert (called.tool, bool(called.fault)) == ("list_paints", True)
    assert isinstance(asked, ModelAsked)
    assert (asked.model, asked.tokens, asked.fault) == ("stub", 50, "")
    assert not told[-1].parts[0].is_open


async def panel_answers(url: str) -> list[int]:
    async with aiohttp.ClientSession() as http:
        paths = ("/dev/messages?room=main&person=mia", "/dev/panel.js", "/dev/panel.css")
        return [(await http.get(f"{url}{path}")).status for path in paths]


async def test_without_dev_mode_and_for_who_signs_in_there_is_no_panel(
    start: Start, new_settings: Callable[..., Settings], store_folder: Path
) -> None:
    plain = await start(
        playbooks=store_folder / "playbooks",
        people=store_folder / "people.yaml",
        connections=store_folder / "connections.yaml",
    )
    assert await panel_answers(plain.url) == [404, 404, 404]
    async with aiohttp.ClientSession() as http, http.get(f"{plain.url}/chat/people") as answer:
        assert "panel" not in await answer.json()
    sign_in = settings_of(new_settings, store_folder, web_login="link")
    async with running(sign_in, MessageFeed(lambda account: None)) as closed:
        assert await panel_answers(closed.url) == [404, 404, 404]


async def test_a_folder_is_served_while_it_is_written(tmp_path: Path, store_folder: Path) -> None:
    port, main = free_port(), store_folder / PLAYBOOK
    text = main.read_text("utf-8")
    printed: list[str] = []

    async def read(stream: asyncio.StreamReader) -> None:
        async for line in stream:
            printed.append(line.decode().rstrip())

    def has(words: str) -> bool:
        return any(words in line for line in printed)

    async with serving(tmp_path, "dev", "paint", PORT=str(port)) as process:
        reading = asyncio.create_task(read(process.stdout))
        await until(lambda: has("Signoff web chat:"), START_S)
        async with WebRoom(f"http://127.0.0.1:{port}") as room:
            await room.say("mia", MESSAGE)
            await until(lambda: has("Sign-off to Fred (away: Gus stands in), Olga"))
            assert has("price 120.00 USD ← “120 USD”")
            assert has("no such table: paints")
            main.write_text(text.replace("phases:", "phasen:"), "utf-8")
            await until(
                lambda: has("playbook.yaml:21: phasen: unknown key; did you mean 'phases'?")
            )
            await room.say("mia", "list all paints")
            await until(lambda: sum("list_paints ·" in line for line in printed) == 2)
            main.write_text(text.replace("en: Somebody has", "en: People have"), "utf-8")
            await until(lambda: has("Taken over"))
            people = store_folder / "people.yaml"
            people.write_text(people.read_text("utf-8").replace("name: Mia", "name: Mina"))
            await until(lambda: has("started again"))
        process.send_signal(signal.SIGINT)
        assert await end_of(process) == 0
        reading.cancel()


async def test_a_folder_that_is_broken_at_the_start_is_served_once_it_is_mended(
    tmp_path: Path, store_folder: Path
) -> None:
    port, main, project = free_port(), store_folder / PLAYBOOK, store_folder / "signoff.yaml"
    good, settings = main.read_text("utf-8"), project.read_text("utf-8")
    main.write_text(good.replace("phases:", "phasen:"), "utf-8")
    project.write_text(f"{settings}zone: here\n", "utf-8")
    printed: list[str] = []

    async def read(stream: asyncio.StreamReader) -> None:
        async for line in stream:
            printed.append(line.decode().rstrip())

    def has(words: str) -> bool:
        return any(words in line for line in printed)

    async with serving(tmp_path, "dev", "paint", PORT=str(port)) as process:
        reading = asyncio.create_task(read(process.stdout))
        await until(lambda: has("It is served as soon as they are mended"), START_S)
        await until(
            lambda: any(re.search(r"signoff.yaml:\d: zone: unknown key", x) for x in printed)
        )
        project.write_text(settings, "utf-8")
        await until(lambda: has("playbook.yaml:21: phasen: unknown key; did you mean 'phases'?"))
        assert not has("Signoff web chat:")
        main.write_text(good, "utf-8")
        await until(lambda: has("Signoff web chat:"), START_S)
        async with WebRoom(f"http://127.0.0.1:{port}") as room:
            await room.say("mia", "list all paints")
            await until(lambda: has("list_paints ·"))
        process.send_signal(signal.SIGINT)
        assert await end_of(process) == 0
        reading.cancel()


async def test_waiting_for_the_mend_ends_at_a_signal_and_what_no_file_mends_ends_at_once(
    tmp_path: Path, store_folder: Path
) -> None:
    (store_folder / PLAYBOOK).write_text("id: [", "utf-8")
    async with serving(tmp_path, "dev", "paint", PORT=str(free_port())) as process:
        async with within(START_S, "it waits for the mend"):
            while b"as soon as they are mended" not in await process.stdout.readline():
                pass
        process.send_signal(signal.SIGINT)
        assert await end_of(process) == 0
    ended_at_once = await ended(tmp_path, "dev", "paint", PORT="many")
    assert ended_at_once.status == 2
    assert "PORT" in ended_at_once.err
