"""A17 to A20: what one version stored, another resumes; or it leaves it alone, and says so.

What released versions stored is in tests/fixtures/state; `make_state` takes it down.
"""

import json
from pathlib import Path
from shutil import copytree
from typing import Any, get_args

import pytest
from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from cards.model import CardKind
from engine.mail import RunResumed
from engine.ports.storage.operations import BlockedRun
from engine.runs.run import ADVANCE
from tests.fakes.crank import Crank, told
from tests.fakes.stored import read_body, read_hash, unpack_all
from tests.fixtures import make_state
from tests.fixtures.state import FOLDER, PARTITION, outcome, read, restore, resumed
from tests.fixtures.state_cases import do, tap
from tests.reviews.test_audit_reconstructs import agrees
from tests.scenarios.conftest import settings_over

FIXTURES = {
    f"{path.parent.name}/{path.stem}": path
    for path in sorted(FOLDER.glob("v*/*.json"))
    # v0 was taken down without a store; tests/reviews/test_stored_before.py has it.
    if path.parent.name != "v0"
}
WAYS = [(name, way) for name, path in FIXTURES.items() for way in read(path)["ways"]]
SOP = FIXTURES["v1/sop-confirm"]
APPROVE = tap("chen", "approve")
KEPT_DAYS: dict[str, dict[str, float]] = {"v1": {"run_days": 30}, "v2": {"run_days": 30}}
"""How long versions kept what has ended, where that was not as it is now."""
RESUMED = RunResumed(by="operator:root", via="command line").model_dump_json()


@pytest.mark.parametrize(("name", "way"), WAYS, ids=["-".join(each) for each in WAYS])
async def test_a20_a_released_state_goes_on_as_it_did_in_its_own_version(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, name: str, way: str
) -> None:
    fixture = read(FIXTURES[name])
    await restore(redis, FIXTURES[name], fixture)
    days = KEPT_DAYS.get(name.partition("/")[0], {})
    settings = settings_over(redis_server, tmp_path, partitions=1, **days)
    async with resumed(settings, fixture) as crank:
        for kept in await crank.runs():
            await agrees(crank, kept)
        before = await outcome(crank)
        for doing in fixture["ways"][way]["do"]:
            await do(crank, doing)
        after = await outcome(crank)
        for kept in await crank.runs():
            await agrees(crank, kept)
    assert after != before, "the way leads nowhere"
    expected = fixture["ways"][way]["after"]
    # One that waits for just that card goes on as it did.
    waited = fixture["card"] == "phase_done"
    assert in_words_since_v3(after) == in_words_since_v3(
        expected if waited else as_since_v3(expected)
    )


def in_words_since_v3(after: dict[str, Any]) -> dict[str, Any]:
    """What became of it, with how much was checked told as it is now: of no study's subjects.

    A run that begins now knows what was said before, and an approval all who gave it; older
    versions had no place for either.
    """
    for run in after["runs"]:
        run["state"].pop("recent", None)
        run["state"].pop("chosen", None)
        for approval in run["state"].get("approvals", {}).values():
            approval.pop("others", None)
            approval.pop("other_names", None)
    told = json.dumps(after, ensure_ascii=False).replace("名受试者，发现", "项，发现")
    worded: dict[str, Any] = json.loads(told)
    return worded


LAST = {"record": "completed", "every": "completed", "execution": "suspended"}
"""Last phases with a phase_done card, and how a run stands then: a matter still hands over."""


def as_since_v3(after: dict[str, Any]) -> dict[str, Any]:
    """What an older version made of it, but that a run is over when its last phase is.

    Then runs waited until somebody had seen the card of the last phase, or had not in time.
    """
    return {**after, "runs": [_over(run) for run in after["runs"]]}


def _over(run: dict[str, Any]) -> dict[str, Any]:
    phase = run["at"].removeprefix("planner:")
    about = f"phase_done phase_done:{phase} "
    if not any(card.startswith(about) for card in run["cards"]) or phase not in LAST:
        return run
    cards = [f"{about}told" if card.startswith(about) else card for card in run["cards"]]
    steps = run["steps"] + (1 if f"{about}open" in run["cards"] else -1)
    return {**run, "status": LAST[phase], "steps": steps, "cards": sorted(cards)}


