"""A process that ends at any named point changes nothing of how things end (design §1, §3)."""

import asyncio
import json
import re
import signal
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.failpoints import POINTS
from bot.processes.web import application
from bot.processes.worker import run_worker
from bot.settings import Settings
from bot.waits import pause
from bot.wiring.service import open_parts
from engine.ports.storage.operations import Backlog
from tests.bot.signoff_process import environment
from tests.fakes.forge import forged
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.ports import free_port
from tests.fakes.stored import read_entries
from tests.fakes.web_room import Message, WebRoom, button, new_id, text_of
from tests.scenarios.conftest import settings_over
from tests.scenarios.test_web_walk import ASK, GOOD, today

WEB = ("mailbox.put", "decisions.decide")
# What the walk comes by.
ELSEWHERE = ("memory.remember", "projects.add", "projects.bind", "records.swap")
"""Points that this walk does not pass: other tests end there."""
PASSED = tuple(point for point in POINTS if point not in ELSEWHERE)
# What a process that ended held comes free after this long.
LEASE_S = 1


@dataclass(frozen=True, slots=True)
class End:
    """What is left of a walk, without its times and ids."""

    shown: tuple[str, ...]
    visits: tuple[tuple[Any, ...], ...]
    run: tuple[str, ...]
    steps: tuple[str, ...]
    waiting: tuple[int, ...]


@asynccontextmanager
async def web_here(settings: Settings) -> AsyncIterator[None]:
    async with open_parts(settings) as parts:
        runner = web.AppRunner(application(parts), handle_signals=False)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", settings.port).start()
        try:
            yield
        finally:
            await runner.cleanup()


@asynccontextmanager
async def worker_here(settings: Settings) -> AsyncIterator[None]:
    stop = asyncio.Event()
    async with open_parts(settings) as parts, asyncio.TaskGroup() as group:
        group.create_task(run_worker(parts, stop))
        try:
            yield
        finally:
            stop.set()


@asynccontextmanager
async def dying(
    command: str, settings: Settings, failpoint: str, **more: str
) -> AsyncIterator[list[int]]:
    """A process of its own that ends at the failpoint, and once more without; its exit codes.

    `more` are variables of its own.
    Nobody waits for anything before it has begun: the session's first one comes after all imports.
    """
    ends: list[int] = []
    begun = asyncio.Event()
    given = {**variables(settings), **more}
    lives = ({**given, "SIGNOFF_FAILPOINT": failpoint}, given)

    async def live() -> None:
        for given in lives:
            folder = settings.data_dir.parent
            env = environment(folder, given)
            with (folder / "log").open("ab") as file:
                log = file.fileno()
                process = await forged(
                    "bot", [command], cwd=folder, env=env, stdout=log, stderr=log
                )
            begun.set()
            try:
                ends.append(await process.wait())
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    living = asyncio.create_task(live())
    waiting = asyncio.create_task(begun.wait())
    try:
        await asyncio.wait([living, waiting], return_when=asyncio.FIRST_COMPLETED)
        assert begun.is_set(), living.exception()
        yield ends
    finally:
        for task in (living, waiting):
            task.cancel()
        await asyncio.wait([living, waiting])


def variables(settings: Settings) -> dict[str, str]:
    """The settings as a process of its own is given them."""
    return {
        "REDIS_URL": settings.redis_url or "",
        "PORT": str(settings.port),
        "SIGNOFF_DATA_DIR": str(settings.data_dir),
        "SIGNOFF_PLAYBOOKS": str(settings.playbooks),
        "SIGNOFF_PEOPLE": str(settings.people),
        "SIGNOFF_PARTITIONS": str(settings.partitions),
        "SIGNOFF_LEASE_S": str(LEASE_S),
        "SIGNOFF_PROJECT": settings.project,
        "SIGNOFF_LANGUAGES": ",".join(settings.languages),
        **_model(settings),
    }


def _model(settings: Settings) -> dict[str, str]:
    if settings.openai_api_key is None:
        return {}
    return {
        "OPENAI_API_KEY": settings.openai_api_key.get_secret_value(),
        "OPENAI_BASE_URL": settings.openai_base_url or "",
        "LLM_MODEL": settings.llm_model or "",
    }


