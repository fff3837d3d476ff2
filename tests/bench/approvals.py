"""Approvals: asked for, shown as a card, tapped, resumed and written; ours beside durable peers."""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from redis.asyncio import Redis

from tests.bench import durable, processes, wire
from tests.bench.commands import Watch
from tests.bench.contestants import OURS, ours
from tests.bench.figures import Figures, medians, ms, ratio, table
from tests.bench.load import PATIENCE_S
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.bench.suspended import until_shown

ALONE = 40
AT_ONCE = 16
# Work that goes on after the last answer belongs to the approvals as well.
AFTERWARDS_S = 0.5
FIRST_DAY = date(1500, 1, 1)
PER = "cpu s / 1000"
_COMPARED = (PER, "approvals/s", "card p50 ms", "done p50 ms")
_JSON = {"Content-Type": "application/json"}


class _Way(Protocol):
    """How one contestant is asked: until there is a card, and from the tap until it is done."""

    async def ask(self, number: int) -> str:
        """What the card is tapped by."""

    async def approve(self, number: int, card: str) -> None:
        """Return once it is written, and told."""


@dataclass
class WebChat:
    """Ours, as people meet it."""

    web: wire.Client
    client: Redis

    async def ask(self, number: int) -> str:
        day = (FIRST_DAY + timedelta(days=number)).isoformat()
        text = f"补录 P003 {day} 的访视，体重 61.5，血压 120/80，ECOG 1"
        await self._post("messages", number, "lin", {"text": text}, 202)
        found: list[str] = []

        def is_card(entry: dict[str, Any]) -> bool:
            card = entry.get("view", {}).get("card") or {}
            buttons = [b["data"] for b in card.get("buttons", ())]
            found.extend(data for data in buttons if data.split(":")[2:3] == ["approve"])
            return bool(found)

        await until_shown(self.client, _stream(number), is_card)
        return found[0]

    async def approve(self, number: int, card: str) -> None:
        await self.tap(number, card)
        await self.until_done(number)

    async def tap(self, number: int, card: str) -> None:
        """Return once it is decided."""
        await self._post("taps", number, "chen", {"button": card}, 200)

    async def until_done(self, number: int) -> None:
        """Return once the requester is told that it is done."""
        await until_shown(self.client, _stream(number), _is_done)

    async def _post(
        self, what: str, number: int, person: str, more: dict[str, str], status: int
    ) -> None:
        room = f"a{number:06d}"
        body = {"room": room, "person": person, "id": f"{what}-{room}", **more}
        answer = await self.web.ask(
            wire.post(self.web.port, f"/chat/{what}", json.dumps(body).encode(), _JSON)
        )
        if answer.status != status:
            raise RuntimeError(f"{answer.status} {answer.body.decode()}")


def _stream(number: int) -> str:
    return f"{{p0}}:chat:web:local:a{number:06d}"


def _is_done(entry: dict[str, Any]) -> bool:
    return any(part["state"] == "done" for part in entry.get("view", {}).get("parts", ()))


@dataclass
class _Direct:
    """A peer, whose answers to two requests are all that anybody sees."""

    web: wire.Client

    async def ask(self, number: int) -> str:
        return str((await self._post("/ask", {"number": number}))["card"])

    async def approve(self, number: int, card: str) -> None:
        told = await self._post("/tap", {"card": card, "by": "chen", "choice": "approve"})
        if told.get("state") != "done":
            raise RuntimeError(str(told))

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = wire.post(self.web.port, path, json.dumps(body).encode(), _JSON)
        answer = await self.web.ask(request)
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {answer.body.decode()}")
        told: dict[str, Any] = json.loads(answer.body)
        return told


@dataclass
class _Contestant:
    name: str
    way: _Way
    children: dict[str, processes.Child]
    numbers: Iterator[int] = field(default_factory=itertools.count)
    rounds: list[Figures] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def cpu_s(self) -> dict[str, float]:
        return {name: child.cpu_s() for name, child in self.children.items()}

    async def one(self) -> tuple[float, float] | None:
        """Seconds to the card, and from the tap until it is done; None with a fault."""
        number = next(self.numbers)
        try:
            async with asyncio.timeout(PATIENCE_S):
                begun = perf_counter()
                card = await self.way.ask(number)
                shown = perf_counter()
                await self.way.approve(number, card)
                return shown - begun, perf_counter() - shown
        except (TimeoutError, OSError, RuntimeError) as error:
            self.faults.append(f"{self.name} {number}: {type(error).__name__} {error}")
            return None


