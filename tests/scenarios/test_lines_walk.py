"""The worked example in CONTRIBUTING.md as people meet it: typed lines, printed answers."""

from pathlib import Path

from tests.fakes.lines import PASSPHRASE, Line, registered
from tests.fakes.ports import free_port
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import ROOT, Start, admitting

LINES = "{platforms: [lines]}"
ASK = "Show me the ECOG of P003, then record today's visit"


def on(port: int) -> dict[str, object]:
    """The settings of the platform."""
    return {"lines_passphrase": PASSPHRASE, "lines_port": port}


async def test_a_visit_is_asked_for_by_lines_and_approved_in_the_web_chat(
    start: Start, tmp_path: Path
) -> None:
    port = free_port()
    with registered(tmp_path):
        service = await start(**on(port), people=admitting(tmp_path, LINES))
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
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert visits[-1].weight_kg == 61.5


async def test_who_connects_again_sees_what_was_shown(start: Start, tmp_path: Path) -> None:
    port = free_port()
    with registered(tmp_path):
        await start(**on(port), people=admitting(tmp_path, LINES))
        async with Line(port, "main", "ana") as line:
            await line.ask("Show me the ECOG of P003")
            await line.wait_for(lambda: line.shows("ECOG of P003"))
        async with Line(port, "main", "bo") as line:
            await line.wait_for(lambda: line.shows("ECOG of P003"))
        async with Line(port, "other", "ana") as line:
            assert await line.ask("/help") == "ok"
            await line.wait_for(lambda: line.shows("/cancel"))
            assert not line.shows("ECOG of P003: **1**")


async def test_people_have_accounts_there_and_are_reached_and_decide_by_them(
    start: Start, tmp_path: Path
) -> None:
    port = free_port()
    with registered(tmp_path):
        service = await start(**on(port), people=having_accounts(tmp_path, "lin", "chen"))
        async with Line(port, "lin", "lin") as lin, Line(port, "chen", "chen") as chen:
            assert await lin.ask(ASK) == "ok"
            await lin.wait_for(lambda: lin.shows("[1] "))
            assert (await lin.ask("1")).startswith("? ")
            assert (await lin.ask("3 2 | 61.5 | 121 | 77")).startswith("* ")

            await chen.wait_for(lambda: chen.shows("] Approve"))
            assert chen.shows("the terminal's room lin")
            assert (await chen.ask(chen.number("Approve"))).startswith("* ")
            await lin.wait_for(lambda: lin.shows("Visit recorded"))
            assert lin.shows("> 陈博 / Chen Bo: Approve")
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert visits[-1].weight_kg == 61.5


def having_accounts(folder: Path, *persons: str) -> Path:
    """The sample people in a file of the folder, where these have accounts of lines as well."""
    text = (ROOT / "playbooks" / "people.yaml").read_text(encoding="utf-8")
    for person in persons:
        line = f"    web: {person}\n"
        assert line in text
        text = text.replace(line, f'{line}    lines: ["local:{person}"]\n')
    path = folder / "people-with-lines.yaml"
    path.write_text(text, encoding="utf-8")
    return path
