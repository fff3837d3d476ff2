"""`--at-once N`: N processes run the files of a session, forked once everything is collected.

Each worker of xdist imports and collects for itself, which costs a tenth of what all tests cost.
These have it from the process that forks them; each takes the next file that nobody has, whole,
and tells its reports. Session fixtures belong to a worker. One that dies fails the test that it
ran, and another goes on behind it. Where xdist is asked for, by `-n`, nothing here is done.
"""

import os
import pickle
import random
import selectors
import socket
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from types import SimpleNamespace
from typing import Any

import pytest

_SIZE = 4
_PART = 1 << 16
_Portion = Sequence[pytest.Item]
_Take = Callable[[], _Portion]


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many."""
    parser.addoption("--at-once", type=int, default=0, help="processes that run files side by side")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run all files in workers; None where pytest or xdist does it."""
    option = session.config.option
    alone = option.at_once < 1 or getattr(option, "numprocesses", None) is not None
    if alone or option.collectonly or option.usepdb or session.testsfailed or not session.items:
        return None
    _Crew(session).run(option.at_once)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


@dataclass(slots=True)
class _Worker:
    """A worker as its starter sees it."""

    pid: int
    ends: socket.socket
    name: str
    now: pytest.Item | None = None
    heard: bytearray = field(default_factory=bytearray)

    def messages(self) -> Iterator[tuple[Any, ...]] | None:
        """What it has told since; None once it has gone."""
        part = self.ends.recv(_PART)
        self.heard += part
        return self._whole() if part else None

    def _whole(self) -> Iterator[tuple[Any, ...]]:
        while len(self.heard) >= _SIZE:
            end = _SIZE + int.from_bytes(self.heard[:_SIZE], "big")
            if len(self.heard) < end:
                return
            message = pickle.loads(self.heard[_SIZE:end])
            del self.heard[:end]
            yield message


class _Crew:
    """The workers of a session, seen from the process that forks them."""

    def __init__(self, session: pytest.Session) -> None:
        self._session, self._config = session, session.config
        files = groupby(session.items, key=lambda item: item.nodeid.partition("::")[0])
        self._files: list[_Portion] = [list(items) for _, items in files]
        self._names = count()
        self._selector = selectors.DefaultSelector()
        # Who reads a number has the file: a read from a pipe is of one process.
        self._todo, feed = os.pipe()
        numbers = b"".join(n.to_bytes(_SIZE, "big") for n in range(len(self._files)))
        assert len(numbers) <= _PART
        os.write(feed, numbers)
        os.close(feed)

    def run(self, workers: int) -> None:
        """Fork as many and hear them until the last has gone."""
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter.showfspath = False
        self._config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        for _ in range(min(workers, len(self._files))):
            self._begin(())
        while self._selector.get_map():
            for key, _ in self._selector.select():
                self._hear(key.data)

    def _begin(self, first: _Portion) -> None:
        ours, theirs = socket.socketpair()
        name = f"gw{next(self._names)}"
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            # Each end is of two processes alone, so that either sees the other go.
            for end in (ours, *(key.data.ends for key in self._selector.get_map().values())):
                end.close()
            _become_worker(self._session, name, theirs, self._take, first)
        theirs.close()
        self._selector.register(ours, selectors.EVENT_READ, _Worker(pid, ours, name))

    def _take(self) -> _Portion:
        number = os.read(self._todo, _SIZE)
        return self._files[int.from_bytes(number, "big")] if number else ()

    def _hear(self, worker: _Worker) -> None:
        messages = worker.messages()
        if messages is None:
            self._selector.unregister(worker.ends)
            worker.ends.close()
            _, status = os.waitpid(worker.pid, 0)
            if status or worker.now:
                self._lost(worker, os.waitstatus_to_exitcode(status))
            return
        for kind, *told in messages:
            getattr(self, f"_on_{kind}")(worker, *told)
        if self._session.shouldfail or self._session.shouldstop:
            # Who finds this ends behind the test that it is at.
            worker.ends.shutdown(socket.SHUT_WR)

    def _on_began(self, worker: _Worker, number: int) -> None:
        worker.now = self._session.items[number]
        hook = self._config.hook
        hook.pytest_runtest_logstart(nodeid=worker.now.nodeid, location=worker.now.location)

    def _on_report(self, worker: _Worker, data: dict[str, Any]) -> None:
        hook = self._config.hook
        report = hook.pytest_report_from_serializable(config=self._config, data=data)
        self._report(worker, report)

    def _on_ended(self, worker: _Worker) -> None:
        assert worker.now is not None
        hook = self._config.hook
        hook.pytest_runtest_logfinish(nodeid=worker.now.nodeid, location=worker.now.location)
        worker.now = None

    def _on_warning(self, worker: _Worker, told: dict[str, Any]) -> None:
        self._config.hook.pytest_warning_recorded.call_historic(kwargs=told)

    def _on_broken(self, worker: _Worker, text: str) -> None:
        self._session.shouldfail = f"{worker.name} is broken:\n{text}"

    def _lost(self, worker: _Worker, status: int) -> None:
        item = worker.now
        if item is None:
            self._session.shouldfail = f"{worker.name} ended with {status}"
            return
        nodeid, location = item.nodeid, item.location
        text = f"{worker.name} ended with {status} while it ran {nodeid}"
        self._report(worker, pytest.TestReport(nodeid, location, {}, "failed", text, "call"))
        file = next(each for each in self._files if item in each)
        self._begin(file[file.index(item) + 1 :])

    def _report(self, worker: _Worker, report: pytest.TestReport) -> None:
        # As reports of xdist's have it: they come of several files in turn.
        gateway = SimpleNamespace(id=worker.name)
        node = SimpleNamespace(gateway=gateway, _workerinfocache=f"[{worker.name}]")
        report.node = node  # type: ignore[attr-defined]
        self._config.hook.pytest_runtest_logreport(report=report)


