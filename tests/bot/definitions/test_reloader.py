"""A changed playbooks folder is taken over whole or not at all, by every process."""

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from redis.asyncio import Redis
from structlog.testing import capture_logs

from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from bot.definitions.reloader import fingerprint_folder
from bot.processes.web import application
from bot.wiring.service import Parts, open_parts, share_folder
from tests.fakes.settings import make_settings

ROOT = Path(__file__).parents[3]
VISIT = "clinical_qc/playbook.yaml"
MATTER = "litigation_civil_prosecution/playbook.yaml"
GUIDE = "clinical_qc/documents/data-management-guide.en.md"
Open = Callable[..., Awaitable[Parts]]


@pytest.fixture
async def process(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> AsyncIterator[Open]:
    """Opens what one process has, over a folder of playbooks."""
    async with AsyncExitStack() as stack:

        async def begin(playbooks: Path, people: Path | None = None) -> Parts:
            settings = make_settings(
                redis_url=redis_server.url,
                # The folder of another machine comes with data of its own.
                data_dir=playbooks.parent / f"{playbooks.name}-data",
                playbooks=playbooks,
                people=people or ROOT / "playbooks" / "people.yaml",
            )
            return await stack.enter_async_context(open_parts(settings))

        yield begin


@pytest.fixture
def elsewhere(playbooks: Path, tmp_path: Path) -> Path:
    """The same folder on another machine."""
    return Path(shutil.copytree(playbooks, tmp_path / "elsewhere"))


def of_study(playbook: str, own: str) -> bool:
    return own == "SIGNOFF-101"


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def rename(folder: Path, name: str) -> None:
    """Another English name for the visit playbook."""
    change(folder, VISIT, f"en: {name_in(folder)}}}", f"en: {name}}}")


def name_in(folder: Path) -> str:
    line = next(x for x in (folder / VISIT).read_text("utf-8").splitlines() if "name: {zh" in x)
    return line.partition("en: ")[2].rstrip("}")


def name_of(parts: Parts) -> str:
    return parts.reloader.current.snapshot.playbooks["clinical_qc"].definition.name("en")


async def looked(parts: Parts) -> None:
    """As often as a change needs that is already complete."""
    await parts.reloader.check()
    await parts.reloader.check()


async def told(parts: Parts) -> dict[str, Any]:
    async with TestClient(TestServer(application(parts))) as client:
        return dict(await (await client.get("/readyz")).json())


async def ready(parts: Parts) -> str:
    return str((await told(parts))["playbooks"])


async def test_a_change_is_taken_over_and_what_was_begun_keeps_the_old(
    process: Open, playbooks: Path
) -> None:
    parts = await process(playbooks)
    old = parts.reloader.current.snapshot
    rename(playbooks, "Visits")
    await looked(parts)
    assert name_of(parts) == "Visits"
    assert old.playbooks["clinical_qc"].definition.name("en") == "Clinical data"
    new = parts.reloader.current.snapshot.playbooks["clinical_qc"]
    assert new.digest != old.playbooks["clinical_qc"].digest
    for playbook in (new, old.playbooks["clinical_qc"]):
        assert await parts.reloader.current.playbook(playbook.digest) == playbook
    assert parts.reloader.current.snapshot.table.routes[0].names == ("临床数据", "Visits")
    assert await ready(parts) == "ok"


async def test_a_folder_that_is_being_written_is_left_alone_until_it_stands_still(
    process: Open, playbooks: Path
) -> None:
    parts = await process(playbooks)
    for name in ("One", "Two", "Three"):
        rename(playbooks, name)
        await parts.reloader.check()
        assert name_of(parts) == "Clinical data"
    await parts.reloader.check()
    assert name_of(parts) == "Three"


def broken(folder: Path) -> None:
    change(folder, MATTER, "phases:", "phases: [")


def nobodys(folder: Path) -> None:
    change(folder, "clinical_qc/skills/visit-review.yaml", "roles: [reviewer]", "roles: [nobody]")


def titleless(folder: Path) -> None:
    change(folder, GUIDE, "# ", "")


def speechless(folder: Path) -> None:
    (folder / "talk.yaml").write_text("smalltalk: [hi]\n", encoding="utf-8")


def gone(folder: Path) -> None:
    folder.rename(folder.with_name("away"))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (broken, "playbook.yaml"),
        (nobodys, "visit-review.yaml"),
        (titleless, "should begin with a line"),
        (speechless, "talk.yaml:1: questions: is required"),
        (gone, "there is no such folder"),
    ],
)
async def test_with_anything_wrong_all_of_it_is_refused_and_told_once(
    process: Open, playbooks: Path, elsewhere: Path, spoil: Callable[[Path], None], said: str
) -> None:
    parts = await process(playbooks)
    old, pointer = parts.reloader.current.snapshot, await parts.store.client.get(keys.CURRENT)
    rename(playbooks, "Visits")
    spoil(playbooks)
    with capture_logs() as lines:
        await looked(parts)
        await looked(parts)
    assert parts.reloader.current.snapshot is old
    assert await parts.store.client.get(keys.CURRENT) == pointer
    refused = [line for line in lines if line["event"] == "playbooks_refused"]
    assert len(refused) == len({line["problem"] for line in refused}) > 0
    assert {line["log_level"] for line in refused} == {"warning"}
    assert said in refused[0]["problem"]
    told = "1 problem" if len(refused) == 1 else f"{len(refused)} problems"
    assert await ready(parts) == f"refused, {told}"

    shutil.rmtree(playbooks, ignore_errors=True)
    shutil.copytree(elsewhere, playbooks)
    rename(playbooks, "Visits")
    await looked(parts)
    assert name_of(parts) == "Visits"
    assert await ready(parts) == "ok"


