"""Item 12: what the admin pages cost among more and more runs."""

from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter

from redis.asyncio import Redis

from tests.bench.clones import Original, fill
from tests.bench.contestants import ours
from tests.bench.figures import Figures, ms, table
from tests.bench.load import PATIENCE_S
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.bench.suspended import real_run
from tests.fakes.admin_client import TOKEN, AdminClient

TIMES = 20
BATCH = 5_000
FAILED_EVERY, RARE_EVERY = 10, 10_000
STARTED_MS = 1_790_000_000_000


async def pages(plan: Plan, folder: Path) -> Result:
    """The same pages of one service, at each number of runs."""
    async with AsyncExitStack() as stack:
        more = {"SIGNOFF_WEBCHAT": "on", "SIGNOFF_ADMIN_TOKEN": TOKEN}
        contestant = await ours(stack, folder / "signoff", SLACK, **more)
        client = await stack.enter_async_context(
            Redis(port=contestant.store, decode_responses=True, socket_timeout=PATIENCE_S)
        )
        real = await real_run(contestant, client)
        admin = AdminClient(f"http://127.0.0.1:{contestant.port}")
        await stack.enter_async_context(admin)
        await admin.sign_in()
        rows: dict[str, Figures] = {}
        faults: list[str] = []
        have = 0
        for size in sorted(plan.sizes):
            await fill(client, real, range(have, size))
            await _listed(client, real, range(have, size))
            have = size
            for name, path in _paths(real, size).items():
                rows[f"{size:,} {name}"] = await _measure(admin, path, faults)
            plan.say(f"pages: {size:,}")
    title = f"admin pages: ms until all of it is there, of {TIMES} times"
    return Result("pages", rows, table(title, rows, first="runs, page"), faults)


async def _listed(client: Redis, real: Original, numbers: Iterable[int]) -> None:
    """The clones in what runs and open cards are listed by; some failed, a few are somebody's."""
    numbers = list(numbers)
    for first in range(0, len(numbers), BATCH):
        async with client.pipeline(transaction=False) as pipe:
            for number in numbers[first : first + BATCH]:
                names = real.clone(number)
                pipe.zadd("{p0}:runs", {names.run: STARTED_MS + number})
                pipe.zadd("{p0}:open", {names.card: STARTED_MS + number})
                if number % FAILED_EVERY == 0:
                    pipe.hset(f"{{p0}}:run:{names.run}", "status", "failed")
                if number % RARE_EVERY == 1:
                    pipe.hset(f"{{p0}}:run:{names.run}", "who", "rare")
            await pipe.execute()


def _paths(real: Original, size: int) -> dict[str, str]:
    middle = STARTED_MS + size // 2
    return {
        "newest": "/runs",
        "from the middle": f"/runs?after={middle}:{real.clone(size // 2).run}",
        "one in ten (status)": "/runs?status=failed",
        "one in 10,000 (person)": "/runs?person=rare",
        "none (text)": "/runs?text=nobody-wrote-this",
        "one run": f"/runs/{real.clone(size - 1).run}",
        "pending, 500 cards": "/pending",
        "metrics": "/metrics",
    }


async def _measure(admin: AdminClient, path: str, faults: list[str]) -> Figures:
    took: list[float] = []
    for _ in range(TIMES):
        begun = perf_counter()
        page = await admin.get(path, Authorization=f"Bearer {TOKEN}")
        took.append(perf_counter() - begun)
        if page.status != 200:
            faults.append(f"{path}: {page.status}")
    return {"p50 ms": ms(took, 0.5), "p95 ms": ms(took, 0.95)}