async def insist(answer: Callable[[], Awaitable[tuple[int, Message]]]) -> None:
    """As a person does who sees that nothing came back: once more, until it is taken."""
    async with within(START_S, "it is taken"):
        while True:
            with suppress(aiohttp.ClientError):
                if (await answer())[0] in (200, 202):
                    return
            await pause(asyncio.Event(), 0.05)


async def walk(port: int) -> list[str]:
    """A question and a visit, asked for, filled in and approved; returns what was shown, in order.

    What is sent once more carries the same id.
    """
    async with WebRoom(f"http://127.0.0.1:{port}") as room:
        ids = [new_id() for _ in range(4)]
        await insist(lambda: room.post("messages", "lin", text=ASK["zh"], id=ids[0]))
        asked = await room.card("clarify")
        form = {"button": button(asked, "submit"), "values": GOOD, "id": ids[1]}
        await insist(lambda: room.post("forms", "lin", **form))
        card = await room.card("confirm")
        tap = {"button": button(card, "approve"), "id": ids[2]}
        await insist(lambda: room.post("taps", "chen", **tap))
        await room.card("phase_done")
        await insist(lambda: room.post("messages", "lin", text="P003 的体重是多少?", id=ids[3]))
        await room.wait_for(
            lambda m: m["card"] is None and "61.5" in text_of(m) and today() in text_of(m)
        )
        # What was shown before has reached its last state as well.
        await room.card("confirm", closed=True)
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
        return [_plain(message) for message in room.shown.values()]


def _plain(message: Message) -> str:
    """What a person reads of a message, without tokens and times of day."""
    text = json.dumps(message, ensure_ascii=False, sort_keys=True)
    token = (message["card"] or {}).get("token", "")
    return re.sub(r"s1:[^\"]*|\d\d:\d\d(:\d\d)?", "", text.replace(token, ""))


async def still(settings: Settings) -> Backlog:
    """What waits once everything has been handled and shown."""
    async with open_parts(settings) as parts, within(START_S, "all is handled and shown"):
        while (backlog := await parts.store.operations.backlog()).lanes + backlog.destinations:
            await pause(asyncio.Event(), 0.02)
        return backlog


async def left(settings: Settings, redis: Redis, shown: list[str]) -> End:
    backlog = await still(settings)
    runs = [
        await redis.hgetall(key) for key in await redis.keys("{p*}:run:*") if ":cards" not in key
    ]
    entries = await read_entries(redis, *await redis.keys("*:log:*"))
    with sqlite3.connect(settings.data_dir / "study.sqlite3") as study:
        visits = study.execute("SELECT subject_id, visit_date, weight_kg FROM visits").fetchall()
    return End(
        shown=tuple(shown),
        visits=tuple(sorted(visits)),
        run=tuple(run["ended"] for run in runs),
        steps=tuple(f"{e.get('frame')} {e.get('input')} {e.get('outcome')}" for e in entries),
        waiting=(backlog.timers, backlog.aside, backlog.blocked),
    )


def settings_in(folder: Path, redis_server: EmbeddedServer, **more: Any) -> Settings:
    return settings_over(redis_server, folder, port=free_port(), lease_s=LEASE_S, **more)


@pytest.fixture(scope="module")
def unharmed(redis_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> End:
    """How the walk ends when nothing happens to anybody."""
    settings = settings_in(tmp_path_factory.mktemp("unharmed"), redis_server)

    async def walked() -> End:
        async with Redis.from_url(redis_server.url, decode_responses=True) as redis:
            await redis.flushall()
            async with web_here(settings), worker_here(settings):
                shown = await walk(settings.port)
                await still(settings)
            return await left(settings, redis, shown)

    return asyncio.run(walked())


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("point", PASSED)
async def test_a8_what_ends_at_a_point_leaves_what_an_unharmed_walk_leaves(
    unharmed: End,
    redis: Redis,
    redis_server: EmbeddedServer,
    tmp_path: Path,
    point: str,
    when: str,
) -> None:
    settings = settings_in(tmp_path, redis_server)
    command, beside = ("web", worker_here) if point in WEB else ("worker", web_here)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(beside(settings))
        ends = await stack.enter_async_context(dying(command, settings, f"{when} {point}"))
        shown = await walk(settings.port)
        await still(settings)
        assert ends == [-signal.SIGKILL]
    assert await left(settings, redis, shown) == unharmed
