"""Who is measured: our service with its store, and the bare bots, each with stubs of its own."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench import processes
from tests.bench.load import Load
from tests.bench.messages import SLACK, Kind
from tests.bench.processes import Child
from tests.bench.stubs import (
    SIGNING_SECRET,
    SLACK_TOKEN,
    TELEGRAM_TOKEN,
    WEBHOOK_SECRET,
    Stub,
)
from tests.chaos.processes import ROOT
from tests.fakes.ports import free_port

OURS = "signoff"
PEERS: Mapping[str, tuple[str, ...]] = {
    "slack": ("bolt_default", "bolt_tuned", "floor"),
    "telegram": ("ptb_default", "ptb_tuned"),
}


@dataclass
class Contestant:
    """A bot that runs: where it listens, its processes by name, and the people who write to it."""

    name: str
    port: int
    stub: Stub
    children: Mapping[str, Child]
    folder: Path
    env: Mapping[str, str] = field(default_factory=dict)
    store: int = 0

    def cpu_s(self) -> dict[str, float]:
        """Processor seconds so far, by process."""
        return {name: child.cpu_s() for name, child in self.children.items()}

    def rss_mb(self) -> dict[str, float]:
        """Resident memory now, by process."""
        return {name: child.rss_mb() for name, child in self.children.items()}

    def load(self, kind: Kind, conversations: int, numbers: Iterator[int]) -> Load:
        """People who write to it."""
        return Load(kind, self.port, self.stub, conversations, numbers)


async def ours(
    stack: AsyncExitStack, folder: Path, kind: Kind, *, model: bool = False, **more: str
) -> Contestant:
    """Web, worker and store, each a process, as a deployment has them; `more` are settings.

    Its folder is made. With `model`, the stub's is asked what rules cannot answer.
    """
    stub = await _stub(stack)
    if model:
        more["OPENAI_BASE_URL"] = f"{stub.url}/v1"
    valkey, store = await processes.redis(_made(folder / "redis"))
    stack.push_async_callback(valkey.end)
    port = free_port()
    env = processes.service_environment(
        folder, store, PORT=str(port), **_settings(kind, stub), **more
    )
    web = await processes.start("web", folder, "-m", "bot", "web", env=env)
    stack.push_async_callback(web.end)
    await processes.until_listening(web, port)
    worker = await start_worker(stack, folder, env)
    children = {"web": web, "worker": worker, "valkey": valkey}
    return Contestant(OURS, port, stub, children, folder, env, store)


async def start_worker(
    stack: AsyncExitStack, folder: Path, env: Mapping[str, str], name: str = "worker"
) -> Child:
    """A worker process that takes mail."""
    worker = await processes.start(name, folder, "-m", "bot", "worker", env=env)
    stack.push_async_callback(worker.end)
    await processes.until_said(worker, "worker_started")
    return worker


def _settings(kind: Kind, stub: Stub) -> dict[str, str]:
    if kind is SLACK:
        return {
            "SLACK_BOT_TOKEN": SLACK_TOKEN,
            "SLACK_SIGNING_SECRET": SIGNING_SECRET,
            "SLACK_API_URL": f"{stub.url}/api",
        }
    return {
        "TELEGRAM_BOT_TOKEN": TELEGRAM_TOKEN,
        "TELEGRAM_WEBHOOK_SECRET": WEBHOOK_SECRET,
        # The stub has no limit for all chats together, as a local Bot API server has none.
        "TELEGRAM_MESSAGES_PER_S": "1000",
        "TELEGRAM_API_URL": stub.url,
    }


async def peer(stack: AsyncExitStack, folder: Path, kind: Kind, name: str) -> Contestant:
    """A bare bot; `floor` has a store like ours."""
    _made(folder)
    stub = await _stub(stack)
    children = {}
    api = f"{stub.url}/api/" if kind is SLACK else f"{stub.url}/"
    env = {
        "PATH": str(Path(sys.executable).parent),
        "PYTHONPATH": str(ROOT),
        "API": api,
        "SLACK_BOT_TOKEN": SLACK_TOKEN,
        "SLACK_SIGNING_SECRET": SIGNING_SECRET,
        "TELEGRAM_BOT_TOKEN": TELEGRAM_TOKEN,
        "TELEGRAM_WEBHOOK_SECRET": WEBHOOK_SECRET,
    }
    if name == "floor":
        children["valkey"], store = await processes.redis(_made(folder / "redis"))
        stack.push_async_callback(children["valkey"].end)
        env["REDIS_PORT"] = str(store)
    port = free_port()
    bot = await processes.start(name, folder, "-m", f"tests.bench.peers.{name}", str(port), env=env)
    stack.push_async_callback(bot.end)
    await processes.until_listening(bot, port)
    children["bot"] = bot
    return Contestant(name, port, stub, children, folder)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


async def _stub(stack: AsyncExitStack) -> Stub:
    stub = Stub()
    await stub.open()
    stack.callback(stub.close)
    return stub
