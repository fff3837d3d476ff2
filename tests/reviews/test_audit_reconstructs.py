"""A42: the log of a run, folded alone, gives how the run and its cards stand (design §3).

Walks of the sample procedures, and random lives: people tap early, late, twice, on what is not
theirs, write, cancel, and time passes. Whatever happens, the fold is what the store holds.
"""

import asyncio
import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from cards.model import Card
from engine.events import CardTapped, FormRefused, FormWanted
from engine.frames.audit import card_facts
from engine.frames.state import ENDED, AgentState, position_of
from engine.mail import MigrationOrdered
from tests.fakes.crank import Crank, Kept, cranked, pressed, told
from tests.fakes.lives import Life
from tests.fakes.matter_model import MatterModel
from tests.fakes.model_server import ModelServer
from tests.fakes.tries import tries
from tests.scenarios.conftest import ROOT, settings_over
from tests.scenarios.test_batch import over_every_subject
from tests.scenarios.test_model_walk import settings as with_model
from tests.scenarios.test_run_ends import change

# Other lives: PROPERTY_SEED=7 PROPERTY_TIMES=20 make test ARGS=tests/reviews
SEED = int(os.environ.get("PROPERTY_SEED", "20261130"))
EXAMPLES = tries(25)
HAPPENINGS = 14
ASK = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"
ONCE = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def values_of(state: AgentState) -> dict[str, Any]:
    """What stands in a state, by path, as JSON has it."""
    listed = {name: list(v) if isinstance(v, tuple) else v for name, v in state.data.items()}
    groups = (("profile.", state.profile), ("decisions.", state.decisions), ("", listed))
    return {group + name: value for group, values in groups for name, value in values.items()}


async def agrees(crank: Crank, kept: Kept) -> None:
    """The fold of the log is what the store holds of the run."""
    by_log, run = kept.by_log, kept.run
    assert (by_log.status, by_log.playbook) == (kept.status, run.digest)
    assert by_log.position == position_of(run.frames[-1])
    assert by_log.values == values_of(run.state)
    assert by_log.written == run.state.written
    approvals = {
        name: one.model_dump(mode="json", exclude_defaults=True)
        for name, one in run.state.approvals.items()
    }
    assert by_log.approvals == approvals
    stored = {token: card_facts(card) for token, card in (await crank.cards_of(run.id)).items()}
    assert by_log.cards == stored
    if kept.status in ("suspended", "running"):
        assert set(by_log.waiting) <= set(run.waiting)


async def only_grown(crank: Crank, before: dict[str, Kept], after: list[Kept]) -> None:
    """Logs only got longer, and that of a live run is kept for ever."""
    for kept in after:
        known = before.get(kept.run.id)
        assert known is None or kept.log[: len(known.log)] == known.log
        (key,) = await crank.client.keys(f"*:log:{kept.run.id}")
        assert (await crank.client.ttl(key) == -1) == (kept.status not in ENDED)


@pytest.fixture
def voted(playbooks: Path) -> Path:
    """The sample playbooks, in which two reviewers have to approve, within a day."""
    change(
        playbooks,
        "skills/visit-review.yaml",
        "quorum: 1, four_eyes: true",
        "quorum: 2, four_eyes: true, deadline_s: 86400",
    )
    return playbooks


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


async def whole(crank: Crank, room: str = "main") -> list[Kept]:
    """The runs of a room, each told whole by its log."""
    found = await crank.runs(room)
    for kept in found:
        await agrees(crank, kept)
    return found


async def to_review(crank: Crank) -> Card:
    """A visit is asked for; the reviewers' card."""
    await crank.say("lin", ASK)
    await crank.still()
    return await crank.card()


