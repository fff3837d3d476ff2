"""Retries, what a server asks to wait, the breaker, and how many requests go at once."""

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from adapters.openai import TimeLimits
from engine.errors import ModelRefused, ModelUnavailable
from engine.ports.model import Message
from tests.adapters.openai.conftest import Clock, Connect, Observed
from tests.fakes.model_server import ModelServer, Reply, cut, fail, refuse, say, slow
from tests.fakes.platforms.patience import PATIENCE_S, within

ASK = (Message(role="user", content="你好"),)


def asked(server: ModelServer) -> list[str]:
    return [request["model"] for request in server.requests]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_passes_is_tried_three_times_then_the_next_model_is_asked(
    status: int, connect: Connect, clock: Clock
) -> None:
    server, model = await connect(*[fail(status)] * 3, say("Hi"), fallbacks=("second",))
    answer = await model.complete(ASK)
    assert (answer.text, answer.model) == ("Hi", "second")
    assert asked(server) == ["first"] * 3 + ["second"]
    first, second = clock.pauses
    assert 0 <= first <= 0.5
    assert 0 <= second <= 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_does_not_pass_is_not_tried_again(
    status: int, connect: Connect, clock: Clock
) -> None:
    server, model = await connect(fail(status), say("Hi"), fallbacks=("second",))
    assert (await model.complete(ASK)).model == "second"
    assert (asked(server), clock.pauses) == (["first", "second"], [])


async def test_pauses_are_spread(connect: Connect, clock: Clock) -> None:
    server, model = await connect()
    server.script(lambda r: fail(503) if len(server.requests) % 2 else say("Hi"))
    for _ in range(8):
        await model.complete(ASK)
    assert len(set(clock.pauses)) > 4


DATE = datetime(2026, 11, 23, 8, 30, tzinfo=UTC)
LATER = {"date": format_datetime(DATE), "retry_after": format_datetime(DATE + timedelta(seconds=7))}


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry_after": "3"}, 3),
        ({"retry_after": "2.5"}, 2.5),
        ({"retry_after": "20"}, 20),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
        (LATER, 7),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_asks_to_wait_is_waited_for(
    headers: dict[str, str], wait_s: float, status: int, connect: Connect, clock: Clock
) -> None:
    _, model = await connect(fail(status, **headers), say("Hi"))
    await model.complete(ASK)
    assert clock.pauses == [pytest.approx(wait_s)]


@pytest.mark.parametrize("text", ["soon", "-5", "nan", "inf", "", "Mon, 99 Foo 2026"])
async def test_a_wait_that_says_nothing_is_none(text: str, connect: Connect, clock: Clock) -> None:
    _, model = await connect(fail(429, retry_after=text), say("Hi"))
    await model.complete(ASK)
    assert clock.pauses[0] <= 0.5


async def test_a_model_that_asks_for_a_long_wait_is_left_alone_until_then(
    connect: Connect, clock: Clock, observed: Observed
) -> None:
    server, model = await connect(fallbacks=("second",))
    server.script(lambda r: fail(429, retry_after="90") if r["model"] == "first" else say("Hi"))
    for _ in range(2):
        assert (await model.complete(ASK)).model == "second"
    clock.now += 89
    await model.complete(ASK)
    assert asked(server) == ["first", "second", "second", "second"]
    assert (clock.pauses, observed.changes) == ([], [("first", "open")])
    clock.now += 1
    await model.complete(ASK)
    assert asked(server)[4:] == ["first", "second"]


async def test_no_wait_is_longer_than_an_hour(connect: Connect, clock: Clock) -> None:
    _, model = await connect(fail(429, retry_after="99999999"), say("Hi"))
    with pytest.raises(ModelUnavailable):
        await model.complete(ASK)
    clock.now += 3600
    assert (await model.complete(ASK)).text == "Hi"


async def test_a_wait_beyond_the_time_for_an_answer_is_not_begun(
    connect: Connect, clock: Clock
) -> None:
    _, model = await connect(
        fail(429, retry_after="10"), say("Hi"), fallbacks=("second",), limits=TimeLimits(total_s=5)
    )
    assert (await model.complete(ASK)).model == "second"
    assert clock.pauses == []


