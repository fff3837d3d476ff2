"""Item 9: many people at one card: who wins, and how soon each of them is told."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

import aiohttp
from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.store import RedisDecisions, RedisMailbox
from tests.bench.contestants import ours
from tests.bench.figures import Figures, ms, table
from tests.bench.load import PATIENCE_S
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.fakes.review_desk import Desk, StillScripts, answered, directory
from tests.fakes.web_room import WebRoom, button, new_id
from tests.scenarios.test_web_walk import to_review

PAIRS = 1000
AT_ONE_CARD = 1000
PEOPLE = ("chen", "wu", "lin", "zhao")
# The desk's cards belong to no run that a worker could take.
BESIDE = 1


async def reviews(plan: Plan, folder: Path) -> Result:
    """A thousand meetings of two reviewers, then a thousand taps on one card over HTTP."""
    rows: dict[str, Figures] = {}
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        contestant = await ours(stack, folder / "signoff", SLACK, SIGNOFF_WEBCHAT="on")
        client = await stack.enter_async_context(
            Redis(
                port=contestant.store,
                db=BESIDE,
                decode_responses=True,
                socket_timeout=PATIENCE_S,
            )
        )
        rows["two at a time"] = await _pairs(_desk(client, folder), faults)
        plan.say(f"reviews: {PAIRS:,} meetings of two")
        rows["all at one card"] = await _crowd(contestant.port, faults)
    title = "taps on one card at the same instant: how soon each tapper is told what came of it"
    return Result("reviews", rows, table(title, rows), faults)


def _desk(client: Redis, folder: Path) -> Desk:
    scripts, partitions = StillScripts(client), Partitions(1)
    return Desk(
        scripts=scripts,
        partitions=partitions,
        mailbox=RedisMailbox(scripts, partitions, lease_s=30, bell=client),
        decisions=RedisDecisions(scripts, partitions),
        people=directory(folder),
        conversation="web:local:bench",
    )


async def _pairs(desk: Desk, faults: list[str]) -> Figures:
    """Each meeting has one winner, one loser who is told who won, and one wake of the run."""
    told_s: list[float] = []
    for number in range(PAIRS):
        card = await desk.card()

        async def timed(person: str, choice: str) -> Any:
            begun = perf_counter()
            told = await desk.tap(person, card, choice)  # noqa: B023
            told_s.append(perf_counter() - begun)
            return answered(told)

        pair = [timed("ana", "approve"), timed("cara", "reject")]
        one, other = await asyncio.gather(*(pair if number % 2 else reversed(pair)))
        if one.ok == other.ok or len(await desk.mails(card)) != 1:
            faults.append(f"{card.token}: {one} and {other}")
    decisions = PAIRS - len(faults)
    return {"taps": float(2 * PAIRS), "decisions": float(decisions), **_figures(told_s)}


async def _crowd(port: int, faults: list[str]) -> Figures:
    """One card, so many taps: exactly one decides, and nobody is left without an answer."""
    url, told_s = f"http://127.0.0.1:{port}", list[float]()
    timeout, connector = aiohttp.ClientTimeout(total=PATIENCE_S), aiohttp.TCPConnector(limit=0)
    async with (
        WebRoom(url) as room,
        aiohttp.ClientSession(url, connector=connector, timeout=timeout) as http,
    ):
        data = button(await to_review(room), "approve")

        async def tap(number: int) -> str:
            person = PEOPLE[number % len(PEOPLE)]
            body = {"room": room.room, "person": person, "button": data, "id": new_id()}
            begun = perf_counter()
            async with http.post("/chat/taps", json=body) as response:
                answer = await response.json()
            told_s.append(perf_counter() - begun)
            return str(answer.get("text", "")) if answer.get("ok") else ""

        told = await asyncio.gather(*(tap(number) for number in range(AT_ONE_CARD)))
        # Whoever won may have tapped again: that is a success too, and says so.
        won = sum(bool(text) and "已经记录" not in text for text in told)
        if won != 1:
            faults.append(f"{won} taps decided the card")
        await room.card("phase_done")
    return {"taps": float(AT_ONE_CARD), "decisions": float(won), **_figures(told_s)}


def _figures(told_s: list[float]) -> Figures:
    return {"p50 ms": ms(told_s, 0.5), "p99 ms": ms(told_s, 0.99), "max ms": ms(told_s, 1)}
