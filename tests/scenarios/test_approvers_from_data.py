"""Who approves is said by data: a field, the requester's entry in people.yaml, or a tool."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from bot.settings import Settings
from tests.bot.signoff_process import ended
from tests.fakes.admin_client import TOKEN, AdminClient
from tests.fakes.admin_sight import audit
from tests.fakes.garage import (
    APPROVE,
    ASK,
    MAIN,
    PEOPLE,
    TOOLS,
    bookings,
    write_garage,
    write_project,
)
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start, running

OLGA = "  - {id: olga, name: Olga, web: olga.k, roles: [], label: {zh: 经理, en: manager}}\n"
STAFF = PEOPLE.replace("    web: mia\n", "    web: mia\n    manager: olga\n") + OLGA
WITH_FIELD = MAIN.replace(
    "  day: {", "  lead: {label: {zh: 负责人, en: Lead}, type: person, cues: [lead]}\n  day: {"
).replace("checkpoints: [bay, day]", "checkpoints: [bay, day, lead]")
ASK_LEAD = ASK.replace("[bay, day]", "[bay, day, lead]")
KEEPERS = (
    TOOLS
    + """\
find_keeper:
  description: Who keeps a bay.
  reads: {connection: workshop, sql: "SELECT keeper FROM keepers WHERE bay = :bay"}
  arguments:
    bay: {label: {zh: 工位, en: Bay}}
  result: many
  columns:
    keeper: {label: {zh: 管理员, en: Keeper}}
