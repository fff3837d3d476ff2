"""`signoff people export` and `erase` over a real store: what goes, stays, and still loads."""

import json
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.files import SHARED, folder_of
from adapters.inbox_files import senders_file
from adapters.kept_files import SharedFolders
from adapters.redis.records import KINDS, RedisRecords
from adapters.redis.repositories.chat import RedisChatLog, RedisConversations
from adapters.redis.repositories.logins import RedisLogins
from adapters.redis.server.embedded import EmbeddedServer
from adapters.webchat.room_names import home_room
from bot.operate import runs
from bot.operate.personal import PersonQuery, erase_person, export_person
from bot.operate.traces import replay_traces
from bot.personal.anonymise import Pseudonym
from bot.personal.erase import Eraser
from bot.personal.marks import PersonMarks, Survey
from bot.personal.places import PLACES
from bot.personal.sweep import survey
from bot.settings import Settings
from bot.wiring.people import open_personal_data
from engine.errors import StoreUnavailable
from engine.ports.records import StoredRecord, SwapOutcome
from engine.ports.storage.admissions import Entrant
from tests.bot.signoff_process import FILES, PLAYBOOKS, ended
from tests.conftest import PARTITIONS
from tests.fakes.crank import Crank, at, cranked
from tests.fakes.settings import make_settings
from tests.fakes.stored import read_body, read_hash, unpack_all
from tests.scenarios.test_run_traces import printed

VISIT = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"
LIN = "林悦 / Lin Yue"
CHEN = "陈博 / Chen Bo"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def settings(
    request: pytest.FixtureRequest, redis_server: EmbeddedServer, tmp_path: Path
) -> Settings:
    people = shutil.copy(PLAYBOOKS / "people.yaml", tmp_path / "people.yaml")
    return make_settings(
        redis_url=redis_server.url,
        data_dir=tmp_path / "data",
        people=Path(people),
        partitions=getattr(request, "param", PARTITIONS),
        timezone="Europe/Berlin",
    )


@pytest.fixture
async def crank(redis: Redis, settings: Settings) -> AsyncIterator[Crank]:
    async with cranked(settings, delivering=True) as crank:
        yield crank


async def visit(crank: Crank, by: str, reviewer: str, room: str, text: str = VISIT) -> str:
    """The run of a visit that somebody else approved."""
    await crank.say(by, text, room)
    await crank.settled()
    card = await crank.card(room)
    told = await crank.tap(reviewer, card, "approve")
    assert "批准" in str(told)
    await crank.settled()
    (kept,) = await crank.runs(room)
    assert kept.status == "completed"
    return kept.run.id


async def everything(redis: Redis) -> str:
    """All keys and all that stands under them."""
    lines = []
    async for key in redis.scan_iter():
        if "playbook" in key or "learned" in key:
            continue
        kind = await redis.type(key)
        match kind:
            case "string":
                value: Any = unpack_all([await redis.get(key)])[0]
            case "hash":
                value = await read_hash(redis, key)
            case "list":
                value = unpack_all(await redis.lrange(key, 0, -1))
            case "set":
                value = await redis.smembers(key)
            case "zset":
                value = await redis.zrange(key, 0, -1)
            case _:
                value = await redis.xrange(key)
        lines.append(f"{key}\t{value}")
    return "\n".join(sorted(lines))


def lines_with(text: str, *words: str) -> list[str]:
    return [
        f"{line.partition(chr(9))[0]}: {line[max(0, line.index(word) - 60) :][:120]}"
        for line in text.splitlines()
        for word in words
        if word in line
    ]


