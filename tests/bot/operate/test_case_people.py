"""`signoff people export` and `erase` of who stands in a case that other people go on with."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from redis.asyncio import Redis

from adapters.clock import SystemClock
from adapters.redis.server.embedded import EmbeddedServer
from adapters.webchat.uploads import Uploads
from bot.operate.personal import PersonQuery, erase_person, export_person
from bot.settings import Settings
from cards.model import Card
from engine.events import MessageReceived
from engine.frames.case import CaseDocument
from tests.bot.operate.test_personal_data import everything
from tests.fakes.crank import Crank, cranked
from tests.fakes.feast import BY_FEAST, write_feast
from tests.fakes.settings import make_settings

CASE = "KITCHEN/feast/feast/F-7"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=[1, 64])
def settings(
    request: pytest.FixtureRequest, redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> Settings:
    folder = write_feast(tmp_path / "kitchen", BY_FEAST)
    file = folder / "people.yaml"
    people = yaml.safe_load(file.read_text("utf-8"))
    # Who holds a role that nobody else holds cannot be erased.
    people["people"].append({"id": "zoe", "name": "Zoe", "web": "zoe", "roles": ["chef"]})
    file.write_text(yaml.safe_dump(people), "utf-8")
    return make_settings(
        redis_url=redis_server.url,
        data_dir=tmp_path / "data",
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
        partitions=request.param,
    )


async def ask(crank: Crank, person: str, text: str, room: str) -> Card:
    """The form that answers it."""
    await crank.say(person, text, room)
    await crank.settled()
    return await crank.card(room)


async def settle(crank: Crank, person: str, guests: str, form: Card) -> None:
    values = {"feast": "F-7", "guests": guests, "hall": "Blue"}
    await crank.fill(person, form, "submit", values)
    await crank.settled()


async def read_case(crank: Crank) -> CaseDocument:
    return CaseDocument.model_validate_json(await crank.parts.services.cases.read(CASE))


async def lines_about(redis: Redis, person: str) -> list[str]:
    """Where the person's id or name stands as a word of its own."""
    word = re.compile(rf"(?i)(?<![a-z]){person}(?![a-z])")
    lines = (await everything(redis)).splitlines()
    return [
        f"{line.partition(chr(9))[0]}: {line[max(0, found.start() - 60) :][:120]}"
        for line in lines
        for found in word.finditer(line)
    ]


async def exported(settings: Settings, person: str, to: Path) -> str:
    """What the export says of cases."""
    assert await export_person(settings, PersonQuery(person), to=to) == 0
    return json.dumps(json.loads((to / "data.json").read_text())["cases"], ensure_ascii=False)


async def erased(
    settings: Settings, person: str, *, cancel: bool = False, names: tuple[str, ...] = ()
) -> int:
    return await erase_person(settings, PersonQuery(person, names=names), yes=True, cancel=cancel)


async def test_a_case_says_who_did_what_under_the_pseudonym_and_goes_on(
    settings: Settings, redis: Redis, tmp_path: Path
) -> None:
    async with cranked(settings, delivering=True) as crank:
        await settle(crank, "ida", "80", await ask(crank, "ida", "count the guests", "main"))
        form = await ask(crank, "otto", "draft an invitation for F-7", "other")
        await crank.fill("otto", form, "submit", {"menu": "fish"})
        await crank.settled()
        form = await crank.card("other")
        await crank.fill("otto", form, "submit", {"words": "Come!"})
        await crank.settled()
        await crank.tap("rosa", await crank.card("other"), "approve")
        await crank.settled()
        before = await read_case(crank)
        told = await exported(settings, "ida", tmp_path / "ida")
        assert '"requester": "ida"' in told
        assert "otto" not in told
        told = await exported(settings, "rosa", tmp_path / "rosa")
        assert '"choice": "approve"' in told
        for person in ("ida", "rosa"):
            assert await erased(settings, person) == 0
            assert await lines_about(redis, person) == []
        after = await read_case(crank)
        assert await lines_about(redis, "ida") == []
        assert (after.values, after.version, after.taken) == (
            before.values,
            before.version,
            before.taken,
        )
        assert {leaf.author.by for leaf in after.leaves.values()} == {"erased-1", "otto"}
        assert [(run.requester, run.requester_name) for run in after.runs] == [
            ("erased-1", "erased-1"),
            ("otto", "Otto"),
        ]
        assert [(each.by, each.name) for each in after.decided if each.choice == "approve"] == [
            ("erased-2", "erased-2")
        ]
        await crank.say("otto", "draft an invitation for F-7", "third")
        await crank.settled()
        form = await crank.card("third")
        assert "Words" in str(form.choices)
        assert "Hall" not in str(form.choices)


async def test_letters_under_way_are_waited_for(
    settings: Settings, redis: Redis, capsys: Capture
) -> None:
    async with cranked(settings) as crank:
        await crank.say("ida", "count the guests")
        await crank.still()
        values = {"feast": "F-7", "guests": "80", "hall": "Blue"}
        await crank.fill("ida", await crank.card(), "submit", values)
        await crank.still()
        assert await erased(settings, "ida", cancel=True) == 1
        assert "1 messages or changes of theirs are not handled yet" in capsys.readouterr().err
        assert "id: ida" in settings.people.read_text()
    async with cranked(settings, delivering=True) as crank:
        await crank.settled()
        assert (await read_case(crank)).values["guests"] == 80
        assert await erased(settings, "ida") == 0
        assert await lines_about(redis, "ida") == []