async def test_a42_denied_stale_early_and_late_attempts_are_told_with_who_and_where(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, voted: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, playbooks=voted)) as crank:
        card = await to_review(crank)
        for person, choice in (
            ("lin", "approve"),
            ("zhao", "approve"),
            ("chen", "nonsense"),
            ("chen", "approve"),
            ("chen", "approve"),
        ):
            await crank.tap(person, card, choice)
            await whole(crank)
        stale = pressed(card, "approve", revision=9)
        await crank.give(CardTapped, "elsewhere", "wu", button=stale)
        assert isinstance(await crank.tap("wu", card, "reject"), FormWanted)
        assert isinstance(await crank.fill("wu", card, "reject", {"reason": ""}), FormRefused)
        await crank.say("zhao", "/cancel")
        await crank.still()
        assert told(await crank.tap("wu", card, "approve"))[0]
        await whole(crank)
        assert told(await crank.tap("wu", card, "approve"))[0]
        await crank.still()
        assert told(await crank.tap("chen", card, "approve"))[0]
        (kept,) = await whole(crank)
    assert kept.status == "completed"
    attempts = [
        (e["by"], e["via"], e["where"], e.get("result", e["event"]))
        for e in kept.entries
        if e.get("card") == card.token or (e["at"] and e.get("event") == "cancel_refused")
    ]
    here, there = "web:local:main", "web:local:elsewhere"
    assert attempts == [
        ("lin", "web", here, "own_request"),
        ("zhao", "web", here, "not_approver"),
        ("chen", "web", here, "unknown_choice"),
        ("chen", "web", here, "vote"),
        ("chen", "web", here, "repeated"),
        ("wu", "web", there, "stale"),
        ("wu", "web", here, "form"),
        ("wu", "web", here, "invalid"),
        ("zhao", "web", here, "cancel_refused"),
        ("wu", "web", here, "decided"),
        ("wu", "web", here, "repeated"),
        ("chen", "web", here, "repeated"),
    ]
    assert kept.entries[0] | {"at": ""} == {
        "at": "",
        "event": "started",
        "by": "lin",
        "via": "web",
        "where": here,
        "playbook": kept.run.digest,
        "project": "SIGNOFF-101",
        "request": "visit-entry",
        "reply": kept.run.reply,
        "why": kept.entries[0]["why"],
        "status": "running",
        "to": "planner:collect",
    }
    assert kept.by_log.cards[card.token]["decision"]["person"] == "wu"
    assert [vote["person"] for vote in kept.by_log.cards[card.token]["votes"]] == ["chen"]
    assert kept.by_log.approvals["review"]["digest"] == card.shown_digest


async def test_a42_text_answers_expiry_and_a_failed_run(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, voted: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, playbooks=voted)) as crank:
        await crank.say("lin", "录入 P003 今天的访视")
        await crank.still()
        for text in ("ECOG 1,体重 60.5", "P005 的 ECOG 2", "血压 118/76"):
            await crank.say("lin", text)
            await crank.still()
            await whole(crank)
        card = await crank.card()
        assert card.kind == "confirm"
        crank.later(2 * 86400)
        assert not told(await crank.tap("chen", card, "approve"))[0]
        await crank.still()
        (kept,) = await whole(crank)
    assert kept.status == "failed"
    results = [e["result"] for e in kept.entries if e.get("event") == "text"]
    assert (results[0], results[-1]) == ("kept", "decided")
    (late,) = [e for e in kept.entries if e.get("card") == card.token]
    assert (late["by"], late["result"]) == ("chen", "expired")
    # A tap that comes too late closes the card itself, before the timer does.
    assert late["changed_cards"][0]["status"] == "expired"


async def test_a42_a_run_that_is_moved_to_another_version_and_asks_again(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, playbooks: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path)) as crank:
        old = await to_review(crank)
    change(playbooks, "skills/visit-review.yaml", "start_node: approve", "start_node: second")
    change(
        playbooks, "skills/visit-review.yaml", "    approve:\n      type", "    second:\n      type"
    )
    change(playbooks, "skills/visit-review.yaml", "on_fail: approve", "on_fail: second")
    async with cranked(settings_over(redis_server, tmp_path, playbooks=playbooks)) as crank:
        digest = crank.parts.reloader.current.snapshot.playbooks["clinical_qc"].digest
        for to in ("0" * 64, digest):
            mail = MigrationOrdered(to=to, by="operator:root", via="command line").model_dump_json()
            await crank.parts.store.mailbox.put(f"run:{old.run}", mail, update_id=to)
        await crank.still()
        (kept,) = await whole(crank)
        assert kept.by_log.playbook == digest
        assert kept.by_log.cards[old.token]["status"] == "superseded"
        assert not told(await crank.tap("chen", old, "approve"))[0]
        assert told(await crank.tap("chen", await crank.card(), "approve"))[0]
        await crank.still()
        (kept,) = await whole(crank)
    moves = [e for e in kept.entries if e.get("input") == "migrated" or "wanted" in e]
    assert [(e["by"], e["via"]) for e in moves] == [("operator:root", "command line")] * 2
    assert moves[0]["event"] == "migration_refused"


