"""A worker's numbers on their way to all, over a real store that may be away."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from adapters.redis import keys
from adapters.redis.client import Client
from adapters.redis.connect import connect
from adapters.redis.repositories.model_numbers import RedisModelNumbers
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer
from adapters.redis.store import RedisMailbox
from bot.people.directory import Directory
from bot.telemetry.metrics import SharedMeter
from bot.telemetry.model_watch import ModelWatch
from engine.mail import ServiceNotice, parse_mail
from engine.ports.meter import NO_METER, Meter
from engine.ports.storage.model_numbers import Attempt
from tests.fakes.gate import Gate
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.settings import load_people

PEOPLE = """
roles:
  - {id: admin, zh: 管理员, en: admin}
people:
  - {id: gao, name: 高原 / Gao Yuan, web: gao, roles: [admin]}
  - {id: kim, name: Kim Made-Up, slack: ["T1:U1"], telegram: ["7"], roles: [admin]}
  - {id: zhao, name: 赵敏, slack: ["T1:U2"], roles: []}
"""


@pytest.fixture
def people(tmp_path: Path) -> Directory:
    file = tmp_path / "people.yaml"
    file.write_text(PEOPLE, "utf-8")
    return replace(load_people(file), platforms=["web", "slack"])


def watching(
    client: Client, partitions: keys.Partitions, people: Directory, meter: Meter = NO_METER
) -> ModelWatch:
    mailbox = RedisMailbox(Scripts(client), partitions, lease_s=30, bell=client)
    numbers = RedisModelNumbers(client)
    return ModelWatch(numbers, mailbox, people, meter)


async def mails(redis: Redis, partitions: keys.Partitions) -> dict[str, ServiceNotice]:
    """What lies in lanes, by lane."""
    mailbox = RedisMailbox(Scripts(redis), partitions, lease_s=30, bell=redis)
    found = {}
    for claim in (await mailbox.take(10)).claims:
        mail = parse_mail(claim.mail)
        assert isinstance(mail, ServiceNotice)
        found[claim.lane] = mail
    return found


async def test_attempts_are_counted(
    redis: Redis, partitions: keys.Partitions, people: Directory
) -> None:
    meter = SharedMeter(RedisModelNumbers(redis))
    watch = watching(redis, partitions, people, meter)
    watch.record_attempt(Attempt("m", "ok", 0.7, 100, 20, 0.5))
    watch.record_attempt(Attempt("m", "ok", 99.0, 1, 0, 0.25))
    watch.record_attempt(Attempt("m", "failed", 3.0))
    await meter.share()
    assert await RedisModelNumbers(redis).counts() == {
        ("calls", "m", "ok"): 2,
        ("calls", "m", "failed"): 1,
        ("tokens", "m", "prompt"): 101,
        ("tokens", "m", "completion"): 20,
        ("cost", "m"): 0.75,
        ("seconds", "m", "1"): 1,
        ("seconds", "m", "+Inf"): 1,
        ("seconds_sum", "m"): pytest.approx(99.7),
    }


async def test_what_a_store_does_not_take_is_passed_on_later(
    redis: Redis, redis_server: EmbeddedServer, partitions: keys.Partitions, people: Directory
) -> None:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        client = await connect(f"redis://127.0.0.1:{gate.port}/0")
        watch = watching(client, partitions, people)
        gate.shut()
        watch.changed("m", "open")
        with capture_logs() as lines:
            await watch.share()
        assert [line["event"] for line in lines] == ["model_numbers_wait"]
        gate.open()
        await watch.share()
        await client.aclose()
    numbers = RedisModelNumbers(redis)
    assert await numbers.states(["m"]) == {"m": "open"}
    assert len(await mails(redis, partitions)) == 2


async def test_an_opening_is_logged_and_told_to_admins_once_an_hour_over_all_workers(
    redis: Redis, partitions: keys.Partitions, people: Directory
) -> None:
    workers = [watching(redis, partitions, people) for _ in range(2)]
    with capture_logs() as lines:
        for watch in workers:
            for state in ("open", "half_open", "open", "half_open", "closed", "open"):
                watch.changed("gpt_*x*", state)
                await watch.share()
    events = [(line["event"], line["log_level"], line["model"]) for line in lines]
    left, back = (("model_left_alone", "warning"), ("model_back", "info"))
    assert events == [(*event, "gpt_*x*") for event in (left, back, left)] * 2
    told = await mails(redis, partitions)
    # Who has no account on a connected platform is not reached, and who is no admin not told.
    assert {lane: mail.lang for lane, mail in told.items()} == {
        "control:web:local:main": "zh",
        "control:slack:T1:U1": "en",
    }
    assert "gpt\\_\\*x\\*" in told["control:slack:T1:U1"].text


async def test_what_is_not_well_is_kept_alive_until_it_is(
    redis: Redis, partitions: keys.Partitions, people: Directory
) -> None:
    watch = watching(redis, partitions, people)
    numbers = RedisModelNumbers(redis)
    watch.changed("m", "open")
    await watch.share()
    await redis.delete(keys.model_state("m"))
    await watch.share()
    assert await numbers.states(["m"]) == {"m": "open"}
    watch.changed("m", "closed")
    await watch.share()
    assert await numbers.states(["m"]) == {"m": "closed"}
    # Another's finding stands once this one has said what it had to say.
    await numbers.record_state("m", "open")
    await watch.share()
    assert await numbers.states(["m"]) == {"m": "open"}


async def test_what_came_last_is_passed_on_at_the_end(
    redis: Redis, partitions: keys.Partitions, people: Directory
) -> None:
    watch = watching(redis, partitions, people)
    stop = asyncio.Event()
    async with within(PATIENCE_S, "it ends when it is told to"), asyncio.TaskGroup() as group:
        group.create_task(watch.run(stop, every_s=2 * PATIENCE_S))
        watch.changed("m", "open")
        stop.set()
    assert await RedisModelNumbers(redis).states(["m"]) == {"m": "open"}