async def test_what_a_cancelled_request_still_tells_its_case_is_said(
    settings: Settings, redis: Redis, capsys: Capture
) -> None:
    async with cranked(settings, delivering=True) as crank:
        await settle(crank, "ida", "80", await ask(crank, "ida", "count the guests", "main"))
        await ask(crank, "ida", "choose the menu for F-7", "main")
    assert await erased(settings, "ida", cancel=True) == 1
    assert "run this again" in capsys.readouterr().err
    async with cranked(settings, delivering=True) as crank:
        await crank.settled()
        assert [run.end for run in (await read_case(crank)).runs] == ["done", "cancelled"]
        assert await erased(settings, "ida") == 0
        assert await lines_about(redis, "ida") == []
        assert [run.requester for run in (await read_case(crank)).runs] == ["erased-1"] * 2


@asynccontextmanager
async def conflict(settings: Settings) -> AsyncIterator[tuple[Crank, Card]]:
    """Otto is asked whether what Ida changed meanwhile stands."""
    async with cranked(settings, delivering=True) as crank:
        late = await ask(crank, "otto", "count the guests", "other")
        await settle(crank, "ida", "80", await ask(crank, "ida", "count the guests", "main"))
        await settle(crank, "otto", "90", late)
        card = await crank.card("other")
        assert "Ida" in str(card.choices)
        yield crank, card


@pytest.mark.parametrize(("choice", "stands"), [("mine", 90), ("theirs", 80)])
async def test_who_differs_from_one_that_is_gone_decides_all_the_same(
    settings: Settings, redis: Redis, capsys: Capture, choice: str, stands: int
) -> None:
    async with conflict(settings) as (crank, card):
        assert await erased(settings, "ida") == 0
        assert "run this again after their end, with --name" in capsys.readouterr().out
        (kept,) = await crank.runs("other")
        assert kept.run.frames[-1].conflicts[0].theirs.author.by == "erased-1"
        assert kept.run.frames[-1].conflicts[0].theirs.author.name == "erased-1"
        await crank.tap("otto", card, choice)
        await crank.settled()
        (kept,) = await crank.runs("other")
        case = await read_case(crank)
        assert (kept.status, case.values["guests"]) == ("completed", stands)
        assert case.version == sum(case.taken.values())
        assert await erased(settings, "ida", names=("Ida",)) == 0
        assert await lines_about(redis, "ida") == []


async def test_who_is_asked_what_stands_is_cancelled_and_theirs_stays(
    settings: Settings, redis: Redis, capsys: Capture
) -> None:
    async with conflict(settings) as (crank, card):
        assert await erased(settings, "otto") == 1
        assert "1 requests go on" in capsys.readouterr().err
        await erased(settings, "otto", cancel=True)
        await crank.settled()
        assert await erased(settings, "otto") == 0
        assert (await crank.now(card)).status == "cancelled"
        case = await read_case(crank)
        assert case.values["guests"] == 80
        assert [(run.requester, run.end) for run in case.runs] == [
            ("ida", "done"),
            ("erased-1", "cancelled"),
        ]
        assert await lines_about(redis, "otto") == []


async def share(crank: Crank, settings: Settings, person: str, name: str, room: str) -> None:
    """A file without a word, as the web chat takes it."""
    folder = settings.data_dir / "files" / ".uploads"
    uploads = Uploads(folder, SystemClock("UTC"))

    async def content() -> AsyncIterator[bytes]:
        yield b"The sockets are behind the curtain.\n"

    upload = await uploads.take(room, person, content())
    file = uploads.shared_file(room, person, upload, name)
    await crank.give(MessageReceived, room, person, text="", files=(file,))


async def test_a_file_that_was_given_to_a_case_by_a_letter_of_its_own_keeps_nothing_of_its_sender(
    settings: Settings, redis: Redis, tmp_path: Path
) -> None:
    async with cranked(settings, delivering=True) as crank:
        await settle(crank, "ida", "80", await ask(crank, "ida", "count the guests", "main"))
        await share(crank, settings, "ida", "plan.txt", "second")
        await crank.settled()
        await crank.tap("ida", await crank.card("second"), "1")
        await crank.settled()
        before = await read_case(crank)
        assert before.files == ("plan.txt",)
        assert '"requester": "ida"' in await exported(settings, "ida", tmp_path / "ida")
        assert [path.name for path in (tmp_path / "ida").rglob("*plan.txt")] == ["1-plan.txt"]
        assert await erased(settings, "ida") == 0
        assert await lines_about(redis, "ida") == []
        after = await read_case(crank)
        assert (after.values, after.files) == (before.values, before.files)


async def test_a_letter_about_a_file_that_is_under_way_is_waited_for(
    settings: Settings, redis: Redis, capsys: Capture
) -> None:
    async with cranked(settings, delivering=True) as crank:
        await settle(crank, "ida", "80", await ask(crank, "ida", "count the guests", "main"))
    async with cranked(settings) as crank:
        await share(crank, settings, "ida", "plan.txt", "second")
        await crank.still()
        await crank.tap("ida", await crank.card("second"), "1")
        await crank.still()
        assert (await read_case(crank)).files == ()
        assert await erased(settings, "ida", cancel=True) == 1
        assert "1 messages or changes of theirs are not handled yet" in capsys.readouterr().err
    async with cranked(settings, delivering=True) as crank:
        await crank.settled()
        assert (await read_case(crank)).files == ("plan.txt",)
        assert await erased(settings, "ida") == 0
        assert await lines_about(redis, "ida") == []