@pytest.mark.parametrize("settings", [1, 64], indirect=True)
async def test_nothing_names_who_was_erased_and_runs_of_others_stay(
    crank: Crank, settings: Settings, redis: Redis, capsys: Capture
) -> None:
    theirs = await visit(crank, "lin", "chen", "main")
    own_room = home_room("lin")
    await crank.say("lin", "P001 的 ECOG 是多少", "ward")
    await crank.say("zhao", "P002 的体重", "ward")
    others = await visit(crank, "zhao", "wu", "other", VISIT.replace("P003", "P002"))
    await crank.say("lin", "/pending", own_room)
    await crank.settled()
    before = await crank.kept(others)
    kept = json.loads(await read_body(redis, _key(settings, "run", others)))
    assert lines_with(await everything(redis), LIN)
    assert await erase_person(settings, PersonQuery("lin"), yes=True, cancel=False) == 0
    assert "lin: erased; what has to stay names erased-1" in capsys.readouterr().out
    left = await everything(redis)
    assert lines_with(left, LIN, '"lin"', ":lin", "'lin'", VISIT, "是多少") == []
    run = await crank.kept(theirs)
    assert (run.status, run.run.requester.id) == ("completed", "erased-1")
    assert run.run.state.data["weight_kg"] == 60.0
    assert run.run.state.approvals["review"].by == "chen"
    assert [e["by"] for e in run.entries if e.get("event") == "started"] == ["erased-1"]
    assert run.by_log.status == "completed"
    assert await crank.kept(others) == before
    assert json.loads(await read_body(redis, _key(settings, "run", others))) == kept
    assert "id: lin" not in settings.people.read_text()
    assert await erase_person(settings, PersonQuery("lin"), yes=True, cancel=False) == 0
    again = capsys.readouterr().out.splitlines()
    assert again[-2:] == ["files: 0", "lin: erased; what has to stay names erased-1"]
    assert not any("login_era" in line for line in again)
    await crank.say("zhao", "P002 的体重", "ward")
    await crank.settled()


async def test_a_conversation_goes_that_names_who_wrote_there_longer_than_their_messages_are_kept(
    crank: Crank, settings: Settings, redis: Redis
) -> None:
    await crank.say("lin", "P001 的 ECOG 是多少", "ward")
    await crank.settled()
    for key in [key async for key in redis.scan_iter("*reply:*")]:
        await redis.delete(key)
    assert lines_with(await everything(redis), '"person":"lin"')
    assert await erase_person(settings, PersonQuery("lin"), yes=True, cancel=False) == 0
    assert lines_with(await everything(redis), '"person":"lin"', "是多少") == []


def shared_folder(settings: Settings) -> Path:
    """Where files are that were shared in the main room."""
    return settings.data_dir / "files" / "SHOP" / SHARED / folder_of(at("main"))


async def seed(crank: Crank, settings: Settings, redis: Redis) -> None:
    """What else is kept of people: sign-ins, admissions, memory, findings, the web chat, files."""
    logins, now = RedisLogins(redis), crank.parts.services.clock.now()
    for person in ("chen", "wu"):
        await logins.enter(await logins.link(person, keep_s=60), keep_s=600)
        await logins.link(person, keep_s=600)
    entrant = Entrant(account="telegram:77", name="Nia", by="chen", at=now)
    await crank.parts.store.admissions.admit(entrant)
    await crank.parts.store.memory.remember("SHOP", "Chen Bo likes tea", key="k1", by="chen")
    await crank.parts.store.memory.remember("SHOP", "the van is red", key="k2", by="wu")
    conversations = RedisConversations(crank.parts.store.scripts, crank.parts.store.partitions)
    await conversations.note_message("chen", at("my-1"), "What did chen ask?")
    log = RedisChatLog(crank.parts.store.scripts, redis, crank.parts.store.partitions)
    names = {"chen": CHEN, "wu": "吴静 / Wu Jing"}
    for person, text in (("chen", "a secret of mine"), ("wu", "nothing special")):
        entry = {"op": "said", "id": "1", "person": person, "name": names[person], "text": text}
        await log.append(at("main"), entry)
    await log.append(at(home_room("chen")), {"op": "post", "id": "x", "view": {"text": "own"}})
    shared = SharedFolders(settings.data_dir / "files")
    folder = shared_folder(settings)
    folder.mkdir(parents=True)
    for name, senders in (("mine.csv", "chen\n"), ("both.csv", "chen\nwu\n"), ("his.csv", "wu\n")):
        (folder / name).write_text("a,b\n1,2\n")
        senders_file(folder / name).write_text(senders)
    assert len(await shared.find((), ["chen"])) == 2


async def replayed(settings: Settings, run: str, folder: Path, capsys: Capture) -> str:
    """What replaying the run comes to."""
    capsys.readouterr()
    assert await runs.show_run_trace(settings, run) == 0
    trace = folder / "visit.json"
    trace.write_text(printed(capsys), encoding="utf-8")
    status = await replay_traces(settings, trace, None, as_json=True)
    assert status in (0, 1)
    return printed(capsys)