"""
)
BY_MANAGER = "review: {person: $requester.manager}"
BY_TOOL = "review: {person: {tool: find_keeper, with: {bay: $bay}, column: keeper}}"


def approved_by(review: str) -> str:
    return APPROVE.replace("review: {roles: [foreman]}", review)


def garage(folder: Path, review: str, **changed: str) -> Path:
    files = {"people.yaml": STAFF, "hoists/skills/approve-booking.yaml": approved_by(review)}
    return write_garage(folder / "garage", **{**files, **changed})


def keep(folder: Path, *keepers: tuple[str, str]) -> None:
    with closing(sqlite3.connect(folder / "workshop.sqlite3")) as db, db:
        db.execute("CREATE TABLE keepers (bay TEXT, keeper TEXT)")
        db.executemany("INSERT INTO keepers VALUES (?, ?)", keepers)


async def serve(start: Start, folder: Path, **changed: Path) -> Service:
    given = {"playbooks": folder, "people": folder / "people.yaml", **changed}
    return await start(**given)


async def book(room: WebRoom, person: str = "mia", **more: str) -> None:
    await room.say(person, "please book a hoist")
    form = await room.card("clarify")
    await room.fill(person, form, "submit", bay="B2", day="2026-12-01", **more)


async def refused(room: WebRoom, person: str, card: dict[str, object]) -> bool:
    return (await room.tap(person, card, "approve"))[1]["ok"] is False


async def stopped(room: WebRoom) -> str:
    return text_of(await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"])))


async def test_the_requesters_manager_approves_and_nobody_else(
    start: Start, tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await book(room)
        card = await room.card("confirm")
        assert "Olga" in text_of(card)
        assert await refused(room, "mia", card)
        assert await refused(room, "fred", card)
        assert bookings(folder) == []
        for person, waits in (("olga.k", True), ("fred", False)):
            listed = {"room": "main", "person": person}
            async with http.get(f"{service.url}/chat/inbox", params=listed) as answer:
                assert bool((await answer.json())["cards"]) is waits
        assert (await room.tap("olga.k", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    assert bookings(folder) == [("B2", "2026-12-01", "mia")]


async def test_who_asked_just_confirms_and_nobody_else(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, "review: {person: $requester, four_eyes: false}")
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await book(room)
        card = await room.card("confirm")
        assert [button["label"] for button in card["buttons"]] == ["Confirm", "Cancel"]
        assert "Mia: please confirm" in text_of(card)
        assert await refused(room, "fred", card)
        await room.wait_for(lambda m: any("check it and confirm" in p["html"] for p in m["parts"]))
        assert (await room.tap("mia", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    assert bookings(folder) == [("B2", "2026-12-01", "mia")]


async def test_who_has_no_manager_is_told_so_and_nobody_is_asked(
    start: Start, tmp_path: Path
) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await room.say("fred", "please book a hoist")
        form = await room.card("clarify")
        assert "Nobody could approve this as things stand" in text_of(form)
        assert "Fred has no manager in people.yaml" in text_of(form)
        await room.fill("fred", form, "submit", bay="B2", day="2026-12-01")
        assert "Fred has no manager in people.yaml" in await stopped(room)
    assert bookings(folder) == []


async def test_who_has_one_is_told_nothing_of_it(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    async with WebRoom((await serve(start, folder)).url) as room:
        await room.say("mia", "please book a hoist")
        assert "could approve" not in text_of(await room.card("clarify"))


async def test_who_alone_holds_the_role_is_told_before_the_form_is_filled_in(
    start: Start, tmp_path: Path
) -> None:
    folder = garage(tmp_path, "review: {roles: [foreman]}")
    async with WebRoom((await serve(start, folder)).url) as room:
        await room.say("fred", "please book a hoist")
        form = text_of(await room.card("clarify"))
        assert "nobody but the requester holds the role foreman" in form


async def test_a_tool_that_needs_the_form_is_asked_after_it(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, BY_TOOL, **{"hoists/tools.yaml": KEEPERS})
    keep(folder)
    async with WebRoom((await serve(start, folder)).url) as room:
        await room.say("mia", "please book a hoist")
        assert "could approve" not in text_of(await room.card("clarify"))


@pytest.mark.parametrize("lead", ["olga", "Olga"])
async def test_a_field_names_who_approves(start: Start, tmp_path: Path, lead: str) -> None:
    more = {"hoists/playbook.yaml": WITH_FIELD, "hoists/skills/ask-booking.yaml": ASK_LEAD}
    folder = garage(tmp_path, "review: {person: $lead}", **more)
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room, lead=lead)
        card = await room.card("confirm")
        assert await refused(room, "fred", card)
        assert (await room.tap("olga.k", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


async def test_who_names_themselves_may_not_approve(start: Start, tmp_path: Path) -> None:
    more = {"hoists/playbook.yaml": WITH_FIELD, "hoists/skills/ask-booking.yaml": ASK_LEAD}
    folder = garage(tmp_path, "review: {person: $lead}", **more)
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room, lead="mia")
        assert "Mia is the one to approve this" in await stopped(room)
    assert bookings(folder) == []


@pytest.mark.parametrize("result", ["many", "one"])
async def test_a_tool_names_who_approves(start: Start, tmp_path: Path, result: str) -> None:
    tools = KEEPERS.replace("result: many", f"result: {result}")
    folder = garage(tmp_path, BY_TOOL, **{"hoists/tools.yaml": tools})
    keep(folder, ("B2", "OLGA.K"))
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room)
        card = await room.card("confirm")
        assert await refused(room, "fred", card)
        with closing(sqlite3.connect(folder / "workshop.sqlite3")) as db, db:
            db.execute("UPDATE keepers SET keeper = 'fred'")
        assert await refused(room, "fred", card)
        assert (await room.tap("olga.k", card, "approve"))[1]["ok"]


async def test_who_asked_just_confirms_where_a_tool_names_them(
    start: Start, tmp_path: Path
) -> None:
    review = BY_TOOL.replace("review: {", "review: {four_eyes: false, ")
    folder = garage(tmp_path, review, **{"hoists/tools.yaml": KEEPERS})
    keep(folder, ("B2", "mia"))
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room)
        card = await room.card("confirm")
        assert "Mia: please confirm" in text_of(card)
        assert [each["label"] for each in card["buttons"]] == ["Confirm", "Cancel"]
        asked = await room.wait_for(
            lambda m: any("check it and confirm" in p["html"] for p in m["parts"])
        )
        assert "waiting for review" not in text_of(asked)
        _, told = await room.tap("mia", card, "reject")
        assert told["ok"], told
        await room.wait_for(lambda m: any(part["state"] == "cancelled" for part in m["parts"]))


@pytest.mark.parametrize(
    ("keepers", "told"),
    [
        ((), "names nobody who could approve this"),
        ((("B2", ""),), "names nobody who could approve this"),
        ((("B2", "<script>ivan"),), "nobody in people.yaml"),
        ((("B2", "olga"), ("B2", "fred")), "names 2 people"),
        ((("B2", "mia"),), "Mia is the one to approve this"),
        (None, "did not say who approves this"),
    ],
)
async def test_a_tool_that_names_nobody_stops_the_run_and_says_why(
    start: Start, tmp_path: Path, keepers: tuple[tuple[str, str], ...] | None, told: str
) -> None:
    folder = garage(tmp_path, BY_TOOL, **{"hoists/tools.yaml": KEEPERS})
    if keepers is not None:
        keep(folder, *keepers)
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room)
        assert told in await stopped(room)
        assert not any(m["card"] and m["card"]["kind"] == "confirm" for m in room.shown.values())
    assert bookings(folder) == []


async def test_who_left_the_file_since_may_not_approve(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await book(room)
        card = await room.card("confirm")
    later = tmp_path / "later.yaml"
    moved = STAFF.replace("manager: olga", "manager: fred").replace("id: olga,", "id: olga2,")
    later.write_text(moved, encoding="utf-8")
    after = await serve(start, folder, people=later)
    async with WebRoom(after.url) as room:
        assert await refused(room, "olga.k", card)
        assert await refused(room, "fred", card)
    async with WebRoom(service.url) as room:
        assert (await room.tap("olga.k", card, "approve"))[1]["ok"]


async def test_the_audit_says_why_that_person(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, BY_TOOL, **{"hoists/tools.yaml": KEEPERS})
    keep(folder, ("B2", "olga"))
    service = await serve(start, folder)
    async with WebRoom(service.url) as room:
        await book(room)
        await room.card("confirm")
        ((run, _),) = await service.parts.services.decisions.active_runs("web:local:main")
        entries = await audit(service, run)
    why = "approve waits for olga, by keeper of find_keeper"
    assert why in [entry.get("why") for entry in entries]


async def test_a_named_person_hands_the_card_over(start: Start, tmp_path: Path) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room)
        card = await room.card("confirm")
        await room.say("olga.k", "/handover Fred")
        await room.wait_for(lambda m: bool(m["card"]) and "Fred" in m["card"]["note"])
        assert await refused(room, "mia", card)
        assert (await room.tap("fred", card, "approve"))[1]["ok"]


async def test_a_named_persons_delegate_stands_in(start: Start, tmp_path: Path) -> None:
    away = STAFF.replace("roles: [], label", "delegate: {person: fred}, label")
    folder = garage(tmp_path, BY_MANAGER, **{"people.yaml": away})
    async with WebRoom((await serve(start, folder)).url) as room:
        await book(room)
        card = await room.card("confirm")
        assert (await room.tap("fred", card, "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


async def test_validate_says_who_would_have_nobody(tmp_path: Path) -> None:
    approve = "hoists/skills/approve-booking.yaml"
    files = {"people.yaml": STAFF, f"playbooks/{approve}": approved_by(BY_MANAGER)}
    write_project(tmp_path / "garage", **files)
    checked = await ended(tmp_path, "validate", "garage")
    assert checked.status == 0
    told = [line for line in (checked.out + checked.err).splitlines() if "asks for" in line]
    assert told == [
        f"warning: playbooks/{approve}:12: sop.nodes.approve.review.person: nobody could approve "
        "what fred, olga asks for: no such manager in people.yaml"
    ]


async def test_nobody_decides_for_a_named_approver_who_has_left_until_an_admin_names_another(
    start: Start, tmp_path: Path, new_settings: Callable[..., Settings]
) -> None:
    folder = garage(tmp_path, BY_MANAGER)
    given = {"playbooks": folder, "people": folder / "people.yaml", "admin_token": TOKEN}
    async with running(new_settings(**given)) as service, WebRoom(service.url) as room:
        await book(room)
        card = await room.card("confirm")
    (folder / "people.yaml").write_text(PEOPLE, encoding="utf-8")
    service = await start(**given)
    async with WebRoom(service.url) as room, AdminClient(service.url) as admin:
        told = await room.wait_for(lambda m: "is no longer in people.yaml" in text_of(m))
        assert "olga is no longer" in text_of(told)
        for person in ("mia", "fred"):
            assert await refused(room, person, card)
        await admin.sign_in()
        stored = await service.parts.services.decisions.card(card["token"])
        assert stored is not None
        path = f"/runs/{stored.card.run}"
        page = await admin.get(f"{path}?lang=en")
        for taker in ("mia", "olga"):
            await admin.press(
                page, f"{path}/reassign", card=card["token"], giver="olga", taker=taker
            )
            assert await refused(room, "mia", card)
        await admin.press(page, f"{path}/reassign", card=card["token"], giver="olga", taker="fred")
        now = await room.wait_for(lambda m: bool(m["card"]) and "Fred" in text_of(m["card"]))
        assert (await room.tap("fred", now["card"], "approve"))[1]["ok"]
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
        entries = await audit(service, stored.card.run)
        (entry,) = [each for each in entries if each.get("event") == "reassigned"]
        assert (entry["for"], entry["given_to"]) == ("olga", "fred")
        await book(room)
        assert "no manager in people.yaml" in await stopped(room)
    assert bookings(folder) == [("B2", "2026-12-01", "mia")]
