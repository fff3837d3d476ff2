"""Fixtures that every test may use: one real Redis-compatible server for the whole session."""

import asyncio
import gc
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
import structlog
from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.client import make_cancellable
from adapters.redis.scripts import Scripts
from adapters.redis.server.embedded import EmbeddedServer, open_server
from tests.fakes import forge
from tests.fakes.first_alone import first_alone, is_compiled
from tests.fakes.platforms.patience import SLOWER, say_long_waits_to
from tests.fakes.redis_servers import quick_folder
from tests.fakes.tries import TIMES, tries

if TYPE_CHECKING:
    from tests.fakes.browser import Browser, Browsers

# As in the service (bot/__main__.py), before anything imports numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TESTS = Path(__file__).parent
ROOT = TESTS.parent
PARTITIONS = 8
"""Several, as on a Cluster; not as many, for each sweep of a worker asks them all."""
LONGEST = (
    *("chaos", "install", "redteam", "patterns", "mutation", "eval"),
    *("scenarios", "bot", "reviews", "adapters", "docs", "engine/understanding"),
)
"""Folders whose files take longest. They start first, so that no processor waits for the last."""
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
COLLECTED = Path(tempfile.gettempdir()) / f"signoff-{os.environ.get('PYTEST_XDIST_TESTRUNUID')}"
"""Kept while the workers of a session collect."""
_numbers = itertools.count(1)
# How long an example takes depends on what else the machine does. `make properties` tries others
# each time; what `make test` says is of the code alone.
hypothesis.settings.register_profile(
    "any machine", deadline=None, max_examples=tries(40), derandomize=TIMES == 1
)
hypothesis.settings.load_profile("any machine")


# Collecting makes what stays: looking through it again and again finds nothing.
gc.disable()


def pytest_configure() -> None:
    """Have a wait that takes long told where people look, also while output is captured.

    A traceback in the log is plain: in color, with what each frame holds, it took up to a second.
    """
    say_long_waits_to(os.dup(2))
    structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """In a fresh clone, have one of xdist's workers compile the tests, and the others read that."""
    with ExitStack() as stack:
        if IS_WORKER and not (sys.dont_write_bytecode or is_compiled(TESTS)):
            stack.enter_context(first_alone(COLLECTED))
        return (yield)


def pytest_sessionfinish() -> None:
    """All have collected."""
    if IS_WORKER:
        COLLECTED.unlink(missing_ok=True)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """What is left once garbage was looked for stays: pytest and Python would look again, a second
    each time in a process that ran many tests.
    """
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the folders of `LONGEST` first; a file's tests keep their order."""
    ranks = {f"tests/{folder}/": rank for rank, folder in enumerate(LONGEST)}

    def rank(item: pytest.Item) -> int:
        found = (rank for folder, rank in ranks.items() if item.nodeid.startswith(folder))
        return next(found, len(ranks))

    items.sort(key=rank)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests, which stay till the end.

    What is made later is looked through less often than in a service, which runs for longer. What
    collecting left behind stays too: to look for it cost each worker .7 s.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 100)


def pytest_runtest_setup() -> None:
    """A command that was run in this process leaves no settings of the log to the next test."""
    structlog.reset_defaults()


@pytest.fixture(scope="session", autouse=True)
def _learn_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The shipped examples are learned once in a session, not by each of its processes."""
    from tests.fakes.learning import learn_once, teach_stores  # imports numpy

    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if IS_WORKER else own) / "learned"
    folder.mkdir(exist_ok=True)
    os.environ[forge.LEARNED] = str(folder)
    learn_once(folder)
    teach_stores()


@pytest.fixture(scope="session", autouse=True)
def _patient_filters() -> None:
    """On a builder a web process waits longer for what it knows of answers and taps before.

    How long it waits for the store itself stays: Slack waits no longer than that.
    """
    if SLOWER > 1:
        from bot.serve.intake import filters

        filters._WITHIN_S *= SLOWER


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """The session's server, or that of a folder which the caller of many sessions keeps open."""
    with ExitStack() as stack:
        kept = os.environ.get("TEST_REDIS_FOLDER")
        quick = partial(quick_folder, lambda: tmp_path_factory.mktemp("redis"))
        folder = Path(kept) if kept else stack.enter_context(quick())
        server = asyncio.run(open_server(folder))
        stack.callback(server.close)
        yield server


@pytest.fixture(scope="session")
def browsers() -> Iterator["Browsers"]:
    """The session's browsers, of which each module borrows one."""
    from tests.fakes.browser import Browsers  # imports selenium

    browsers = Browsers()
    yield browsers
    browsers.close()


@pytest.fixture(scope="module")
def browser(browsers: "Browsers") -> Iterator["Browser"]:
    """An English one."""
    yield from browsers.lend()


@pytest.fixture
async def redis(redis_server: EmbeddedServer) -> AsyncIterator[Redis]:
    """A client on an empty database."""
    # The library's version, which each client tells, is looked up on disk.
    plain = Redis.from_url(redis_server.url, decode_responses=True, driver_info=None)
    client = make_cancellable(plain)
    await client.flushdb()
    yield client
    await client.aclose()


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """A copy of the shipped playbooks that a test may change."""
    return Path(shutil.copytree(ROOT / "playbooks", tmp_path / "playbooks"))


@pytest.fixture
async def scripts(redis: Redis) -> AsyncIterator[Scripts]:
    """Scripts that fail when they touch a key outside of their partition."""
    scripts = Scripts(redis, guard=True)
    yield scripts
    await scripts.drain()


@pytest.fixture
def partitions() -> keys.Partitions:
    """Several, as a Cluster has."""
    return keys.Partitions(PARTITIONS)


@pytest.fixture
def conversation() -> str:
    """A conversation that no other test has used."""
    return f"web:local:room-{next(_numbers)}"


@pytest.fixture
def numbers() -> Iterator[int]:
    """Numbers that no other test has used."""
    return _numbers