async def test_what_is_broken_and_put_back_changes_nothing(process: Open, playbooks: Path) -> None:
    parts = await process(playbooks)
    old = parts.reloader.current.snapshot
    kept = (playbooks / MATTER).read_bytes()
    broken(playbooks)
    await looked(parts)
    assert await ready(parts) != "ok"
    (playbooks / MATTER).write_bytes(kept)
    await looked(parts)
    assert parts.reloader.current.snapshot is old
    assert await ready(parts) == "ok"


async def test_documents_are_searched_and_shown_as_they_are_now(
    process: Open, playbooks: Path
) -> None:
    parts = await process(playbooks)
    knowledge = parts.services.library.knowledge
    assert knowledge is not None
    assert list(await knowledge.search(of_study, "zeppelin")) == []
    added = playbooks / "clinical_qc" / "documents" / "airships.md"
    added.write_text("# Airships\n\n## 1 Moorings\n\nA zeppelin is moored at night.\n")
    async with TestClient(TestServer(application(parts))) as client:
        assert (await client.get("/documents/clinical_qc/airships.md")).status == 404
        await looked(parts)
        shown = await client.get("/documents/clinical_qc/airships.md")
        assert "moored at night" in await shown.text()
    (quote,) = await knowledge.search(of_study, "zeppelin")
    assert quote.document == "clinical_qc/airships.md"


async def test_a_process_with_another_folder_follows_in_everything(
    process: Open, playbooks: Path, elsewhere: Path
) -> None:
    changing, other = await process(playbooks), await process(elsewhere)
    rename(playbooks, "Visits")
    change(playbooks, "talk.yaml", "smalltalk:", "smalltalk:\n  - ahoy there shipmate")
    shutil.rmtree(playbooks / "litigation_civil_prosecution")
    (playbooks / GUIDE).with_name("airships.md").write_text(
        "# Airships\n\n## 1\n\nA zeppelin is moored at night.\n"
    )
    await looked(changing)
    await other.reloader.check()
    assert name_of(other) == "Visits"
    assert other.reloader.current.snapshot.pointer == changing.reloader.current.snapshot.pointer
    assert other.reloader.current.snapshot.bodies() == changing.reloader.current.snapshot.bodies()
    assert "ahoy there shipmate" in other.reloader.current.snapshot.talk.smalltalk
    assert list(other.reloader.current.snapshot.playbooks) == ["clinical_qc"]
    assert [route.playbook for route in other.reloader.current.snapshot.table.routes] == [
        "clinical_qc"
    ]
    knowledge = other.services.library.knowledge
    assert knowledge is not None
    assert len(await knowledge.search(of_study, "zeppelin")) == 1
    # It keeps following, whatever its own folder says.
    for _ in range(3):
        await other.reloader.check()
        await changing.reloader.check()
    assert name_of(other) == name_of(changing) == "Visits"


async def test_only_a_changed_folder_moves_the_pointer(
    process: Open, playbooks: Path, elsewhere: Path
) -> None:
    first, second = await process(playbooks), await process(elsewhere)
    rename(playbooks, "Visits")
    await looked(first)
    await second.reloader.check()
    # Written again as it was: no change, although every time stamp is a new one.
    change(elsewhere, VISIT, "Clinical data", "Clinical data")
    await looked(second)
    assert name_of(second) == "Visits"
    rename(elsewhere, "Calls")
    await looked(second)
    await first.reloader.check()
    assert (name_of(first), name_of(second)) == ("Calls", "Calls")
    # A start over a folder that was current, and has not changed since, is no deployment.
    third = await process(playbooks)
    every = (first, second, third)
    for one in every:
        await one.reloader.check()
    assert [name_of(one) for one in every] == ["Calls"] * 3
    # The newest deployment wins, with its own folder, also where it was changed while nothing ran.
    rename(playbooks, "Rounds")
    fourth = await process(playbooks)
    for one in every:
        await one.reloader.check()
    assert [name_of(one) for one in (*every, fourth)] == ["Rounds"] * 4


