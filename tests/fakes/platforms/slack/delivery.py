"""How Slack brings what happened to an app's address: signed, within three seconds, and again."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp

from tests.fakes.platforms.slack.workspace import SlackWorkspace

ACK_S = 3.0
"""An app has so long to answer."""
RETRIES_AFTER_S = (0.0, 60.0, 300.0)
"""Events come again up to three times, so long after the attempt before."""
_REDIRECTS = 2
_FORM = "application/x-www-form-urlencoded"
_INTERACTIVE = ("block_actions", "view_submission", "message_action")
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try: when by the server's time, the app's status (0 for none), and why it failed.

    `reason` is what the next attempt's header says, "" when the app took it with 2xx.
    """

    at: float
    status: int
    reason: str
    body: bytes = b""
    final: bool = False


@dataclass
class SlackDelivery(SlackWorkspace):
    """Signs and sends, with the app's `signing_secret`."""

    signing_secret: str = "stub-signing-secret"

    def signed_headers(
        self, body: bytes, *, content_type: str = "application/json", at: float | None = None
    ) -> dict[str, str]:
        """Headers as Slack signs `body`, at `at` (seconds since the epoch) or now."""
        stamp = str(int(self.now() if at is None else at))
        digest = hmac.new(
            self.signing_secret.encode(), b"v0:" + stamp.encode() + b":" + body, hashlib.sha256
        )
        return {
            "Content-Type": content_type,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest.hexdigest()}",
        }

    def signed_request(self, payload: Json) -> tuple[bytes, dict[str, str]]:
        """Body and headers of the HTTP request that carries `payload`, encoded as Slack does."""
        if payload.get("type") in _INTERACTIVE:
            body = urlencode({"payload": json.dumps(payload)}).encode()
            return body, self.signed_headers(body, content_type=_FORM)
        if "command" in payload:
            body = urlencode(payload).encode()
            return body, self.signed_headers(body, content_type=_FORM)
        body = json.dumps(payload).encode()
        return body, self.signed_headers(body)

    async def deliver(self, url: str, payload: Json, *, ack_s: float = ACK_S) -> list[Attempt]:
        """Sends a payload to the app's address; every attempt, the last one last.

        What was not taken comes again if it is an event: at once, after one minute and after five,
        which pass on the server's time only. Nobody repeats a tap, a form or a command.
        """
        repeated = RETRIES_AFTER_S if payload.get("type") == "event_callback" else ()
        async with aiohttp.ClientSession() as session:
            attempts = [await self._attempt(session, url, payload, {}, ack_s)]
            for number, after_s in enumerate(repeated, start=1):
                last = attempts[-1]
                if not last.reason or last.final:
                    break
                self.time.skip(after_s)
                told = {"x-slack-retry-num": str(number), "x-slack-retry-reason": last.reason}
                attempts.append(await self._attempt(session, url, payload, told, ack_s))
        return attempts

    async def _attempt(
        self,
        session: aiohttp.ClientSession,
        url: str,
        payload: Json,
        told: Mapping[str, str],
        ack_s: float,
    ) -> Attempt:
        body, headers = self.signed_request(payload)
        at = self.now()
        try:
            async with (
                asyncio.timeout(ack_s),
                session.post(
                    url, data=body, headers={**headers, **told}, max_redirects=_REDIRECTS + 1
                ) as answer,
            ):
                read, status = await answer.read(), answer.status
        except TimeoutError:
            return Attempt(at, 0, "http_timeout")
        except aiohttp.TooManyRedirects:
            return Attempt(at, 0, "too_many_redirects")
        except aiohttp.ClientSSLError:
            return Attempt(at, 0, "ssl_error")
        except aiohttp.ClientConnectionError:
            return Attempt(at, 0, "connection_failed")
        taken = 200 <= status < 300
        final = not taken and answer.headers.get("X-Slack-No-Retry") == "1"
        return Attempt(at, status, "" if taken else "http_error", read, final)