async def approvals(plan: Plan, folder: Path) -> Result:
    """Rounds in which each contestant is measured once, alone and under load."""
    async with AsyncExitStack() as stack:
        mine, client, store = await _ours(stack, folder / OURS)
        everyone = [mine, *[_peer(peer) for peer in await durable.peers(stack, folder, plan.say)]]
        for one in everyone:
            await _load(one, AT_ONCE * 2)
        for number in range(plan.rounds):
            for one in everyone[number % len(everyone) :] + everyone[: number % len(everyone)]:
                one.rounds.append(await _round(one, plan.messages // 4))
            plan.say(f"approvals: round {number + 1} of {plan.rounds}")
        counted = await _counted(mine, client, store)
    rows = {one.name: medians(one.rounds) for one in everyone}
    ratios = {
        f"{OURS} / {name}": {n: ratio(rows[OURS][n], row[n]) for n in _COMPARED}
        for name, row in rows.items()
        if name != OURS
    }
    text = table("approvals: asked for, card, tapped, resumed, written", rows)
    text += "\n" + table("ratios", ratios) if ratios else ""
    text += "\n" + table("of ours, one alone, counted", {"per approval": counted})
    found = {"medians": rows, "ratios": ratios, "counted": counted}
    return Result("approvals", found, text, [fault for one in everyone for fault in one.faults])


async def _ours(stack: AsyncExitStack, folder: Path) -> tuple[_Contestant, Redis, int]:
    contestant = await ours(stack, folder, SLACK, SIGNOFF_WEBCHAT="on")
    client = await stack.enter_async_context(
        Redis(port=contestant.store, decode_responses=True, socket_timeout=PATIENCE_S)
    )
    web = wire.Client(contestant.port)
    stack.callback(web.close)
    children = dict(contestant.children)
    return _Contestant(OURS, WebChat(web, client), children), client, contestant.store


def _peer(peer: durable.Peer) -> _Contestant:
    return _Contestant(peer.name, _Direct(wire.Client(peer.port)), dict(peer.children))


async def _load(one: _Contestant, count: int) -> int:
    """So many approvals, of which some are always under way; how many came to their end."""
    left, ends = iter(range(count)), list[tuple[float, float]]()

    async def worker() -> None:
        for _ in left:
            ends.extend(filter(None, [await one.one()]))

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(worker())
    return len(ends)


async def _round(one: _Contestant, count: int) -> Figures:
    took = [found for _ in range(ALONE) if (found := await one.one())]
    await asyncio.sleep(AFTERWARDS_S)
    before, begun = one.cpu_s(), perf_counter()
    ends = max(1, await _load(one, count))
    lasted = perf_counter() - begun
    await asyncio.sleep(AFTERWARDS_S)
    spent = {name: (s - before[name]) * 1000 / ends for name, s in one.cpu_s().items()}
    cards, dones = zip(*took, strict=True) if took else ((), ())
    return {
        PER: sum(spent.values()),
        **{f"{name} s": s for name, s in spent.items()},
        "approvals/s": ends / lasted,
        "card p50 ms": ms(cards, 0.5),
        "done p50 ms": ms(dones, 0.5),
        "rss MB": sum(child.rss_mb() for child in one.children.values()),
    }


async def _counted(one: _Contestant, client: Redis, store: int) -> Figures:
    """Scripts and steps of approvals that are alone."""
    watch, begun = Watch(store), asyncio.Event()
    watching = asyncio.create_task(watch.follow(begun))
    await begun.wait()
    before = await _entries(client)
    for _ in range(ALONE):
        await one.one()
    await asyncio.sleep(AFTERWARDS_S)
    watching.cancel()
    await asyncio.wait([watching])
    asked = Counter(a.name for a in watch.asked if not a.inner)
    ours_alone = {name: n for name, n in asked.items() if name.islower()}
    steps = (await _entries(client) - before) / ALONE
    return {
        "script calls": sum(ours_alone.values()) / ALONE,
        "log entries": steps,
        **{name: n / ALONE for name, n in sorted(ours_alone.items(), key=lambda x: -x[1])[:8]},
    }


async def _entries(client: Redis) -> int:
    found = [key async for key in client.scan_iter("{p0}:log:*", count=1000)]
    return sum([await _length(client.llen, key) for key in found])


async def _length(read: Callable[[str], Awaitable[int] | int], key: str) -> int:
    found = read(key)
    return found if isinstance(found, int) else await found
