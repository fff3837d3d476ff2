"""What must hold over the messages of tests/bench/router: nobody's work starts on a guess."""

import json

import pytest

from bot.operate.routing import describe_route
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.bench.router import blind
from tests.bench.router.score import HALVES, Score, interval, messages, scored


async def _score(half: str, context: RouteContext) -> Score:
    meant = messages(half)
    told = [describe_route(m["text"], await route(m["text"], context, None)) for m in meant]
    json.dumps(told)
    return scored(meant, told)


@pytest.mark.parametrize("half", HALVES)
async def test_no_message_starts_work_that_nobody_asked_for(
    half: str, context: RouteContext
) -> None:
    score = await _score(half, context)
    assert score.starts == 0
    assert score.n >= 120


async def test_what_was_never_read_is_mostly_understood(context: RouteContext) -> None:
    score = await _score("frozen", context)
    assert score.exact / score.n >= 0.86
    assert score.decided / score.n >= 0.7


@pytest.mark.parametrize("name", ["november", "december"])
@pytest.mark.more
async def test_of_read_blind_messages_none_is_begun_wrongly_and_hardly_any_is_lost(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPENSES_TOKEN", "none")
    counts = await blind.scored((blind.HERE / f"{name}.jsonl").read_text("utf-8").splitlines())
    figures = blind.figures(counts["all"])
    assert (figures["wrong starts"], figures["conditions lost"]) == (0, 0)
    assert figures["silent misses"] <= 1
    assert figures["precision"] >= 0.97
    assert figures["coverage"] >= 0.49


def test_the_interval_holds_the_share_and_narrows_with_more_messages() -> None:
    few, many = interval(9, 10), interval(900, 1000)
    assert few[0] < 0.9 < few[1]
    assert few[0] < many[0] < 0.9 < many[1] < few[1]


@pytest.mark.parametrize(
    ("text", "condition", "counted"),
    [
        ("could you record today's visit of P003?\nthanks", "", "decided right"),
        ("record today's visit once Dr Wu has signed", "", ""),
        ("record today's visit", "Dr Wu has signed", "conditions lost"),
        ("the elephant sleeps", "", "silent misses"),
    ],
)
async def test_messages_that_nobody_saw_are_counted_by_what_became_of_them(
    text: str, condition: str, counted: str, context: RouteContext
) -> None:
    meant = {"parts": [{"kind": "request", "what": "record_visit", "condition": condition}]}
    told = describe_route(text, await route(text, context, None))
    counts = blind.judge(meant, told)
    bad = {"conditions lost", "silent misses", "decided right"}
    assert {name for name in bad if counts[name]} == {counted} - {""}
