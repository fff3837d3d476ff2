"""A strict system of record on 127.0.0.1, as docs/sync.md describes what it gets.

What is not as it says there is a fault, answered with 400; nothing of it is kept.
"""

import asyncio
import hashlib
import hmac
import json
import socket
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any, Self

from aiohttp import web

from tests.fakes.platforms.patience import PATIENCE_S, within

SECRET = "a-secret-of-the-tests"
OLDEST_S = 300
_SHAPE: dict[str, type | tuple[type, ...]] = {
    "run": str,
    "playbook": str,
    "project": str,
    "case": (dict, type(None)),
    "conversation": str,
    "requester": str,
    "number": int,
    "by": str,
    "at": str,
    "fields": dict,
    "by_kind": str,
    "decided": list,
    "request": str,
    "request_key": str,
    "ended": (dict, type(None)),
}


class RecordServer:
    """`async with RecordServer() as server`; changes are posted to its `url`.

    `keys` holds the key of every good request, `kept` what was kept under each key once. `faults`
    says what was wrong with others. `now` is the moment by which a timestamp is judged.
    """

    def __init__(self, *, secret: str = SECRET) -> None:
        self.url = ""
        self.keys: list[str] = []
        self.kept: dict[str, dict[str, Any]] = {}
        self.faults: list[str] = []
        self.elsewhere = 0
        self.now: Callable[[], float] = time.time
        self._secret = secret
        self._answers: deque[tuple[int | None, str, dict[str, str], bool]] = deque()
        self._changed = asyncio.Condition()
        self._silent = False
        self._talking = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/matters", self._handle)
        app.router.add_route("*", "/elsewhere", self._elsewhere)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        await web.SockSite(self._runner, listener).start()
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/matters"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.hang_up()
        await self._runner.cleanup()

    def answer(
        self,
        status: int,
        text: str = "",
        *,
        headers: dict[str, str] | None = None,
        times: int = 1,
    ) -> None:
        """The next good requests get this answer, and are not kept."""
        self._answers.extend([(status, text, headers or {}, False)] * times)

    def lose_answer(self) -> None:
        """The next good request is kept, and its connection cut instead of an answer."""
        self._answers.append((None, "", {}, True))

    def stay_silent(self) -> None:
        """From now on no good request gets an answer, until `hang_up`."""
        self._silent = True

    def hang_up(self) -> None:
        """Whoever waits for an answer is cut off; requests are answered again."""
        self._silent = False
        self._talking.set()
        self._talking = asyncio.Event()

    async def wait_for(self, holds: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Return when it holds after some request."""
        async with within(timeout_s, holds), self._changed:
            await self._changed.wait_for(holds)

    async def _elsewhere(self, request: web.Request) -> web.Response:
        self.elsewhere += 1
        return web.Response()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        async with self._changed:
            answer = self._answered(request, body)
            self._changed.notify_all()
        if answer is not None:
            return answer
        if self._silent:
            await self._talking.wait()
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    def _answered(self, request: web.Request, body: bytes) -> web.Response | None:
        """The answer; None when there is to be none."""
        try:
            change = self._checked(request, body)
        except ValueError as error:
            self.faults.append(str(error))
            return web.Response(status=400, text=str(error))
        key = request.headers["Idempotency-Key"]
        self.keys.append(key)
        if self._silent:
            return None
        planned = self._answers.popleft() if self._answers else (204, "", {}, True)
        status, text, headers, keeps = planned
        if keeps:
            self.kept.setdefault(key, change)
        if status is None:
            return None
        return web.Response(status=status, text=text or None, headers=headers)

    def _checked(self, request: web.Request, body: bytes) -> dict[str, Any]:
        """The change; ValueError for a request that is not as docs/sync.md says."""
        headers = request.headers
        timestamp = headers.get("Signoff-Timestamp", "")
        signed = b"v1:" + timestamp.encode() + b":" + body
        good = hmac.new(self._secret.encode(), signed, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(headers.get("Signoff-Signature", ""), f"v1={good}"):
            raise ValueError("signature")
        if not timestamp.isdigit() or abs(self.now() - int(timestamp)) > OLDEST_S:
            raise ValueError("timestamp")
        if headers.get("Content-Type") != "application/json":
            raise ValueError("content type")
        change: Any = json.loads(body)
        if not isinstance(change, dict) or change.keys() != _SHAPE.keys():
            raise ValueError("keys")
        for name, kind in _SHAPE.items():
            if not isinstance(change[name], kind) or isinstance(change[name], bool):
                raise ValueError(name)
        if datetime.fromisoformat(change["at"]).tzinfo is None:
            raise ValueError("at")
        if headers.get("Idempotency-Key") != f"{change['run']}:sync:{change['number']}":
            raise ValueError("idempotency key")
        before = self.kept.get(headers["Idempotency-Key"])
        if before not in (None, change):
            raise ValueError("another change under a known key")
        return change