async def test_a_store_from_before_takes_the_folder_again(
    process: Open, playbooks: Path, redis: Redis
) -> None:
    first = await process(playbooks)
    rename(playbooks, "Visits")
    old = await first.store.published.pointer()
    await looked(first)
    # As a backup of the store that was made before the change.
    for digest in first.reloader.current.snapshot.bodies():
        await redis.delete(f"signoff:playbook:{digest}")
    await first.store.published.point(str(old))
    assert name_of(await process(playbooks)) == "Visits"
    assert await first.store.published.pointer() != old


def of_another_version(pointer: str) -> str:
    return json.dumps({**json.loads(pointer), "schema_version": 2})


def unpublished(pointer: str) -> str:
    return json.dumps({**json.loads(pointer), "talk": "0" * 64})


def richer(pointer: str) -> str:
    return json.dumps({**json.loads(pointer), "talk": "richer"})


def garbage(pointer: str) -> str:
    return pointer[:20]


@pytest.mark.parametrize("spoil", [of_another_version, unpublished, richer, garbage])
async def test_what_another_version_wrote_is_left_alone_and_told_once(
    process: Open, playbooks: Path, spoil: Callable[[str], str]
) -> None:
    parts = await process(playbooks)
    old = parts.reloader.current.snapshot
    talk = {**old.talk.model_dump(mode="json"), "jokes": ["knock knock"]}
    await parts.store.client.set(keys.published("richer"), json.dumps(talk))
    spoilt = spoil(await parts.store.client.get(keys.CURRENT))
    await parts.store.client.set(keys.CURRENT, spoilt)
    with capture_logs() as lines:
        await looked(parts)
        await looked(parts)
    assert parts.reloader.current.snapshot is old
    assert [line["event"] for line in lines] == ["playbooks_unusable"]
    assert await parts.store.client.get(keys.CURRENT) == spoilt
    rename(playbooks, "Visits")
    await looked(parts)
    assert name_of(parts) == "Visits"
    assert (
        await parts.store.client.get(keys.CURRENT)
        == parts.reloader.current.snapshot.pointer.model_dump_json()
    )


async def test_a_gate_that_nobody_here_can_open_is_not_followed(
    process: Open, playbooks: Path, elsewhere: Path, tmp_path: Path
) -> None:
    people = tmp_path / "people.yaml"
    shutil.copy(ROOT / "playbooks" / "people.yaml", people)
    change(tmp_path, "people.yaml", "roles: [reviewer", "roles: [auditor, reviewer")
    change(
        tmp_path,
        "people.yaml",
        "\nroles:\n",
        "\nroles:\n  - {id: auditor, zh: 稽查, en: auditor}\n",
    )
    changing, other = await process(playbooks, people), await process(elsewhere)
    old = other.reloader.current.snapshot
    change(playbooks, "clinical_qc/skills/visit-review.yaml", "[reviewer]", "[auditor]")
    await looked(changing)
    assert changing.reloader.current.snapshot.pointer != old.pointer
    with capture_logs() as lines:
        await looked(other)
    assert other.reloader.current.snapshot is old
    (told,) = [line["problem"] for line in lines if line["event"] == "playbooks_unusable"]
    assert told == "clinical_qc: skill visit-review: nobody in people.yaml holds auditor"


async def test_a_store_that_refuses_holds_the_change_off_until_it_takes_it(
    process: Open, playbooks: Path, redis: Redis
) -> None:
    parts = await process(playbooks)
    old = parts.reloader.current.snapshot
    rename(playbooks, "Visits")
    await redis.config_set("maxmemory", 1)
    try:
        with capture_logs() as lines:
            await looked(parts)
            await looked(parts)
    finally:
        await redis.config_set("maxmemory", 0)
    assert parts.reloader.current.snapshot is old
    assert [line["event"] for line in lines] == ["playbooks_wait"]
    await parts.reloader.check()
    assert name_of(parts) == "Visits"


