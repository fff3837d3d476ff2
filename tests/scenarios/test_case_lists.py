"""A person's cases stand in their lists, with where each stands, above its requests."""

from pathlib import Path

import aiohttp

from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on
from tests.scenarios.test_case_questions import plan, planned
from tests.scenarios.test_mine_walk import listed


async def page_of(service: Service, person: str) -> list[dict[str, str]]:
    """What the page's "My requests" has."""
    async with aiohttp.ClientSession() as http:
        query = {"person": person, "lang": "en"}
        async with http.get(f"{service.url}/chat/mine", params=query) as answer:
            cards: list[dict[str, str]] = (await answer.json())["cards"]
    return cards


async def test_requests_stand_below_their_case_with_where_it_stands_and_a_way_on(
    start: Start, tmp_path: Path
) -> None:
    service = await planned(start, tmp_path / "choir")
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await plan(room, service)
        await room.say("mia", "book the hotel")
        await room.wait_for(lambda m: bool(m["card"]) and '"Hotel"' in text_of(m["card"]))
        for shown in (room, other):
            told = text_of(await listed(shown, "mia", "/mine", "Settled"))
            assert "Choir tour" in told
            assert "Settled: Plan. Not settled yet: Hotel." in told
            assert told.index("Choir tour") < told.index("Book the hotel") < told.index("Plan a")
            assert "/?room=main" in told
            assert "Under way" not in told
        assert "Settled" not in text_of(await listed(other, "jon", "/mine", "nothing"))
        titles = [card["title"] for card in await page_of(service, "mia")]
        assert titles[0] == "Choir tour"
        assert len(titles) == 3
        head = (await page_of(service, "mia"))[0]
        assert "Settled: Plan." in text_of(head)
        assert "/?room=main" in text_of(head)
        assert await page_of(service, "jon") == []
        await room.say("mia", "/cancel")
        await nothing_goes_on(service)
        assert (await page_of(service, "mia"))[0]["title"] == "Choir tour"