class _Teller:
    """What a worker has for a plugin in place of the terminal: it tells all to its starter."""

    def __init__(self, config: pytest.Config, ends: socket.socket) -> None:
        self._config, self._ends = config, ends

    def tell(self, *message: Any) -> None:
        """Send one message."""
        body = pickle.dumps(message)
        self._ends.sendall(len(body).to_bytes(_SIZE, "big") + body)

    def is_over(self) -> bool:
        """Whether nobody wants to hear more."""
        try:
            return not self._ends.recv(1, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        hook = self._config.hook
        data = hook.pytest_report_to_serializable(config=self._config, report=report)
        self.tell("report", data)

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        shown = warnings.WarningMessage(
            str(warning_message.message),
            Warning,
            warning_message.filename,
            warning_message.lineno,
        )
        told = {"warning_message": shown, "when": when, "nodeid": nodeid, "location": location}
        self.tell("warning", told)


def _become_worker(
    session: pytest.Session, name: str, ends: socket.socket, take: _Take, first: _Portion
) -> None:
    """Be a worker from here on. Does not return."""
    teller = _Teller(session.config, ends)
    status = 1
    try:
        _settle(session.config, name, teller)
        _work(session, teller, take, first)
        status = 0
    except BaseException:
        teller.tell("broken", traceback.format_exc())
    finally:
        # Nothing of what the starter registered for its own end is done here.
        os._exit(status)


def _settle(config: pytest.Config, name: str, teller: _Teller) -> None:
    """Have what two processes may not share for oneself."""
    os.environ["PYTEST_XDIST_WORKER"] = name
    random.seed()
    factory = config._tmp_path_factory  # type: ignore[attr-defined]
    factory._basetemp = factory.getbasetemp() / name
    factory._basetemp.mkdir(mode=0o700)
    manager = config.pluginmanager
    _capture_anew(manager.getplugin("capturemanager"))
    for plugin in ("terminalreporter", "logging-plugin-terminal", "junitxml"):
        if manager.getplugin(plugin) is not None:
            manager.unregister(name=plugin)
    manager.register(teller)


def _capture_anew(manager: Any) -> None:
    """Put own files under the streams that capture output: those inherited have one position.

    The streams stay, since libraries keep them from when they were imported.
    """
    captured = manager._global_capturing
    for each in (captured.out, captured.err):
        if number := getattr(each, "targetfd", None):
            each.tmpfile.flush()
            with tempfile.TemporaryFile() as own:
                os.dup2(own.fileno(), each.tmpfile.fileno(), inheritable=False)
            os.dup2(each.tmpfile.fileno(), number)


def _work(session: pytest.Session, teller: _Teller, take: _Take, first: _Portion) -> None:
    numbers = {item: number for number, item in enumerate(session.items)}
    todo = [*(first or take())]
    while todo and not teller.is_over():
        item = todo.pop(0)
        todo = todo or [*take()]
        teller.tell("began", numbers[item])
        hook = session.config.hook
        hook.pytest_runtest_protocol(item=item, nextitem=todo[0] if todo else None)
        teller.tell("ended")
    session._setupstate.teardown_exact(None)