async def test_a_process_that_routes_learns_before_it_switches_and_no_other_does(
    process: Open, playbooks: Path, elsewhere: Path
) -> None:
    worker, web = await process(playbooks), await process(elsewhere)
    worker.reloader.current.snapshot.table.learn()
    rename(playbooks, "Visits")
    await looked(worker)
    assert worker.reloader.current.snapshot.table.learned
    await web.reloader.check()
    assert name_of(web) == "Visits"
    assert not web.reloader.current.snapshot.table.learned


@pytest.mark.parametrize("name", ["talk.yaml", VISIT, "clinical_qc/skills/visit-check.yaml", GUIDE])
def test_whatever_is_read_is_watched(playbooks: Path, name: str) -> None:
    before = fingerprint_folder(playbooks)
    text = (playbooks / name).read_bytes()
    (playbooks / name).write_bytes(text + b"\n")
    written = fingerprint_folder(playbooks)
    (playbooks / name).unlink()
    assert len({before, written, fingerprint_folder(playbooks)}) == 3


def test_what_is_loaded_only_at_the_start_is_not_watched(playbooks: Path) -> None:
    before = fingerprint_folder(playbooks)
    (playbooks / "people.yaml").unlink()
    shutil.rmtree(playbooks / "clinical_qc" / "data")
    assert fingerprint_folder(playbooks) == before


async def test_a_copy_reads_nothing_again_unless_a_file_has_changed(
    redis: Redis, redis_server: EmbeddedServer, playbooks: Path, tmp_path: Path
) -> None:
    people = Path(shutil.copy(ROOT / "playbooks" / "people.yaml", tmp_path))
    settings = make_settings(
        redis_url=redis_server.url, data_dir=tmp_path / "data", playbooks=playbooks, people=people
    )
    contents = share_folder(settings)
    async with open_parts(settings, contents=contents) as parts:
        found = parts.reloader.current.snapshot.playbooks
        assert found is contents.definitions.playbooks
        # Tools are called over this process's own connections.
        assert parts.services.toolbox is not contents.definitions.toolbox
    rename(playbooks, "Visits")
    async with open_parts(settings, contents=contents) as parts:
        assert name_of(parts) == "Visits"
    contents = share_folder(settings)
    change(people.parent, people.name, "people:", "people: # one")
    assert not contents.is_current(settings)
    assert share_folder(settings).is_current(settings)


async def test_a_connections_file_that_was_written_is_told_until_a_start_reads_it(
    process: Open, playbooks: Path
) -> None:
    parts = await process(playbooks)
    await looked(parts)
    assert (await told(parts))["files"] == "ok"
    change(playbooks, "connections.yaml", "study:\n", "# another key\nstudy:\n")
    with capture_logs() as lines:
        await looked(parts)
    assert [(line["event"], line["file"], line["log_level"]) for line in lines] == [
        ("file_not_read_yet", "connections.yaml", "warning")
    ]
    found = await told(parts)
    assert found["files"] == "written since they were read; restart: connections.yaml"
    assert "files" in found["degraded"]
    again = await process(playbooks)
    await looked(again)
    assert (await told(again))["files"] == "ok"


async def test_a_folder_that_is_not_what_is_current_is_told(
    process: Open, playbooks: Path, elsewhere: Path
) -> None:
    first, stale = await process(playbooks), await process(elsewhere)
    rename(playbooks, "Visits")
    await looked(first)
    with capture_logs() as lines:
        await looked(stale)
    assert [x["event"] for x in lines if x["log_level"] == "warning"] == ["playbooks_differ"]
    now = first.reloader.current.snapshot.pointer.short
    assert await ready(first) == "ok"
    assert f"{now} is current" in await ready(stale)
    assert "playbooks" in (await told(stale))["degraded"]
    # Its process is started again, as after a crash: nobody has deployed anything there.
    with capture_logs() as lines:
        again = await process(elsewhere)
    (left,) = [line for line in lines if line["event"] == "playbooks_left"]
    assert (left["current"], left["log_level"]) == (now, "warning")
    await looked(again)
    assert f"{now} is current" in await ready(again)
    assert await ready(first) == "ok"
    # Somebody deploys there what is older: that is the newest deployment's right, and it is told.
    change(elsewhere, VISIT, f"en: {name_in(elsewhere)}}}", "en: Rounds}")
    with capture_logs() as lines:
        third = await process(elsewhere)
    (replaced,) = [line for line in lines if line["event"] == "playbooks_replaced"]
    assert (replaced["was"], replaced["log_level"]) == (now, "warning")
    await looked(first)
    assert f"{now} is in the folder" in await ready(first)
    await looked(stale)
    assert (await ready(third), await ready(stale)) == ("ok", "ok")
