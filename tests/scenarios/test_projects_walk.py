"""Bridges, each a project of its own: bound while the service runs, seen by whom the file lets."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.fakes.bridges import write_bridges
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import Message, WebRoom, new_id, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_answers_walk import asked

Enter = Callable[[str], Awaitable[WebRoom]]
HIDDEN = "a project that you may not see"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_bridges(tmp_path / "bridges")


@pytest.fixture
async def begin(start: Start, folder: Path) -> Callable[[], Awaitable[Service]]:
    """Starts one more service over the same store."""

    async def one_more() -> Service:
        people = folder / "people.yaml"
        return await start(playbooks=folder, people=people, project="office")

    return one_more


@pytest.fixture
async def service(begin: Callable[[], Awaitable[Service]]) -> Service:
    return await begin()


@pytest.fixture
async def enter(service: Service) -> AsyncIterator[Enter]:
    """Enters rooms of the service."""
    async with AsyncExitStack() as stack:

        async def one(name: str) -> WebRoom:
            return await stack.enter_async_context(WebRoom(service.url, name))

        yield one


async def bind(room: WebRoom, project: str) -> None:
    """An admin says whose the room is; another's answer may arrive meanwhile."""
    known = set(room.shown)
    await room.say("ada", f"/project {project}")

    def is_bound(message: Message) -> bool:
        new = any(view is message for key, view in room.shown.items() if key not in known)
        return new and "belongs to project" in text_of(message)

    await room.wait_for(is_bound)


async def refusal(room: WebRoom, person: str, text: str) -> str:
    """What is answered to a message that is not taken."""
    status, told = await room.post("messages", person, text=text, id=new_id())
    assert status == 200, told
    return str(told["text"])


async def note_crack(room: WebRoom, person: str, engineer: str, **crack: str) -> None:
    """A crack is reported, and what is to be known of it remembered."""
    await room.say(person, "please report a crack")
    await room.fill(person, await room.card("clarify"), "submit", **crack)
    card = await room.wait_for(lambda m: reviewed(m) and crack["note"] in text_of(m))
    _, told = await room.tap(engineer, card["card"], "approve")
    assert told["ok"], told
    await room.wait_for(lambda m: is_done(m) and crack["note"] in text_of(m))


def reviewed(message: Message) -> bool:
    return bool(message["card"]) and message["card"]["kind"] == "confirm"


def is_done(message: Message) -> bool:
    return any(part["state"] == "done" for part in message["parts"])


async def test_an_admin_binds_a_room_by_a_button_and_all_of_it_is_the_projects(
    enter: Enter, service: Service
) -> None:
    mill, ferry = await enter("mill"), await enter("ferry")
    await mill.say("ada", "/project")
    card = await mill.card("select")
    names = [button["label"] for button in card["buttons"]]
    assert {"Mill bridge", "Ferry bridge"} < set(names)
    assert "The office" not in names
    _, told = await mill.tap("ana", card, "1")
    assert not told["ok"]
    wanted = str(names.index("Mill bridge") + 1)
    assert (await mill.tap("ada", card, wanted))[1]["ok"]
    await mill.wait_for(lambda m: "belongs to project Mill bridge now" in text_of(m))
    await bind(ferry, "Ferry bridge")

    # The guide of the playbook is both bridges'.
    for room, person in ((mill, "ana"), (ferry, "bo")):
        assert "brass gauge" in await asked(room, person, "how is a crack measured?")
    # What was remembered, and found, is one bridge's.
    await note_crack(mill, "ana", "eva", pier="P1", width="9", note="The key is with the miller")
    assert "miller" in await asked(mill, "ana", "what do you remember?")
    assert "miller" not in await asked(ferry, "bo", "what do you remember?")
    findings = service.parts.store.findings

    async def found() -> bool:
        return (await findings.of("north-1", 5)).findings == 1

    await until(found)
    assert (await findings.of("south-1", 5)).findings == 0
    assert "wider than 5 mm" in await asked(mill, "eva", "/pending")
    assert "wider than 5 mm" not in await asked(ferry, "edo", "/pending")
    # And so are its files.
    await mill.share("ana", "", plan__csv=b"pier,width\nP1,9\n")
    await mill.wait_for(lambda m: "plan.csv" in text_of(m))
    assert "plan.csv" in await asked(mill, "ana", "which files are there?")
    await bind(mill, "south-1")
    assert "plan.csv" not in await asked(mill, "bo", "which files are there?")


async def test_who_may_not_see_a_project_is_told_so_and_nothing_else(
    enter: Enter, service: Service
) -> None:
    mill, other = await enter("mill"), await enter("other")
    await bind(mill, "north-1")
    await mill.say("ana", "please report a crack")
    form = await mill.card("clarify")
    for said in ("what do you remember?", "please report a crack", "/stop", "/help"):
        assert HIDDEN in await refusal(mill, "bo", said)
    assert "crack" not in await asked(mill, "bo", "/runs")
    assert "crack" not in await asked(mill, "bo", "/cancel")
    await mill.fill("ana", form, "submit", pier="P1", width="2", note="A swallow nests there")
    card = await mill.card("confirm")
    for person in ("bo", "edo"):
        _, told = await mill.tap(person, card, "approve")
        assert not told["ok"]
        assert "project that you may not see" in told["text"]
    # Edo is an engineer too, but of the other bridges.
    assert "Nothing waits for you" in await asked(other, "edo", "/pending")
    assert "swallow" in await inbox(other, "eva")
    assert "swallow" not in await inbox(other, "edo")
    assert (await mill.tap("eva", card, "approve"))[1]["ok"]
    for person, status in (("bo", 403), ("ana", 200)):
        params = {"room": "mill", "person": person}
        async with mill._session.get("/chat/history", params=params) as answer:
            assert answer.status == status


