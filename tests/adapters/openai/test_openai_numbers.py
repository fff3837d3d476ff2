"""What an answer cost, and what the observer is told."""

import pytest

from engine.errors import BadModelOutput, ModelRefused
from engine.ports.model import Message
from engine.ports.storage.model_numbers import Attempt
from tests.adapters.openai.conftest import Connect, Observed
from tests.fakes.model_server import Reply, fail, garble, refuse, say

ASK = (Message(role="user", content="你好"),)


async def test_an_answer_says_which_model_gave_it_and_what_it_cost(connect: Connect) -> None:
    prices = {"first": (1.0, 1.0), "second": (2.5, 10.0)}
    _, model = await connect(
        fail(404), say("Hello", tokens=1000), fallbacks=("second",), prices=prices
    )
    answer = await model.complete(ASK)
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    assert (answer.model, answer.tokens, prompt + completion) == ("second", 1000, 1000)
    assert prompt > 0
    assert answer.cost == pytest.approx((prompt * 2.5 + completion * 10) / 1_000_000)


async def test_without_usage_or_price_nothing_is_made_up(connect: Connect) -> None:
    _, model = await connect(say("Hello"), Reply(text="Hello", usage=False))
    priceless, silent = await model.complete(ASK), await model.complete(ASK)
    assert (priceless.cost, priceless.tokens > 0) == (0.0, True)
    assert (silent.tokens, silent.prompt_tokens, silent.completion_tokens) == (0, 0, 0)


@pytest.mark.parametrize(
    "usage", ['{"prompt_tokens": 5, "completion_tokens": 2}', '{"total_tokens": 7}']
)
async def test_half_a_usage_is_read_as_far_as_it_goes(usage: str, connect: Connect) -> None:
    choice = '{"message": {"content": "Hi"}, "finish_reason": "stop"}'
    _, model = await connect(garble(f'{{"choices": [{choice}], "usage": {usage}}}'))
    assert (await model.complete(ASK)).tokens == 7


async def test_the_observer_is_told_of_every_attempt(connect: Connect, observed: Observed) -> None:
    script = (fail(503), fail(429), say("Hi", tokens=1000), fail(401), say("Hi"), refuse())
    _, model = await connect(*script, fallbacks=("second",), prices={"first": (1.0, 1.0)})
    for _ in range(2):
        await model.complete(ASK)
    with pytest.raises(ModelRefused):
        await model.complete(ASK)
    told = [(attempt.model, attempt.outcome) for attempt in observed.attempts]
    assert told == [
        ("first", "failed"),
        ("first", "limited"),
        ("first", "ok"),
        ("first", "denied"),
        ("second", "ok"),
        ("first", "refused"),
    ]
    well = observed.attempts[2]
    assert (well.prompt_tokens + well.completion_tokens, well.cost) == (1000, 0.001)
    assert 0 < well.took_s < 60
    # What is refused is paid for.
    assert observed.attempts[5].prompt_tokens > 0
    assert observed.attempts[0] == Attempt("first", "failed", observed.attempts[0].took_s)


async def test_garbage_is_told_and_counts_against_the_model(
    connect: Connect, observed: Observed
) -> None:
    server, model = await connect()
    server.script(lambda request: garble("<html>"))
    for _ in range(5):
        with pytest.raises(BadModelOutput):
            await model.complete(ASK)
    assert (set(observed.outcomes()), observed.changes) == ({"bad"}, [("first", "open")])
