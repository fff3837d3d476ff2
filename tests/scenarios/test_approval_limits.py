"""Above a limit another person has to approve as well, and what cannot be told is above it."""

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.admin_sight import audit
from tests.fakes.garage import APPROVE, ASK, MAIN, PEOPLE, bookings, write_garage
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_case_questions import ask

STAFF = PEOPLE.replace("people:\n", "  - {id: owner, zh: 老板, en: owner}\npeople:\n").replace(
    "    web: mia\n", "    web: mia\n    manager: fred\n"
)
STAFF += """\
  - {id: olga, name: Olga, web: olga, roles: [owner], label: {zh: 老板, en: owner}}
  - {id: otto, name: Otto, web: otto, roles: [owner, foreman], label: {zh: 老板, en: owner}}
"""
COST = "  cost: {label: {zh: 费用, en: Cost}, type: money, required: false}\n  day: {"
WITH_COST = MAIN.replace("  day: {", COST)
ASK_COST = ASK.replace("[bay, day]\nask", "[bay, day, cost]\nask").replace(
    "fields: [bay, day]", "fields: [bay, day, cost]"
)
ABOVE = "review: {roles: [foreman], also: [{roles: [owner], above: {cost: 500 EUR}}]}"
WHEN = (
    "review: {roles: [foreman], also: [{roles: [owner],"
    ' when: {logic: {">": [{var: cost.value}, 500]}}}]}'
)


async def serve(start: Start, folder: Path, review: str) -> Service:
    files = {
        "people.yaml": STAFF,
        "hoists/playbook.yaml": WITH_COST,
        "hoists/skills/ask-booking.yaml": ASK_COST,
        "hoists/skills/approve-booking.yaml": APPROVE.replace("review: {roles: [foreman]}", review),
    }
    write_garage(folder, **files)
    return await start(playbooks=folder, people=folder / "people.yaml")


async def book(room: WebRoom, cost: str, person: str = "mia") -> Message:
    await room.say(person, "please book a hoist")
    form = await room.card("clarify")
    await room.fill(person, form, "submit", bay="B2", day="2026-12-01", cost=cost)
    return await room.card("confirm")


async def approves(room: WebRoom, person: str, card: Message) -> dict[str, Any]:
    return (await room.tap(person, card, "approve"))[1]


async def done(room: WebRoom) -> None:
    await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


@pytest.mark.parametrize("review", [ABOVE, WHEN])
async def test_up_to_the_limit_one_approves(start: Start, tmp_path: Path, review: str) -> None:
    async with WebRoom((await serve(start, tmp_path, review)).url) as room:
        card = await book(room, "500 EUR")
        assert "owner" not in text_of(card)
        assert (await approves(room, "olga", card))["ok"] is False
        assert (await approves(room, "fred", card))["ok"]
        await done(room)
    assert len(bookings(tmp_path)) == 1


@pytest.mark.parametrize(
    ("review", "cost"),
    [(ABOVE, "500.01 EUR"), (ABOVE, "20 USD"), (ABOVE, ""), (WHEN, "501 EUR"), (WHEN, "")],
)
async def test_above_it_or_where_it_cannot_be_told_another_has_to_as_well(
    start: Start, tmp_path: Path, review: str, cost: str
) -> None:
    async with WebRoom((await serve(start, tmp_path, review)).url) as room:
        card = await book(room, cost)
        assert "owner" in text_of(card)
        assert (await approves(room, "fred", card))["ok"]
        assert bookings(tmp_path) == []
        assert (await approves(room, "olga", card))["ok"]
        await done(room)
    assert len(bookings(tmp_path)) == 1


async def test_after_one_of_two_votes_only_who_still_has_to_decide_is_named(
    start: Start, tmp_path: Path
) -> None:
    service = await serve(start, tmp_path, ABOVE)
    async with WebRoom(service.url) as room:
        card = await book(room, "900 EUR")
        assert "foreman, owner" in card["note"]
        assert (await approves(room, "fred", card))["ok"]
        message = await room.wait_for(lambda m: bool(m["card"]) and "Fred" in m["card"]["note"])
        note = message["card"]["note"]
        assert "owner" in note
        assert "foreman" not in note
        told = await ask(room, "mia", "who has to approve it?")
        assert "waiting for owner (Olga, Otto)" in told
        assert "foreman" not in told


async def test_two_of_the_same_role_are_not_enough(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path, ABOVE)
    async with WebRoom(service.url) as room:
        card = await book(room, "900 EUR")
        assert (await approves(room, "olga", card))["ok"]
        # Otto is an owner and a foreman: of him the foreman's vote is needed.
        assert (await approves(room, "otto", card))["ok"]
        await done(room)
    assert len(bookings(tmp_path)) == 1


async def test_a_vote_that_is_given_is_not_given_again(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path, ABOVE.replace("[foreman]", "[foreman, mechanic]"))
    async with WebRoom(service.url) as room:
        card = await book(room, "900 EUR", "otto")
        assert (await approves(room, "mia", card))["ok"]
        refused = await approves(room, "fred", card)
        assert refused["ok"] is False
        assert "given already" in str(refused)
        assert (await approves(room, "otto", card))["ok"] is False
        assert bookings(tmp_path) == []
        assert (await approves(room, "olga", card))["ok"]
        await done(room)


async def test_one_person_is_not_two(start: Start, tmp_path: Path) -> None:
    review = "review: {person: $requester.manager, also: [{roles: [foreman]}]}"
    service = await serve(start, tmp_path, review)
    async with WebRoom(service.url) as room:
        card = await book(room, "1 EUR")
        assert (await approves(room, "fred", card))["ok"]
        assert (await approves(room, "fred", card))["ok"]
        assert bookings(tmp_path) == []
        assert (await approves(room, "otto", card))["ok"]
        await done(room)


async def test_the_audit_says_why_more_were_asked_or_not(start: Start, tmp_path: Path) -> None:
    service = await serve(start, tmp_path, ABOVE)
    whys = []
    for room_name, cost in (("low", "1 EUR"), ("high", "900 EUR")):
        async with WebRoom(service.url, room_name) as room:
            await book(room, cost)
            ((run, _),) = await service.parts.services.decisions.active_runs(
                f"web:local:{room_name}"
            )
            whys += [entry.get("why", "") for entry in await audit(service, run)]
    assert any("foreman; not owner (cost is 1" in why for why in whys)
    assert any("foreman; owner (cost is 900" in why for why in whys)