async def test_a_reviewer_goes_and_what_they_decided_stays(
    crank: Crank, settings: Settings, redis: Redis, tmp_path: Path, capsys: Capture
) -> None:
    run = await visit(crank, "lin", "chen", "main")
    await crank.say("zhao", VISIT.replace("P003", "P002"), "open")
    await crank.settled()
    await seed(crank, settings, redis)
    to = tmp_path / "export"
    assert await export_person(settings, PersonQuery("chen"), to=to) == 0
    document = json.loads((to / "data.json").read_text())
    told = json.dumps(document, ensure_ascii=False)
    assert document["people.yaml"]["roles"] == ["reviewer"]
    assert [file["name"] for file in document["files"]] == ["both.csv", "mine.csv"]
    assert sorted(path.name for path in (to / "files").iterdir()) == ["1-both.csv", "2-mine.csv"]
    assert '"choice": "approve"' in told
    for wanted in ("a secret of mine", "Chen Bo likes tea", "What did chen ask?", '"event"'):
        assert wanted in told
    for others in ("nothing special", "the van is red", "his.csv", VISIT):
        assert others not in told
    assert len(document["sign_ins"]) >= 2
    assert await export_person(settings, PersonQuery("chen"), to=to) == 1

    before = await replayed(settings, run, tmp_path, capsys)
    assert await erase_person(settings, PersonQuery("chen"), yes=True, cancel=False) == 0
    left = await everything(redis)
    assert (
        lines_with(left, CHEN, '"chen"', ":chen", "'chen'", "a secret", "home-", "did chen") == []
    )
    assert "nothing special" in left
    names = [".by-both.csv", ".by-his.csv", "both.csv", "his.csv"]
    assert sorted(os.listdir(shared_folder(settings))) == names
    kept = await crank.kept(run)
    assert kept.run.requester.id == "lin"
    assert kept.run.state.approvals["review"].by == "erased-1"
    assert kept.by_log.approvals["review"]["by"] == "erased-1"
    assert await replayed(settings, run, tmp_path, capsys) == before
    card = await crank.card("open")
    assert card.review.approvers == ("erased-1", "wu")
    await crank.tap("wu", card, "approve")
    await crank.settled()
    assert [each.status for each in await crank.runs("open")] == ["completed"]


async def test_requests_that_go_on_are_cancelled_only_when_that_is_wanted(
    crank: Crank, settings: Settings, redis: Redis, capsys: Capture
) -> None:
    await crank.say("lin", VISIT)
    await crank.say("lin", "P001 的 ECOG 是多少", "ward")
    query = PersonQuery("lin")
    assert await erase_person(settings, query, yes=True, cancel=True) == 1
    assert "2 messages or changes of theirs are not handled yet" in capsys.readouterr().err
    await crank.settled()
    assert await erase_person(settings, query, yes=True, cancel=False) == 1
    assert "1 requests go on" in capsys.readouterr().err
    assert "id: lin" in settings.people.read_text()
    assert await erase_person(settings, query, yes=True, cancel=True) == 0
    await crank.settled()
    assert await erase_person(settings, query, yes=True, cancel=False) == 0
    assert lines_with(await everything(redis), LIN, '"lin"', ":lin", "'lin'", VISIT) == []
    (kept,) = await crank.runs()
    assert (kept.status, kept.run.state.data) == ("cancelled", {})
    assert await crank.cards() == []


class Flaky:
    """Records that end the erasing after so many changes."""

    def __init__(self, records: RedisRecords, left: int) -> None:
        self._records, self._left = records, left

    def all(self) -> Any:
        return self._records.all()

    async def swap(self, record: StoredRecord, text: str) -> SwapOutcome:
        self._count()
        return await self._records.swap(record, text)

    async def forget(self, record: StoredRecord) -> SwapOutcome:
        self._count()
        return await self._records.forget(record)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoreUnavailable("ended here")


async def test_an_erasing_that_was_ended_anywhere_goes_on_from_there(
    crank: Crank, settings: Settings, redis: Redis
) -> None:
    await visit(crank, "lin", "chen", "main")
    async with open_personal_data(settings) as data:
        digest = await data.erasures.digest("lin")
        marks = PersonMarks(
            ids=frozenset({"lin", "web:local:lin"}), users=frozenset({"lin", "local:lin"})
        )
        now, ended_early = crank.parts.services.clock.now(), 0
        for left in (0, 1, 2, 3, 5, 8, 13):
            records = Flaky(RedisRecords(redis), left)
            eraser = Eraser(records, data.erasures, data.files, settings.accounts)
            name, before = await eraser.find("lin", digest)
            known = before.evidence if before else None
            found = await survey(records, marks, settings.accounts, known)
            name = await eraser.begin(digest, found, now, name)
            try:
                await eraser.erase(name, found, now, digest)
            except StoreUnavailable:
                ended_early += 1
        assert ended_early >= 4
    # The file still has them; a new name in it would be another person's.
    assert await erase_person(settings, PersonQuery("lin"), yes=True, cancel=False) == 0
    left_over = await everything(redis)
    assert lines_with(left_over, LIN, '"lin"', ":lin", "'lin'", VISIT) == []
    assert "erased-1" in left_over
    assert "erased-2" not in left_over


