"""Files that are shared where no request goes on: they join the case, or their sender is asked."""

import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import yaml

from engine.frames.case import CaseDocument
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import ROOT, Service, Start
from tests.scenarios.test_case_questions import ask, plan, planned
from tests.scenarios.test_cases import is_done

TOUR = "CHOIR/tour/conversation/web%3Alocal%3Amain"
STAND = "FAIRS/stand/fair/F-12"
RIDER = b"The hall has a Steinway grand piano.\n"
PLAN = b"The power sockets are behind the curtain.\n"


async def files_of(service: Service, case: str) -> tuple[str, ...]:
    """The names of the case's files, as it is stored."""
    body = await service.parts.services.cases.read(case)
    return CaseDocument.model_validate_json(body).files if body else ()


async def has_file(service: Service, case: str, name: str) -> None:
    """Wait until the case has the file."""

    async def known() -> bool:
        return name in await files_of(service, case)

    await until(known)


async def fairs(start: Start, folder: Path) -> Service:
    """The service of the fairs, with a project that not everybody may see, and one that all may."""
    shutil.copytree(ROOT / "examples/cookbook/case", folder)
    path = folder / "people.yaml"
    people = yaml.safe_load(path.read_text())
    people["people"].append({"id": "guest", "name": "Gil", "web": "gil"})
    people["projects"] = [
        {"project": "FAIRS", "people": ["ida", "otto", "max"]},
        {"project": "CANTEEN", "everybody": True},
    ]
    path.write_text(yaml.safe_dump(people))
    return await start(
        playbooks=folder / "playbooks",
        people=path,
        project="FAIRS",
        languages=("en",),
        timezone="Europe/Berlin",
        projects=(("web:local:open", "CANTEEN"),),
    )


async def settle(room: WebRoom, fair: str = "F-12") -> None:
    await room.say("ida", "settle the size of the stand")
    await room.fill("ida", await room.card("clarify"), "submit", fair=fair, metres="40")
    await room.wait_for(is_done)


async def test_a_file_alone_joins_the_case_of_its_conversation(
    start: Start, tmp_path: Path
) -> None:
    service = await planned(start, tmp_path / "choir")
    async with WebRoom(service.url) as room:
        await room.share("mia", "", early__txt=RIDER)
        await room.wait_for(lambda message: "early.txt" in text_of(message))
        await plan(room, service)
        await room.share("mia", "", rider__txt=RIDER)
        shown = await room.wait_for(lambda message: "belong to this case" in text_of(message))
        assert "Choir tour" in text_of(shown)
        await has_file(service, TOUR, "rider.txt")
        # What came before there was a case is the conversation's alone.
        assert await files_of(service, TOUR) == ("rider.txt",)
        await room.share("jon", "does the hall have a piano?", bus__txt=PLAN)
        await room.wait_for(lambda message: "Steinway" in text_of(message))
        await has_file(service, TOUR, "bus.txt")


async def test_where_no_request_was_made_the_sender_is_asked_which_case_a_file_is_for(
    start: Start, tmp_path: Path
) -> None:
    service = await fairs(start, tmp_path / "fair")
    async with AsyncExitStack() as stack:
        names = ("main", "second", "open")
        rooms = [await stack.enter_async_context(WebRoom(service.url, each)) for each in names]
        room, other, open_room = rooms
        await settle(room)
        await other.share("ida", "", plan__txt=PLAN)
        card = await other.card("select")
        assert "Which case is this for?" in text_of(card)
        assert [each["label"] for each in card["buttons"]] == [
            "Stands at fairs F-12",
            "None of these",
        ]
        assert await files_of(service, STAND) == ()
        _, told = await other.tap("otto", card, "1")
        assert not told["ok"]
        _, told = await other.tap("ida", card, "1")
        assert told["ok"], told
        await other.wait_for(lambda message: "belong to this case" in text_of(message))
        await has_file(service, STAND, "plan.txt")
        assert "behind the curtain" in await ask(room, "ida", "where are the sockets of F-12?")
        # Who has no case, or shares it in another project, is asked nothing.
        for person, place in (("otto", other), ("ida", open_room), ("gil", open_room)):
            await place.share(person, "", notes__txt=f"of {person}".encode())
            shown = await place.wait_for(lambda message: "notes" in text_of(message))
            assert shown["card"] is None
        assert await files_of(service, STAND) == ("plan.txt",)


async def test_a_file_that_its_sender_gives_to_none_stays_the_conversations(
    start: Start, tmp_path: Path
) -> None:
    service = await fairs(start, tmp_path / "fair")
    async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
        await settle(room)
        await other.share("ida", "", plan__txt=PLAN)
        _, told = await other.tap("ida", await other.card("select"), "none")
        assert told["ok"], told
        await other.card("select", closed=True)
        assert "behind the curtain" in await ask(other, "ida", "What is in plan.txt?")
        # Named with its case, it is asked of nobody.
        await other.share("ida", "the plan of F-12", plan__txt=PLAN)
        await other.wait_for(lambda message: "belong to this case" in text_of(message))
        await has_file(service, STAND, "plan.txt")