async def test_a42_child_runs_have_logs_of_their_own_and_end_with_their_parent(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, playbooks: Path
) -> None:
    batch = over_every_subject(playbooks)
    async with cranked(settings_over(redis_server, tmp_path, playbooks=batch)) as crank:
        await crank.say("lin", "对所有受试者做质控")
        await crank.still()
        first = (await crank.cards())[0]
        await crank.tap("chen", first, "approve")
        await crank.still()
        parent, *children = await whole(crank)
        begun = {name for entry in parent.entries for name in entry.get("children", {}).values()}
        assert begun == {child.run.id for child in children}
        assert {child.status for child in children} == {"completed", "suspended"}
        assert {child.entries[0]["parent"] for child in children} == {parent.run.id}
        await crank.say("lin", "/cancel")
        await crank.still()
        ended = await whole(crank)
    assert {kept.status for kept in ended} == {"completed", "cancelled"}
    last = [kept.entries[-1] for kept in ended if kept.status == "cancelled"]
    assert {(e["event"], e["by"], e["where"]) for e in last} == {
        ("cancelled", "lin", "web:local:main")
    }


async def test_a42_a_matter_with_a_model_choices_and_a_system_of_record(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with ModelServer(MatterModel("zh")) as model:
        settings = settings_over(redis_server, tmp_path, **with_model(model))
        async with cranked(settings, delivering=True) as crank:
            await crank.say("lin", "收一个新案子")
            for _ in range(30):
                await crank.settled()
                await whole(crank)
                for card in await crank.cards():
                    names = [choice.id for choice in card.choices if not choice.form]
                    (person, *_) = card.review.approvers or card.review.persons
                    assert told(await crank.tap(person, card, names[0]))[0]
            (kept,) = await whole(crank)
    assert kept.status == "completed"
    inputs = {entry["input"] for entry in kept.entries if "outcome" in entry}
    assert {"card_decided", "synced", "continued"} <= inputs


def test_a42_nothing_of_ours_alters_or_cuts_a_log() -> None:
    """Scripts add to a log, and let it expire once its run has ended; all else only reads it."""
    called = re.compile(r"redis\.call\('(\w+)', [^)]*'log:'")
    scripts = [path.read_text() for path in sorted((ROOT / "adapters/redis/lua").glob("*.lua"))]
    uses = [script.count("'log:'") for script in scripts]
    calls = [call for script in scripts for call in called.findall(script)]
    assert (len(calls), set(calls)) == (sum(uses), {"RPUSH", "PEXPIRE", "LRANGE"})
    named = re.compile(r"(\w+)\(f?\"[^\"]*log:")
    found = [
        n
        for path in (ROOT / "adapters/redis").glob("*.py")
        for n in named.findall(path.read_text())
    ]
    assert set(found) == {"llen", "lrange"}


@pytest.mark.more
def test_a42_random_lives_are_told_whole_by_their_logs_alone(
    redis_server: EmbeddedServer, tmp_path: Path, voted: Path, runner: asyncio.Runner
) -> None:
    rooms, results = itertools.count(1), Counter[str]()
    runner.run(_empty(redis_server))
    opened = cranked(settings_over(redis_server, tmp_path, playbooks=voted, partitions=4))
    crank = runner.run(opened.__aenter__())

    async def live(data: st.DataObject) -> None:
        life = Life(crank, f"life-{next(rooms)}", data)
        before: dict[str, Kept] = {}
        await life.begin()
        for _ in range(data.draw(st.integers(4, HAPPENINGS))):
            await life.go_on()
            after = await crank.runs(life.room)
            for kept in after:
                await agrees(crank, kept)
            await only_grown(crank, before, after)
            before = {kept.run.id: kept for kept in after}
        results.update(e.get("result", e.get("event", "")) for k in after for e in k.entries)
        results.update(kept.status for kept in after)

    @seed(SEED)
    @ONCE
    @given(st.data())
    def lives(data: st.DataObject) -> None:
        runner.run(live(data))

    try:
        lives()
    finally:
        runner.run(opened.__aexit__(None, None, None))
    # The lives were not all the same.
    wanted = {"decided", "not_approver", "unknown_choice", "stale", "not_open", "form"}
    assert wanted <= set(results), results


async def _empty(redis_server: EmbeddedServer) -> None:
    async with Redis.from_url(redis_server.url) as client:
        await client.flushall()
