"""The worked example in CONTRIBUTING.md as people meet it: typed lines, printed answers."""

from pathlib import Path

from tests.fakes.lines import Line, registered
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start, admitting

LINES = "{platforms: [lines]}"
ASK = "Show me the ECOG of P003, then record today's visit"


async def test_a_visit_is_asked_for_by_lines_and_approved_in_the_web_chat(
    start: Start, tmp_path: Path
) -> None:
    port = free_port()
    with registered(tmp_path):
        service = await start(port=port - 1, people=admitting(tmp_path, LINES))
        async with Line(port, "main", "ana") as line, WebRoom(service.url) as web:
            assert await line.ask(ASK) == "ok"
            await line.wait_for(lambda: line.shows("[1] Submit"))
            assert line.shows("> ECOG of P003: **1** (visit of 2026-10-28)")
            assert (await line.ask("1")).startswith("? Record a visit: what is missing: 3 ECOG")
            assert (await line.ask("3 two | 61.5 | 121 | 77")).startswith("? ecog: ")
            assert (await line.ask("3 2 | 61.5 | 121 | 77")).startswith("* ")

            card = await web.card("confirm")
            assert "the terminal's room main" in card["origin"]["html"]
            assert (await web.tap("chen", card, "approve"))[0] == 200
            await line.wait_for(lambda: line.shows("Visit recorded"))
            assert line.shows("> 陈博 / Chen Bo: Approve")
        visits = await service.parts.services.records.visits("P003")
        assert visits[-1].weight_kg == 61.5


async def test_who_connects_again_sees_what_was_shown(start: Start, tmp_path: Path) -> None:
    port = free_port()
    with registered(tmp_path):
        await start(port=port - 1, people=admitting(tmp_path, LINES))
        async with Line(port, "main", "ana") as line:
            await line.ask("Show me the ECOG of P003")
            await line.wait_for(lambda: line.shows("ECOG of P003"))
        async with Line(port, "main", "bo") as line:
            await line.wait_for(lambda: line.shows("ECOG of P003"))
        async with Line(port, "other", "ana") as line:
            assert await line.ask("/help") == "ok"
            await line.wait_for(lambda: line.shows("/cancel"))
            assert not line.shows("ECOG of P003: **1**")
