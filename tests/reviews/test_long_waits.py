"""A12, A39: runs that wait for long, and a store that is full."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from engine.events import CardTapped, NotRecorded
from tests.bench.clones import REQUEST, ROOM, Names, fill, original
from tests.contracts.test_memory_full import full
from tests.fakes.crank import Crank, cranked, told
from tests.fakes.redis_servers import SAFE, server
from tests.fakes.settings import make_settings
from tests.fakes.study import visits_in
from tests.reviews.test_audit_reconstructs import agrees
from tests.reviews.test_cancelled import to_review, today_visits
from tests.scenarios.conftest import settings_over

WAITING, DAYS, AT_ONCE = 150, 30, 50
SAMPLES = Path(__file__).parents[2] / "playbooks"
# Answers to repeats, idle lanes, what was said, how it was understood, findings on their way.
SHORT_LIVED = (":e:", ":h", ":chat:", ":st", ":trace", "/check/")


async def _made(crank: Crank, client: Redis) -> list[Names]:
    """Runs that wait for a reviewer: one by a request, the others as it is."""
    await crank.say("lin", REQUEST, ROOM)
    await crank.still()
    real = await original(client, (await crank.card(ROOM)).token)
    await fill(client, real, range(WAITING))
    return [real.clone(number) for number in range(WAITING)]


async def _kept_for_ever(client: Redis, names: Names) -> None:
    """Nothing that the run needs goes away by itself (I7)."""
    mine = [str(key) for key in await client.keys("*") if any(n in str(key) for n in names.words)]
    assert len(mine) > 8
    for key in mine:
        if not any(part in key for part in SHORT_LIVED):
            assert await client.pttl(key) == -1, key


async def _tapped(crank: Crank, waiting: Sequence[Names]) -> list[bool]:
    """Whether each card took its reviewer's decision."""
    answers: list[bool] = []
    # A tap that waits for its turn here would not be recorded in time for an answer.
    for begin in range(0, len(waiting), AT_ONCE):
        some = waiting[begin : begin + AT_ONCE]
        taps = (crank.give(CardTapped, run.room, "chen", button=run.button) for run in some)
        answers += [told(answer)[0] for answer in await asyncio.gather(*taps)]
    return answers


async def test_a12_after_a_restart_of_everything_and_thirty_days_every_card_is_answerable(
    tmp_path: Path,
) -> None:
    with server(tmp_path / "redis", **SAFE) as port:
        settings = _settings(port, tmp_path)
        async with (
            Redis(port=port, decode_responses=True, socket_timeout=60) as client,
            cranked(settings) as crank,
        ):
            waiting = await _made(crank, client)
            await _kept_for_ever(client, waiting[0])
    # The store was killed with everything else.
    with server(tmp_path / "redis", **SAFE) as port:
        async with cranked(_settings(port, tmp_path)) as crank:
            crank.later(DAYS * 86_400)
            assert await _tapped(crank, waiting) == [True] * WAITING
            while any(await asyncio.gather(*(crank.turn() for _ in range(AT_ONCE)))):
                pass
            for run in waiting[:: WAITING // 10]:
                kept = await crank.kept(run.run)
                await agrees(crank, kept)
                assert kept.run.state.written == ("record_visit",)
            visits = visits_in(crank.parts.settings.data_dir, "P003")
            assert len({visit.visit_date for visit in visits}) >= WAITING


def _settings(port: int, folder: Path) -> Settings:
    given = {"redis_url": f"redis://127.0.0.1:{port}/0", "data_dir": folder / "data"}
    # The clones are made for one partition.
    more = {"playbooks": SAMPLES, "people": SAMPLES / "people.yaml", "partitions": 1}
    # One reviewer decides on all of them within a minute.
    more["messages_per_min"] = 10 * WAITING
    return make_settings(**given, **more)


async def test_a39_a_full_store_takes_no_decision_says_so_and_loses_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with (
        cranked(settings_over(redis_server, tmp_path)) as crank,
        Redis.from_url(redis_server.url) as raw,
    ):
        await to_review(crank)
        card = await crank.card()
        async with full(raw):
            answer = await crank.tap("chen", card, "approve")
            assert isinstance(answer, NotRecorded)
            assert "没有记录成功" in answer.text
            assert isinstance(await crank.say("lin", "P003 的 ECOG"), NotRecorded)
            assert (await crank.now(card)).status == "open"
        assert told(await crank.tap("chen", card, "approve"))[0]
        await crank.still()
        assert await today_visits(crank) == 1
