"""Socket Mode of a local Slack: each payload to one connection, ten at most, acknowledged or again.

platform-facts.md A, "Socket Mode" and "Socket Mode gotcha".
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

MOST = 10
Json = dict[str, Any]
Reason = Literal["warning", "refresh_requested", "too_many_websockets"]


@dataclass
class Sockets:
    """The open connections; `fewest` is how many took payloads when there were fewest.

    `acks` of envelopes by envelope id (payload or None); `sent` counts the frames of an envelope.
    """

    changed: Callable[[], None]
    open: list[web.WebSocketResponse] = field(default_factory=list)
    acks: dict[str, Json | None] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict)
    fewest: int = MOST
    _leaving: list[web.WebSocketResponse] = field(default_factory=list)
    _unacked: dict[str, tuple[web.WebSocketResponse, Json]] = field(default_factory=dict)
    _turn: int = 0

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, until it ends; what it did not acknowledge goes to another then."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if len(self.open) >= MOST:
            await socket.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await socket.close()
            return socket
        await socket.send_json({"type": "hello", "num_connections": len(self.open) + 1})
        self.open.append(socket)
        self.changed()
        async for frame in socket:
            ack = json.loads(frame.data)
            self.acks[ack["envelope_id"]] = ack.get("payload")
            self._unacked.pop(ack["envelope_id"], None)
            self.changed()
        self.open.remove(socket)
        self._note()
        await self._again(socket)
        return socket

    async def send(self, envelope_id: str, frame: Json) -> None:
        """Sends a frame down one of the connections, each in turn."""
        taking = self.taking
        self._turn += 1
        socket = taking[self._turn % len(taking)]
        self._unacked[envelope_id] = (socket, frame)
        self.sent[envelope_id] = self.sent.get(envelope_id, 0) + 1
        await socket.send_json(frame)

    async def leave(self, socket: web.WebSocketResponse, reason: Reason) -> None:
        """Asks the client to connect anew; the connection gets nothing more."""
        self._leaving.append(socket)
        self._note()
        await socket.send_json({"type": "disconnect", "reason": reason})

    def carrier(self, envelope_id: str) -> web.WebSocketResponse:
        """The connection that an envelope without an acknowledgement went to."""
        return self._unacked[envelope_id][0]

    @property
    def taking(self) -> list[web.WebSocketResponse]:
        """Connections that payloads go to."""
        return [socket for socket in self.open if socket not in self._leaving]

    async def _again(self, gone: web.WebSocketResponse) -> None:
        lost = [(i, frame) for i, (socket, frame) in self._unacked.items() if socket is gone]
        for envelope_id, frame in lost if self.taking else ():
            retry = {"retry_attempt": 1, "retry_reason": "timeout"}
            await self.send(envelope_id, frame | retry)

    def _note(self) -> None:
        self.fewest = min(self.fewest, len(self.taking))
        self.changed()
