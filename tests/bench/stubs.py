"""Stubs of Slack's Web API, the Bot API and a model, which answer at once and note who was told."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from tests.bench import wire

TEAM, BOT_USER = "T0BENCH", "U0BOT"
SLACK_TOKEN, SIGNING_SECRET = "xoxb-bench", "bench-signing-secret"
BOT_ID = 7000000001
TELEGRAM_TOKEN = f"{BOT_ID}:AAbenchBENCHbenchBENCHbenchBENCHben"
WEBHOOK_SECRET = "Bench-secret_1"
Told = Callable[[str, str], None]


def nobody(place: str, text: str) -> None:
    """Nobody hears of messages."""


@dataclass
class Stub:
    """All platforms of one bot behind one port; `told(place, text)` hears of each new message.

    `hold_s` is how long the model thinks.
    """

    told: Told = nobody
    hold_s: float = 0.0
    thinking: int = 0
    url: str = ""
    calls: dict[str, int] = field(default_factory=dict)
    _count: int = 0
    _server: asyncio.Server | None = None

    async def open(self) -> None:
        """Listen on a free port."""
        self._server, port = await wire.serve(self._handle)
        self.url = f"http://127.0.0.1:{port}"

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    def _handle(self, path: str, body: bytes, answer: wire.Answer) -> None:
        method = path.rpartition("/")[2].partition("?")[0]
        self.calls[method] = self.calls.get(method, 0) + 1
        match method:
            case "chat.postMessage":
                answer(self._slack_message(json.loads(body)))
            case "auth.test":
                answer(_json({"ok": True, "team_id": TEAM, "user_id": BOT_USER, "bot_id": "B1"}))
            case "sendMessage":
                answer(self._telegram_message(body))
            case "getMe":
                me = {"id": BOT_ID, "is_bot": True, "first_name": "S", "username": "s_bot"}
                answer(_json({"ok": True, "result": me}))
            case "completions":
                self._think(answer)
            case _:
                answer(_json({"ok": True, "result": True}))

    def _slack_message(self, fields: dict[str, Any]) -> bytes:
        self._count += 1
        channel = str(fields["channel"])
        self.told(channel, str(fields.get("text", "")))
        return wire.ok(
            b'{"ok":true,"channel":"%s","ts":"1790000000.%06d","message":{"type":"message"}}'
            % (channel.encode(), self._count)
        )

    def _telegram_message(self, body: bytes) -> bytes:
        self._count += 1
        fields = _fields(body)
        chat, text = str(fields["chat_id"]), str(fields["text"])
        self.told(chat, text)
        message = {
            "message_id": self._count,
            "date": 1790000000,
            "chat": {"id": int(chat), "type": "private", "first_name": "Ana"},
            "text": text,
        }
        return _json({"ok": True, "result": message})

    def _think(self, answer: wire.Answer) -> None:
        self.thinking += 1

        def think_no_more() -> None:
            self.thinking -= 1
            answer(_json(_completion("There is nothing to say about this.")))

        asyncio.get_running_loop().call_later(self.hold_s, think_no_more)


def _fields(body: bytes) -> dict[str, Any]:
    if body[:1] == b"{":
        found: dict[str, Any] = json.loads(body)
        return found
    return {name: values[0] for name, values in parse_qs(body.decode()).items()}


def _json(value: Any) -> bytes:
    return wire.ok(json.dumps(value).encode())


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "bench",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    }