def test_a20_every_kind_of_frame_and_card_is_kept_with_its_ways_on() -> None:
    kept = [read(path) for path in FIXTURES.values()]
    assert {fixture["frame"] for fixture in kept} >= set(ADVANCE)
    assert {fixture["card"] for fixture in kept} >= set(get_args(CardKind))
    for fixture in kept:
        held = {entry["key"] for entry in fixture["keys"]}
        frames = [
            frame["kind"]
            for entry in fixture["keys"]
            if entry["type"] == "hash" and "body" in entry["value"] and ":run:" in entry["key"]
            for frame in json.loads(entry["value"]["body"])["frames"]
        ]
        assert fixture["frame"] in ("", *frames)
        assert any(":card:" in key for key in held)
        if fixture["card"] in ("confirm", "select") and fixture["frame"]:
            assert {"approve", "expire"} <= set(fixture["ways"])


async def test_a20_what_is_there_is_never_taken_down_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = Path(copytree(FOLDER / "v1", tmp_path / "v1"))
    names = sorted(each.name for each in FIXTURES.values() if each.parent.name == "v1")
    (copied / names.pop()).unlink()
    before = {copied / name: (copied / name).read_bytes() for name in names}
    monkeypatch.setattr(make_state, "FOLDER", tmp_path)
    assert await make_state.make_all("v1") == 1
    assert {path: path.read_bytes() for path in before} == before
    made, kept = read(copied / "talk-select.json"), read(FOLDER / "v1" / "talk-select.json")
    assert made["ways"] == kept["ways"]


async def stored(client: Any) -> dict[str, Any]:
    """Every run and card as it is stored."""
    found = {}
    for kind in ("run", "card"):
        for key in await client.keys(f"{PARTITION}{kind}:*"):
            if not key.endswith(":cards"):
                found[key] = await client.hgetall(key)
    return found


def one(fixture: dict[str, Any], kind: str) -> str:
    """The key of the fixture's one run or card."""
    start = f"{PARTITION}{kind}:"
    found = [str(entry["key"]) for entry in fixture["keys"] if entry["type"] == "hash"]
    (key,) = [name for name in found if name.startswith(start)]
    return key


async def newer(client: Any, key: str, change: dict[str, str]) -> str:
    """The stored body as a newer version would write it; the body as it was."""
    body = await read_body(client, key)
    other = body
    for old, new in change.items():
        assert old in other, (old, other)
        other = other.replace(old, new, 1)
    await client.hset(key, "body", other)
    return body


async def said(crank: Crank, room: str = "main") -> str:
    """Everything that is to be shown."""
    rows = [await read_hash(crank.client, key) for key in await crank.client.keys("*:row:*")]
    replies = [await read_hash(crank.client, key) for key in await crank.client.keys("*:reply:*")]
    return json.dumps([*rows, *replies], ensure_ascii=False)


@pytest.mark.parametrize(
    "change",
    [
        {'"schema_version":1': '"schema_version":2'},
        {'"kind":"sop"': '"kind":"sop_of_tomorrow"'},
        {'"lang":"zh"': '"lang":"zh","tomorrow":1'},
    ],
    ids=["schema", "frame", "field"],
)
async def test_a20_rollback_a_run_of_a_newer_version_is_left_alone_and_returns_with_it(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, change: dict[str, str]
) -> None:
    fixture = read(SOP)
    await restore(redis, SOP, fixture)
    run = one(fixture, "run")
    body = await newer(redis, run, change)
    held = await redis.hgetall(run)
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture) as crank:
        await do(crank, APPROVE)
        assert await redis.hgetall(run) == held, "the old build has written it"
        assert "更新的版本" in await said(crank)
        (waiting,) = await crank.parts.store.operations.waiting()
        assert isinstance(waiting, BlockedRun)
        # The newer build is back: the decision was kept for it.
        await redis.hset(run, "body", body)
        assert await crank.parts.store.operations.retry(waiting.name, RESUMED)
        await crank.still()
        assert (await outcome(crank))["runs"][0]["at"] == "planner:record"