async def test_a_lost_connection_is_tried_again(connect: Connect, observed: Observed) -> None:
    _, model = await connect(cut(say("Hi"), after=0), say("Hi"))
    assert (await model.complete(ASK)).text == "Hi"
    assert observed.outcomes() == ["no_connection", "ok"]


async def test_the_breaker_opens_after_five_failures_and_closes_by_a_trial(
    connect: Connect, clock: Clock, observed: Observed
) -> None:
    server, model = await connect(*[fail(500)] * 6, say("Hi"), say("Hi"))
    for tried in (3, 5, 5, 5):
        with pytest.raises(ModelUnavailable):
            await model.complete(ASK)
        assert len(server.requests) == tried
    # There is no pause before what will not be asked.
    assert len(clock.pauses) == 3
    clock.now += 30
    with pytest.raises(ModelUnavailable):
        await model.complete(ASK)
    assert len(server.requests) == 6
    clock.now += 29
    with pytest.raises(ModelUnavailable, match="left alone"):
        await model.complete(ASK)
    clock.now += 1
    assert (await model.complete(ASK)).text == "Hi"
    states = [state for _, state in observed.changes]
    assert states == ["open", "half_open", "open", "half_open", "closed"]
    assert (await model.complete(ASK)).text == "Hi"


async def test_with_all_breakers_open_nothing_is_asked_and_nothing_waited_for(
    connect: Connect, observed: Observed
) -> None:
    server, model = await connect(fallbacks=("second",), concurrency=1)
    server.script(lambda request: fail(503))
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await model.complete(ASK)
    before = len(server.requests)
    with pytest.raises(ModelUnavailable, match=r"first: left alone .*second: left alone"):
        await model.complete(ASK)
    assert len(server.requests) == before == 10
    assert observed.outcomes()[-2:] == ["left_alone", "left_alone"]


async def test_while_a_trial_is_under_way_others_go_on_to_the_fallback(
    connect: Connect, clock: Clock
) -> None:
    server, model = await connect(fallbacks=("second",))
    server.script(lambda r: fail(500) if r["model"] == "first" else say("Hi"))
    for _ in range(2):
        await model.complete(ASK)
    clock.now += 30
    release = asyncio.Event()
    server.arrived.clear()
    server.script(lambda r: slow(release) if r["model"] == "first" else say("Hi"))
    async with asyncio.TaskGroup() as group:
        trial = group.create_task(model.complete(ASK))
        await server.is_asked()
        assert (await model.complete(ASK)).model == "second"
        release.set()
    assert trial.result().model == "first"


async def test_a_trial_that_is_cancelled_gives_way_to_another(
    connect: Connect, clock: Clock
) -> None:
    server, model = await connect()
    server.script(lambda request: fail(500))
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await model.complete(ASK)
    clock.now += 30
    server.arrived.clear()
    server.script([slow(asyncio.Event()), say("Hi")])
    trial = asyncio.create_task(model.complete(ASK))
    await server.is_asked()
    trial.cancel()
    await asyncio.wait([trial])
    assert (await model.complete(ASK)).text == "Hi"


@pytest.mark.parametrize("harmless", [refuse(), fail(400), fail(422)])
async def test_an_answer_that_does_not_please_is_no_failure_of_the_model(
    harmless: Reply, connect: Connect, observed: Observed
) -> None:
    server, model = await connect()
    server.script(lambda request: harmless)
    for _ in range(6):
        with pytest.raises(Exception, match=r"declined|rejects"):
            await model.complete(ASK)
    assert (len(server.requests), observed.changes) == (6, [])


async def test_a_pace_that_is_kept_after_a_pause_is_no_outage(
    connect: Connect, observed: Observed
) -> None:
    server, model = await connect(*[fail(429)] * 6, *[say("Hi")] * 6)
    await asyncio.gather(*(model.complete(ASK) for _ in range(6)))
    assert (observed.outcomes().count("limited"), observed.changes) == (6, [])
    server.script(lambda request: fail(429))
    for _ in range(5):
        with pytest.raises(ModelUnavailable):
            await model.complete(ASK)
    assert observed.changes == [("first", "open")]


