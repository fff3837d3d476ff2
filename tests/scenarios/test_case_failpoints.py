"""A worker that ends at any named point changes nothing of what a case has (design §12)."""

import signal
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from bot.wiring.service import open_parts
from engine.frames.case import CaseDocument
from tests.fakes.feast import BY_FEAST, write_feast
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.test_failpoints import dying, insist, settings_in, still, web_here

CASE = "KITCHEN/feast/feast/F-7"
LETTERS = 6
"""Two of each of the three requests: what was changed, and how it ended."""


async def walk(port: int) -> None:
    """Two settle the guests at once, and differ; one of them goes on to the menu."""
    url = f"http://127.0.0.1:{port}"
    async with WebRoom(url) as room, WebRoom(url, "second") as other:
        ids = iter([new_id() for _ in range(9)])
        rooms = {"ida": room, "otto": other}
        forms = {}
        for who, at in rooms.items():
            said = {"text": "count the guests", "id": next(ids)}
            await insist(lambda at=at, who=who, said=said: at.post("messages", who, **said))
            forms[who] = await at.card("clarify")
        for who, guests in (("ida", "80"), ("otto", "90")):
            values = {"feast": "F-7", "guests": guests, "hall": "Blue"}
            sent = {"button": button(forms[who], "submit"), "values": values, "id": next(ids)}
            await insist(lambda who=who, sent=sent: rooms[who].post("forms", who, **sent))
            if who == "ida":
                await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        card = await other.card("select")
        tap = {"button": button(card, "mine"), "id": next(ids)}
        await insist(lambda: other.post("taps", "otto", **tap))
        await other.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        said = {"text": "choose the menu for F-7", "id": next(ids)}
        await insist(lambda: room.post("messages", "ida", **said))
        await room.wait_for(lambda m: "Already settled: Guests" in text_of(m))
        form = await room.card("clarify")
        sent = {"button": button(form, "submit"), "values": {"menu": "fish"}, "id": next(ids)}
        await insist(lambda: room.post("forms", "ida", **sent))
        await room.wait_for(lambda m: "menu" in text_of(m) and m["parts"][0]["state"] == "done")


async def read_case(settings: Settings) -> CaseDocument:
    async with open_parts(settings) as parts:
        return CaseDocument.model_validate_json(await parts.services.cases.read(CASE))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "point", ["mailbox.put", "handling.handle", "mailbox.commit", "outbox.sent"]
)
async def test_a_case_takes_each_letter_once(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, point: str, when: str
) -> None:
    folder = write_feast(tmp_path / "kitchen", BY_FEAST)
    settings = settings_in(
        tmp_path,
        redis_server,
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
    )
    async with web_here(settings), dying("worker", settings, f"{when} {point}") as ends:
        await walk(settings.port)
        await still(settings)
        assert ends == [-signal.SIGKILL]
    case = await read_case(settings)
    assert case.values == {"feast": "F-7", "guests": 90, "hall": "Blue", "menu": "fish"}
    assert [run.end for run in case.runs] == ["done", "done", "done"]
    # Each run: one letter for what it knew or asked, one for its end, and one that was in conflict.
    assert case.version == sum(case.taken.values())