@pytest.mark.parametrize("doing", ["tap", "expire", "say"])
async def test_a20_rollback_a_card_of_a_newer_version_is_left_alone_and_said(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, doing: str
) -> None:
    fixture = read(SOP)
    await restore(redis, SOP, fixture)
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture) as crank:
        card = await crank.card()
        change = {'"schema_version":1': '"schema_version":2'}
        body = await newer(redis, one(fixture, "card"), change)
        before = await stored(redis)
        match doing:
            case "tap":
                ok, text = told(await crank.tap("chen", card, "approve"))
                assert (ok, "没有记录" in text, "nothing was recorded" in text) == (
                    False,
                    True,
                    True,
                )
            case "expire":
                crank.later(30 * 86_400)
                await crank.still()
                assert "更新的版本" in await said(crank)
            case _:
                await crank.say("lin", "P003 的 ECOG")
                await crank.still()
                assert "2026-10-28" in await said(crank)
        assert await stored(redis) == before
        await redis.hset(one(fixture, "card"), "body", body)
        if doing != "expire":
            assert told(await crank.tap("chen", card, "approve"))[0]
        else:
            (waiting,) = await crank.parts.store.operations.waiting()
            assert await crank.parts.store.operations.retry(waiting.name, RESUMED)
        await crank.still()
        assert (await crank.now(card)).status == ("expired" if doing == "expire" else "decided")


@pytest.mark.parametrize("how", ["missing", "newer"])
async def test_a19_a_run_whose_playbook_is_missing_or_newer_is_blocked_and_returns_with_it(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, how: str
) -> None:
    fixture = read(SOP)
    await restore(redis, SOP, fixture)
    key = keys.published(fixture["playbooks"][0])
    body = str(await redis.get(key))
    if how == "missing":
        await redis.delete(key)
    else:
        await redis.set(key, body.replace('"schema_version":1', '"schema_version":2', 1))
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture) as crank:
        card = await crank.card()
        await do(crank, APPROVE)
        (kept,) = await crank.runs()
        await agrees(crank, kept)
        assert (kept.status, (await crank.now(card)).status) == ("blocked", "decided")
        assert "找不到启动时的流程版本" in await said(crank)
        (waiting,) = await crank.parts.store.operations.waiting()
        await redis.set(key, body)
        assert await crank.parts.store.operations.retry(waiting.name, RESUMED)
        await crank.still()
        (kept,) = await crank.runs()
        await agrees(crank, kept)
        assert kept.run.frames[-1].kind == "planner"
        assert kept.run.state.written == ("record_visit",)
        resumed_by = [e for e in kept.entries if e.get("input") == "resumed"]
        assert [(e["by"], e["via"]) for e in resumed_by] == [("operator:root", "command line")]


async def test_a19_a_run_of_a_newer_version_is_seen_and_loses_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    fixture = read(SOP)
    await restore(redis, SOP, fixture)
    run = one(fixture, "run")
    await newer(redis, run, {'"schema_version":1': '"schema_version":2'})
    before = {e["key"]: e["value"] for e in fixture["keys"] if ":log:" in e["key"]}
    settings = settings_over(redis_server, tmp_path, partitions=1)
    async with resumed(settings, fixture) as crank:
        await do(crank, APPROVE)
        backlog = await crank.parts.store.operations.backlog()
        assert backlog.blocked == 1
        name = run.rpartition(":")[2]
        (mail,) = await redis.lrange(f"{PARTITION}l:run:{name}:in", 0, -1)
        assert json.loads(mail)["decision"]["person"] == "chen"
        for key, entries in before.items():
            now = await redis.lrange(key, 0, -1)
            assert now[: len(entries)] == entries
            assert json.loads(unpack_all(now)[-1])["result"] == "decided"
