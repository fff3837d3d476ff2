"""A worker that ends at any named point changes nothing of what a case has (design §12)."""

import signal
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from bot.wiring.service import open_parts
from engine.frames.case import CaseDocument
from tests.fakes.feast import BY_FEAST, write_feast
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.test_failpoints import dying, insist, settings_in, still, web_here
from tests.scenarios.test_platform_walk import REQUESTER_ID, TelegramSide, telegram_settings

CASE = "KITCHEN/feast/feast/F-7"


@dataclass(frozen=True)
class Address:
    """Where the service is."""

    url: str


async def walk(url: str, telegram: TelegramServer, http: aiohttp.ClientSession) -> None:
    """Two settle the guests at once, on two platforms, and differ; one goes on to the menu."""
    chat = TelegramSide(Address(url), telegram, http)
    async with WebRoom(url) as room:
        ids = iter([new_id() for _ in range(9)])
        said = {"text": "count the guests", "id": next(ids)}
        await insist(lambda: room.post("messages", "ida", **said))
        form = await room.card("clarify")
        await chat.send(telegram.message_update("count the guests"))
        await chat.shown(REQUESTER_ID, "The guests?")
        values = {"feast": "F-7", "guests": "80", "hall": "Blue"}
        sent = {"button": button(form, "submit"), "values": values, "id": next(ids)}
        await insist(lambda: room.post("forms", "ida", **sent))
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        for answer in ("hall Blue", "guests 90", "F-7"):
            await chat.send(telegram.message_update(answer))
        card = await chat.shown(REQUESTER_ID, "was changed meanwhile")
        await chat.send(telegram.tap_update(card, "Keep this request's"))
        await chat.shown(REQUESTER_ID, "done")
        menu = {"text": "choose the menu for F-7", "id": next(ids)}
        await insist(lambda: room.post("messages", "ida", **menu))
        await room.wait_for(lambda m: "Already settled: Guests" in text_of(m))
        form = await room.card("clarify")
        fish = {"button": button(form, "submit"), "values": {"menu": "fish"}, "id": next(ids)}
        await insist(lambda: room.post("forms", "ida", **fish))
        await room.wait_for(lambda m: "menu" in text_of(m) and m["parts"][0]["state"] == "done")


async def read_case(settings: Settings) -> CaseDocument:
    async with open_parts(settings) as parts:
        return CaseDocument.model_validate_json(await parts.services.cases.read(CASE))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "point", ["mailbox.put", "handling.handle", "mailbox.commit", "outbox.sent"]
)
async def test_a_case_takes_each_letter_once(
    redis: Redis,
    redis_server: EmbeddedServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    tmp_path: Path,
    point: str,
    when: str,
) -> None:
    accounts = {"otto": f"telegram: ['{REQUESTER_ID}']"}
    folder = write_feast(tmp_path / "kitchen", BY_FEAST, accounts=accounts)
    settings = settings_in(
        tmp_path,
        redis_server,
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
        partitions=64,
        **telegram_settings(telegram),
    )
    own = {name.upper(): value for name, value in telegram_settings(telegram).items()}
    async with web_here(settings), dying("worker", settings, f"{when} {point}", **own) as ends:
        await walk(f"http://127.0.0.1:{settings.port}", telegram, http)
        await still(settings)
        assert ends == [-signal.SIGKILL]
    case = await read_case(settings)
    assert case.values == {"feast": "F-7", "guests": 90, "hall": "Blue", "menu": "fish"}
    assert [run.end for run in case.runs] == ["done", "done", "done"]
    # Each run: one letter for what it knew or asked, one for its end, and one that was in conflict.
    assert case.version == sum(case.taken.values())
