"""A15, A16: who cancels, when, and that nothing happens after (design §3, cancel)."""

import asyncio
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from engine.errors import LeaseLost
from tests.fakes.crank import Crank, Kept, cranked, told
from tests.fakes.stored import read_hash
from tests.fakes.study import visits_in
from tests.reviews.test_audit_reconstructs import agrees
from tests.reviews.test_versions import said
from tests.scenarios.conftest import settings_over
from tests.scenarios.test_run_ends import change

ASK = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"
RACES = 16
ADMIN = """
  - id: gao
    name: 高原 / Gao Yuan
    web: gao
    roles: [admin]
"""


@pytest.fixture
def deadline(playbooks: Path) -> Path:
    """The sample playbooks, in which a review has to come within a day."""
    line = "quorum: 1, four_eyes: true"
    change(playbooks, "skills/visit-review.yaml", line, f"{line}, deadline_s: 86400")
    return playbooks


async def to_review(crank: Crank, room: str = "main") -> None:
    await crank.say("lin", ASK, room)
    await crank.still()


async def today_visits(crank: Crank) -> int:
    """How many visits of the request are in the study."""
    visits = visits_in(crank.parts.settings.data_dir, "P003")
    return len([visit for visit in visits if visit.weight_kg == 60])


async def test_a15_a_tap_on_a_card_of_a_run_that_is_over_is_explained_and_changes_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, deadline: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, playbooks=deadline)) as crank:
        for room, end, why in (
            ("cancelled", "cancel", "流程已取消"),
            ("failed", "expire", "过期"),
            ("finished", "finish", "已由 陈博 / Chen Bo"),
        ):
            await to_review(crank, room)
            card = await crank.card(room)
            await _ended(crank, room, end)
            (kept,) = await crank.runs(room)
            assert kept.ended
            before = (kept.run, kept.ended, await crank.cards_of(kept.run.id))
            for person, choice in (("wu", "approve"), ("zhao", "reject"), ("lin", "nonsense")):
                ok, text = told(await crank.tap(person, card, choice))
                assert not ok
                assert text
                if person == "wu":
                    assert why in text
            await crank.still()
            (after,) = await crank.runs(room)
            assert (after.run, after.ended, await crank.cards_of(kept.run.id)) == before
            assert len(after.log) == len(kept.log) + 3
            await agrees(crank, after)


async def _ended(crank: Crank, room: str, end: str) -> None:
    match end:
        case "cancel":
            await crank.say("lin", "/cancel", room)
        case "finish":
            await crank.tap("chen", await crank.card(room), "approve")
        case _:
            crank.later(2 * 86_400)
            await crank.still()
            crank.later(-2 * 86_400)
    await crank.still()


async def test_a16_of_a_cancel_and_a_decision_at_once_one_wins_and_nothing_runs_after_a_cancel(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    settings = settings_over(redis_server, tmp_path, partitions=4)
    async with cranked(settings) as crank:
        won = {True: 0, False: 0}
        for number in range(RACES):
            room = f"race-{number}"
            await to_review(crank, room)
            card = await crank.card(room)
            await crank.say("lin", "/cancel", room)
            claim = await crank.take()
            assert claim is not None
            # Every other time the cancel has read all that it needs when the tap comes.
            ready = None if number % 2 else await crank.worked(claim)
            cancel = crank.commit(claim, ready) if ready else crank.handle(claim)
            tap = crank.tap("chen", card, "approve")
            if number % 4 == 3:
                # Of the two it is here the tap that comes first.
                answer = await tap
                await cancel
            else:
                _, answer = await asyncio.gather(cancel, tap)
            ok, text = told(answer)
            stored = await crank.now(card)
            assert stored.status == ("decided" if ok else "cancelled")
            assert ok or "流程已取消" in text
            won[ok] += 1
            await crank.still()
            (kept,) = await crank.runs(room)
            assert (kept.status, kept.run.state.written) == ("cancelled", ())
            await agrees(crank, kept)
        assert await today_visits(crank) == 0
        assert won[True] > 0
        assert won[False] > 0


async def _interrupted(crank: Crank, room: str, steps: int) -> tuple[Kept, bool] | None:
    """The run, cancelled while a worker is in this step of it, and whether that was its write.

    None when the run is done before.
    """
    await to_review(crank, room)
    await crank.tap("chen", await crank.card(room), "approve")
    for _ in range(steps):
        await crank.turn()
    claim = await crank.take()
    if claim is None:
        return None
    before = await today_visits(crank)
    handled = await crank.worked(claim)
    wrote = await today_visits(crank) > before
    await crank.say("lin", "/cancel", room)
    await crank.still()
    with pytest.raises(LeaseLost):
        await crank.commit(claim, handled)
    crank.later(3600)
    await crank.still()
    (kept,) = await crank.runs(room)
    return kept, wrote


async def test_a16_a_worker_in_any_step_writes_nothing_after_the_cancel_and_a_write_is_told(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(settings_over(redis_server, tmp_path, partitions=4)) as crank:
        steps, writes = 0, 0
        while found := await _interrupted(crank, f"step-{steps}", steps):
            kept, wrote = found
            await agrees(crank, kept)
            assert kept.ended == "cancelled"
            assert kept.run.status != "completed"
            assert kept.entries[-1]["event"] == "cancelled"
            assert kept.entries[-1].get("in_flight", False) == wrote
            part = str(await read_hash(redis, (await redis.keys(f"*reply:{kept.run.reply}"))[0]))
            assert ("写入可能已经发生" in part) == wrote
            writes += wrote
            steps += 1
            # Free for the next: a study takes a visit of a day once.
            if wrote:
                break
        assert steps == 2
        assert writes == 1
        assert await today_visits(crank) == 1


async def test_a16_only_the_requester_and_an_admin_may_cancel_whatever_the_run_waits_for(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    people = tmp_path / "people.yaml"
    sample = (Path(__file__).parents[2] / "playbooks" / "people.yaml").read_text(encoding="utf-8")
    roles = sample.replace(
        "roles:\n  - ", "roles:\n  - {id: admin, zh: 管理员, en: admin}\n  - ", 1
    )
    people.write_text(roles + ADMIN, encoding="utf-8")
    async with cranked(settings_over(redis_server, tmp_path, people=people)) as crank:
        for room, person in (("own", "lin"), ("admins", "gao")):
            await to_review(crank, room)
            for other in ("chen", "zhao"):
                await crank.say(other, "/cancel", room)
                await crank.still()
                (kept,) = await crank.runs(room)
                assert kept.status == "suspended"
                assert kept.entries[-1]["event"] == "cancel_refused"
                assert (kept.entries[-1]["by"], kept.entries[-1]["via"]) == (other, "web")
            await crank.say(person, "/cancel", room)
            await crank.still()
            (kept,) = await crank.runs(room)
            assert kept.status == "cancelled"
            assert (kept.entries[-1]["by"], kept.entries[-1]["where"]) == (
                person,
                f"web:local:{room}",
            )
        assert "没有可以由你取消的流程" in await said(crank)