async def test_a_process_that_is_killed_half_way_is_begun_again(
    crank: Crank, settings: Settings, redis: Redis, tmp_path: Path
) -> None:
    await visit(crank, "lin", "chen", "main")
    variables = {
        **FILES,
        "SIGNOFF_PEOPLE": str(settings.people),
        "REDIS_URL": str(settings.redis_url),
        "SIGNOFF_PARTITIONS": str(settings.partitions),
        "SIGNOFF_DATA_DIR": str(settings.data_dir),
    }
    asked = await ended(tmp_path, "people", "erase", "lin", given=b"no\n", **variables)
    assert (asked.status, "nothing was erased" in asked.err) == (1, True)
    killed = {**variables, "SIGNOFF_FAILPOINT": "after records.swap"}
    died = await ended(tmp_path, "people", "erase", "lin", "--yes", **killed)
    assert died.status == -signal.SIGKILL
    assert "id: lin" not in settings.people.read_text()
    told = await ended(tmp_path, "people", "erase", "lin", given=b"lin\n", **variables)
    assert (told.status, "what has to stay names erased-1" in told.out) == (0, True), told.err
    assert lines_with(await everything(redis), LIN, '"lin"', ":lin", "'lin'", VISIT) == []


@pytest.mark.parametrize(
    ("person", "why"),
    [("lni", "did you mean 'lin'?"), ("wu", "lin: delegate is wu; name somebody else first")],
)
async def test_who_cannot_be_erased_is_told_why(
    person: str, why: str, redis: Redis, settings: Settings, capsys: Capture
) -> None:
    text = settings.people.read_text()
    settings.people.write_text(text.replace("id: lin", "id: lin\n    delegate: {person: wu}"))
    assert await erase_person(settings, PersonQuery(person), yes=True, cancel=True) == 1
    assert why in capsys.readouterr().err


def _key(settings: Settings, kind: str, name: str) -> str:
    return f"{{p{int(name.partition('-')[0], 16):x}}}:{kind}:{name}"


@pytest.mark.parametrize("kind", ["card", "reply"])
def test_what_shows_something_of_others_in_a_place_of_theirs_is_forgotten(kind: str) -> None:
    theirs = Survey(PersonMarks(), {}, conversations={"telegram:1:7"})
    rows = [True, ["telegram:1:7", 1, "5"], ["web:local:main", 2, True]]
    after = {place.kind: place.after for place in PLACES}[kind]
    for kept, left in ((rows, [rows[0], rows[2]]), (rows[::2], rows[::2])):
        record = StoredRecord(kind, "0-id", json.dumps(kept), "rows")
        assert json.loads(str(after(theirs, Pseudonym(theirs, "p1"), record))) == left
    alone = StoredRecord(kind, "0-id", json.dumps([rows[1]]), "rows")
    assert after(theirs, Pseudonym(theirs, "p1"), alone) == ""


def test_every_kind_of_record_says_what_becomes_of_a_person() -> None:
    assert {kind.kind for kind in KINDS} == {place.kind for place in PLACES}


async def test_the_last_who_holds_a_role_that_a_gate_needs_stays(
    crank: Crank, settings: Settings, capsys: Capture
) -> None:
    assert await erase_person(settings, PersonQuery("chen"), yes=True, cancel=False) == 0
    capsys.readouterr()
    kept = settings.people.read_text("utf-8")
    assert await erase_person(settings, PersonQuery("wu"), yes=True, cancel=False) == 1
    told = capsys.readouterr().err
    assert "without wu no process would start: " in told
    assert settings.people.read_text("utf-8") == kept


def test_who_sent_something_is_not_named_by_its_id() -> None:
    marks = PersonMarks(ids=frozenset({"lin", "web:local:lin"}), users=frozenset({"lin"}))
    pseudonym = Pseudonym(Survey(marks, {}), "erased-1")
    entry = {"event": "voted", "by": "lin", "update": "web:lin:form:0b8f"}
    assert pseudonym.in_others(entry, texts=False) == {
        "event": "voted",
        "by": "erased-1",
        "update": "web:erased-1:form:0b8f",
    }
    assert pseudonym.in_others({"update": "web:wu:tap:lin"}, texts=False)["update"] == (
        "web:wu:tap:lin"
    )