async def test_who_waits_for_a_place_does_not_ask_a_model_that_failed_meanwhile(
    connect: Connect, observed: Observed
) -> None:
    server, model = await connect(concurrency=1)
    server.script(lambda request: fail(500))
    calls = [model.complete(ASK) for _ in range(8)]
    found = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(error) for error in found} == {ModelUnavailable}
    assert len(server.requests) == 5
    assert "left_alone" in observed.outcomes()


async def test_while_the_only_place_is_on_trial_others_are_told_at_once(
    connect: Connect, clock: Clock
) -> None:
    server, model = await connect(concurrency=1)
    server.script(lambda request: fail(500))
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await model.complete(ASK)
    clock.now += 30
    release = asyncio.Event()
    server.arrived.clear()
    server.script(lambda request: slow(release, "Hi"))
    async with within(PATIENCE_S, "the model answers the trial"), asyncio.TaskGroup() as group:
        trial = group.create_task(model.complete(ASK))
        await server.arrived.wait()
        with pytest.raises(ModelUnavailable, match="left alone"):
            await model.complete(ASK)
        release.set()
    assert trial.result().text == "Hi"


async def test_no_more_requests_go_at_once_than_there_are_places(connect: Connect) -> None:
    release = asyncio.Event()
    server, model = await connect(concurrency=2)
    _, other = await connect(base_url=server.base_url, model="other")
    server.script(lambda r: say("Hello") if r["model"] == "other" else slow(release, "Hi"))
    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(model.complete(ASK)) for _ in range(5)]
        # By the time that another is answered several times, these would have come.
        for _ in range(5):
            await other.complete(ASK)
        assert server.now == 2
        release.set()
    assert [answer.result().text for answer in answers] == ["Hi"] * 5
    assert len([name for name in asked(server) if name == "first"]) == 5


async def test_waiting_for_a_place_counts_for_nothing(connect: Connect, clock: Clock) -> None:
    server, model = await connect(concurrency=1, limits=TimeLimits(total_s=1.5))
    gates = [asyncio.Event() for _ in range(3)]
    server.script(lambda r: slow(gates[len(server.requests) - 1], "Hi"))
    for gate in gates:
        # Each takes most of the time there is; the last waits for longer than that.
        asyncio.get_running_loop().call_later(0.8 * (gates.index(gate) + 1), gate.set)
    answers = await asyncio.gather(*(model.complete(ASK) for _ in gates))
    assert [answer.text for answer in answers] == ["Hi"] * 3
    assert len(server.requests) == 3


async def test_waiting_calls_that_are_cancelled_leave_nothing_behind(connect: Connect) -> None:
    release = asyncio.Event()
    server, model = await connect(slow(release, "Hi"), say("Hello"), concurrency=1)
    first = asyncio.create_task(model.complete(ASK))
    await server.is_asked()
    waiting = [asyncio.create_task(model.complete(ASK)) for _ in range(4)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    release.set()
    assert (await first).text == "Hi"
    assert (await model.complete(ASK)).text == "Hello"
    assert len(server.requests) == 2


async def test_a_call_that_is_cancelled_gives_its_place_back(connect: Connect) -> None:
    server, model = await connect(slow(asyncio.Event()), say("Hello"), concurrency=1)
    first = asyncio.create_task(model.complete(ASK))
    await server.is_asked()
    first.cancel()
    await asyncio.wait([first])
    assert (await model.complete(ASK)).text == "Hello"


async def test_a_refusal_of_the_first_model_does_not_ask_the_second(connect: Connect) -> None:
    server, model = await connect(refuse(), say("Hi"), fallbacks=("second",))
    with pytest.raises(ModelRefused):
        await model.complete(ASK)
    assert asked(server) == ["first"]


@pytest.mark.parametrize(
    ("answers", "after_s"),
    [([fail(500)] * 5, 31), ([fail(429, retry_after="90")] * 5, 91), ([fail(404)] * 5, 31)],
)
async def test_who_is_refused_hears_when_no_model_is_left_alone_any_more(
    answers: list[Reply], after_s: float, connect: Connect
) -> None:
    _, model = await connect(*answers)
    for _ in range(2):
        with pytest.raises(ModelUnavailable) as raised:
            await model.complete(ASK)
    assert raised.value.retry_after_s == pytest.approx(after_s)
