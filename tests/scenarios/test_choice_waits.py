"""A card of a talk waits for a week: over restarts, crashes, and then it ends by itself."""

from collections.abc import Callable

from bot.settings import Settings
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start, running, runs_in
from tests.scenarios.test_did_you_mean import NOTHING, another, asked, closed, part_is

WEEK_MS = 7 * 24 * 3_600_000


async def test_a_card_outlives_its_service(new_settings: Callable[..., Settings]) -> None:
    async with running(new_settings()) as service, WebRoom(service.url) as room:
        card = await asked(room)
    async with running(new_settings()) as service, WebRoom(service.url) as room:
        status, answer = await room.tap("lin", card, "1")
        assert (status, answer["ok"]) == (200, True)
        form = await room.card("clarify")
        assert "P003" in [row["value"] for row in form["rows"]]
        await closed(room)
        status, answer = await room.tap("lin", card, "none")
        assert (status, answer["ok"]) == (200, False)
        assert await runs_in(service, room) == 1


async def test_after_a_week_the_card_ends_and_says_so(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await asked(room)
        service.parts.store.scripts.offset_ms = WEEK_MS - 60_000
        await another(room)
        assert (await room.card("select"))["outcome"] == ""
        service.parts.store.scripts.offset_ms = WEEK_MS + 1000
        status, answer = await room.tap("lin", card, "1")
        assert (status, answer["ok"]) == (200, False)
        assert "过期" in answer["text"]
        assert "过期" in (await closed(room))["outcome"]
        await room.wait_for(part_is("cancelled", NOTHING["zh"]))
        # What was left comes back by no number either.
        await room.say("lin", "1")
        await room.wait_for(lambda m: m["card"] is None and "2026" not in text_of(m))
        assert await runs_in(service, room) == 0