async def inbox(room: WebRoom, person: str) -> str:
    """What waits for the person, as the page lists it."""
    async with room._session.get("/chat/inbox", params={"person": person}) as answer:
        return await answer.text()


async def test_a_binding_outlives_a_restart_and_holds_in_every_process_at_once(
    service: Service, begin: Callable[[], Awaitable[Service]]
) -> None:
    async with WebRoom(service.url, "mill") as here:
        await bind(here, "north-1")
        second = await begin()
        async with WebRoom(second.url, "mill") as there:
            await note_crack(there, "ana", "eva", pier="P2", width="1", note="Mind the weir")
            assert "weir" in await asked(here, "ana", "what do you remember?")
            # By the other process, and the next message belongs to it already.
            await bind(there, "south-1")
            await here.wait_for(lambda m: "Ferry bridge now" in text_of(m))
            assert "weir" not in await asked(here, "edo", "what do you remember?")


async def test_what_a_project_may_not_run_is_told_and_where_it_can(enter: Enter) -> None:
    mill, office = await enter("mill"), await enter("desk")
    await bind(mill, "north-1")
    told = await asked(mill, "ana", "please open a new bridge")
    assert "which has no “Opening”" in told
    assert "The office" in told
    await office.say("ana", "please open a new bridge")
    await office.card("clarify")


async def test_a_run_adds_a_project_once_it_is_approved_and_the_room_is_the_projects(
    enter: Enter, service: Service
) -> None:
    desk = await enter("desk")
    await desk.say("eva", "please open a new bridge")
    form = await desk.card("clarify")
    await desk.fill("eva", form, "submit", number="north-7", title="Weir bridge")
    card = await desk.card("confirm")
    assert "north-7" in text_of(card)
    assert not (await desk.tap("eva", card, "approve"))[1]["ok"]
    assert "The office" in await asked(desk, "eva", "/project")
    assert (await desk.tap("ada", card, "approve"))[1]["ok"]
    await desk.wait_for(lambda m: "was added, and this conversation belongs to it" in text_of(m))
    assert "Weir bridge" in await asked(desk, "eva", "/project")
    assert HIDDEN in await refusal(desk, "edo", "what do you remember?")
    await note_crack(desk, "ana", "eva", pier="P1", width="1", note="The ferryman waves")
    assert "ferryman" in await asked(desk, "ana", "what do you remember?")
    changes = await service.parts.store.projects.changes(5)
    assert [(c.what, c.project, c.by) for c in changes] == [("added", "north-7", "ada")]


async def test_an_id_that_is_taken_is_refused_before_anybody_is_asked(enter: Enter) -> None:
    desk = await enter("desk")
    await desk.say("eva", "please open a new bridge")
    form = await desk.card("clarify")
    await desk.fill("eva", form, "submit", number="NORTH-1", title="Another")
    await desk.wait_for(lambda m: "There is a project NORTH" in text_of(m))
    assert not any(reviewed(message) for message in desk.shown.values())


async def test_a_run_stays_in_the_project_where_it_began(enter: Enter) -> None:
    room = await enter("mill")
    await bind(room, "north-1")
    await room.say("ana", "please report a crack")
    form = await room.card("clarify")
    await room.fill("ana", form, "submit", pier="P3", width="1", note="Owls in the vault")
    card = await room.card("confirm")
    await bind(room, "south-1")
    # Neither the new project's people see it, nor is it theirs to decide.
    assert "P3" not in await asked(room, "bo", "/runs")
    assert not (await room.tap("edo", card, "approve"))[1]["ok"]
    assert (await room.tap("eva", card, "approve"))[1]["ok"]
    await room.wait_for(is_done)
    assert "Owls" not in await asked(room, "bo", "what do you remember?")
    await bind(room, "north-1")
    assert "Owls" in await asked(room, "ana", "what do you remember?")


async def test_a_room_that_is_one_persons_is_listed_no_more_once_they_may_not_see_it(
    enter: Enter,
) -> None:
    room = await enter("mill")
    await room.say("bo", "hello")
    await room.wait_for(lambda m: any(part["state"] == "answered" for part in m["parts"]))

    async def rooms(person: str) -> list[str]:
        params = {"person": person}
        async with room._session.get("/chat/conversations", params=params) as answer:
            body = await answer.json()
        return [entry["room"] for entry in body["conversations"]]

    assert "mill" in await rooms("bo")
    await bind(room, "north-1")
    assert "mill" not in await rooms("bo")
