"""Whether others wait while one person asks a slow model sixty things at once."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from redis.asyncio import Redis

from tests.bench import wire
from tests.bench.clones import Names, fill
from tests.bench.contestants import Contestant, ours
from tests.bench.figures import Figures, medians, ms, ratio, table
from tests.bench.load import PATIENCE_S, Load
from tests.bench.messages import OPEN_QUESTION, SLACK
from tests.bench.plan import Plan, Result
from tests.bench.stubs import Stub
from tests.bench.suspended import approve, real_run, until_shown

QUESTIONS = 60
THINKS_S = 2.0
PROBES_S = 30.0
# Probes a second.
LOOK_UPS, HELPS, CANCELS, APPROVALS = 8.0, 4.0, 1.0, 1.0
MOST_ROUNDS = 3
SETTLE_S = 1.0
Probe = Callable[[], Awaitable[float]]


@dataclass(repr=False)
class _Chat:
    """The web chat of the service, where one person asks and others probe."""

    web: wire.Client
    client: Redis
    stub: Stub
    runs: Sequence[Names]
    faults: list[str] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    used: Any = field(default_factory=lambda: itertools.count())

    async def say(self, person: str, room: str, text: str) -> None:
        """One message, which has to be taken."""
        body = {"room": room, "person": person, "id": f"say-{next(self.numbers):08}", "text": text}
        headers = {"Content-Type": "application/json"}
        request = wire.post(self.web.port, "/chat/messages", json.dumps(body).encode(), headers)
        answer = await self.web.ask(request)
        if answer.status != 202:
            raise RuntimeError(f"{answer.status} {answer.body.decode()}")

    async def told(self, room: str, words: str) -> None:
        """Return when the room shows these words."""
        await until_shown(
            self.client,
            f"{{p0}}:chat:web:local:{room}",
            lambda entry: words in json.dumps(entry, ensure_ascii=False),
        )

    async def help(self) -> float:
        """Seconds from `/help` to its answer."""
        room, begun = f"help-{next(self.numbers)}", perf_counter()
        await self.say("lin", room, "/help")
        await self.told(room, "/cancel")
        return perf_counter() - begun

    async def cancel(self) -> float:
        """Seconds from `/cancel` until the run's requester is told that it is cancelled."""
        run, begun = self.runs[next(self.used)], perf_counter()
        await self.say("lin", run.room, "/cancel")
        await self.told(run.room, "已取消")
        return perf_counter() - begun

    async def approve(self) -> float:
        """Seconds from the approving tap until the requester sees that the run is done."""
        _, took_s = await approve(self.web, self.client, self.runs[next(self.used)])
        return took_s

    async def probes(self, name: str, probe: Probe, per_s: float) -> list[float]:
        """How long each took, at a fixed rate however slow they are."""
        took_s: list[float] = []
        begun = perf_counter()

        async def one() -> None:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    took_s.append(await probe())
            except (TimeoutError, OSError, RuntimeError) as error:
                self.faults.append(f"{name}: {type(error).__name__} {error}")

        async with asyncio.TaskGroup() as group:
            for n in range(int(PROBES_S * per_s)):
                await asyncio.sleep(max(0.0, begun + n / per_s - perf_counter()))
                group.create_task(one())
        return took_s

    @asynccontextmanager
    async def asked(self, number: int) -> AsyncIterator[None]:
        """Meanwhile one person asks all their questions at once; all are answered at the end."""
        rooms = [f"ask-{number}-{n}" for n in range(QUESTIONS)]
        await asyncio.gather(*(self.say("wu", room, OPEN_QUESTION) for room in rooms))
        yield
        if not self.stub.thinking:
            self.faults.append("the model had answered before the probes were through")
        async with asyncio.timeout(QUESTIONS * THINKS_S):
            await asyncio.gather(*(self.told(room, "nothing to say about this") for room in rooms))


async def sharing(plan: Plan, folder: Path) -> Result:
    """The same probes in turns: nothing else happens, and one person's questions wait."""
    settings = {"OPENAI_API_KEY": "bench", "LLM_MODEL": "bench", "SIGNOFF_WEBCHAT": "on"}
    idle: list[Figures] = []
    loaded: list[Figures] = []
    rounds = min(plan.rounds, MOST_ROUNDS)
    async with AsyncExitStack() as stack:
        contestant = await ours(stack, folder / "signoff", SLACK, model=True, **settings)
        client = await stack.enter_async_context(
            Redis(port=contestant.store, decode_responses=True, socket_timeout=PATIENCE_S)
        )
        load = contestant.load(SLACK, plan.conversations, itertools.count(1))
        stack.callback(load.close)
        real = await real_run(contestant, client)
        count = int(2 * rounds * PROBES_S * (CANCELS + APPROVALS)) + 1
        await fill(client, real, range(count))
        web = wire.Client(contestant.port)
        stack.callback(web.close)
        runs = [real.clone(n) for n in range(count)]
        chat = _Chat(web, client, contestant.stub, runs)
        contestant.stub.hold_s = THINKS_S
        await load.window(plan.at_once * 4, plan.at_once)
        for number in range(rounds):
            await asyncio.sleep(SETTLE_S)
            idle.append(await _probed(chat, load, contestant))
            async with chat.asked(number):
                loaded.append(await _probed(chat, load, contestant))
            plan.say(f"sharing: round {number + 1} of {rounds}")
    return _result(medians(idle), medians(loaded), chat.faults)


async def _probed(chat: _Chat, load: Load, contestant: Contestant) -> Figures:
    """How long others wait for each kind of thing."""
    before = contestant.cpu_s()
    looked_up, helped, cancelled, approved = await asyncio.gather(
        load.steady(int(LOOK_UPS * PROBES_S), LOOK_UPS),
        chat.probes("/help", chat.help, HELPS),
        chat.probes("/cancel", chat.cancel, CANCELS),
        chat.probes("approved run", chat.approve, APPROVALS),
    )
    chat.faults += looked_up.faults
    took_s = {
        "look-up": looked_up.answers_s,
        "/help": helped,
        "/cancel": cancelled,
        "approved run": approved,
    }
    spent = {f"{name} cpu s": now - before[name] for name, now in contestant.cpu_s().items()}
    return spent | {
        f"{name} p{share:.0%} ms".replace("%", ""): ms(values, share)
        for name, values in took_s.items()
        for share in (0.5, 0.99)
    }


def _result(idle: Figures, loaded: Figures, faults: list[str]) -> Result:
    rows = {
        "idle": idle,
        f"{QUESTIONS} questions": loaded,
        "ratio": {name: ratio(loaded[name], idle[name]) for name in idle},
    }
    title = f"others, while one person asks a model that takes {THINKS_S:.0f} s {QUESTIONS} things"
    return Result("sharing", rows, table(title, rows), faults)
