"""Systems of record over HTTP: signed JSON, idempotent by key; and the choice of the sample."""

import hashlib
import hmac
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import aiohttp
from pydantic import SecretStr

from engine.errors import RateLimited, SyncRefused, Unavailable
from engine.ports.clock import Clock
from engine.ports.systems.sync import SAMPLE, Change, SystemOfRecord, address_fault

TIMEOUT_S = 10.0
"""How long a request may take, from the free connection to the last byte."""
LONGEST_WAIT_S = 3600.0
"""The longest wait that an endpoint may ask for, in seconds."""
_CONNECTIONS = 16
_LONGEST_READ_BYTES = 2048
_MAX_REASON_CHARS = 200
_AGAIN = (408, 425, 429)
_KEPT_BACK = {"to", "attempt"}


class HttpRecord:
    """The system of record behind each change's address (docs/sync.md).

    Every request is signed with the secret; redirects are not followed.
    """

    def __init__(
        self, secret: SecretStr | None, clock: Clock, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def take(self, change: Change) -> None:
        """Post the change; raises SyncRefused, RateLimited or Unavailable."""
        wrong = address_fault(change.to)
        if wrong:
            raise SyncRefused(f"the address of the system of record {wrong}")
        if self._secret is None:
            raise SyncRefused("SIGNOFF_SYNC_SECRET should be set, to sign what is sent")
        body = change.model_dump_json(exclude=_KEPT_BACK).encode()
        headers = self._headers(change, body, self._secret.get_secret_value())
        # The rest of an address may hold secrets.
        host = urlsplit(change.to).hostname
        try:
            async with self._open_session().post(
                change.to, data=body, headers=headers, allow_redirects=False
            ) as answer:
                if not 200 <= answer.status < 300:
                    raise await self._refusal(answer, f"{host} answered {answer.status}")
        except TimeoutError as error:
            raise Unavailable(f"{host} did not answer in time") from error
        except aiohttp.InvalidURL as error:
            raise SyncRefused("the address of the system of record is not an address") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable(f"no answer from {host}: {type(error).__name__}") from error

    async def close(self) -> None:
        """No call after this one reaches an endpoint."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    def _headers(self, change: Change, body: bytes, secret: str) -> dict[str, str]:
        timestamp = str(int(self._clock.now().timestamp()))
        signed = b":".join((b"v1", timestamp.encode(), body))
        signature = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "Idempotency-Key": change.key,
            "Signoff-Timestamp": timestamp,
            "Signoff-Signature": f"v1={signature}",
        }

    async def _refusal(self, answer: aiohttp.ClientResponse, summary: str) -> Exception:
        if answer.status in _AGAIN or answer.status >= 500:
            wait_s = _wait_s(answer.headers.get("Retry-After", ""), self._clock.now())
            return (
                Unavailable(summary)
                if wait_s is None
                else RateLimited(summary, retry_after_s=wait_s)
            )
        words = _printable_line(await _read_beginning(answer))
        return SyncRefused(f"{summary}: {words}" if words else summary)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._closed:
            raise Unavailable("the service is about to end")
        if self._session is None:
            # A kept connection may be gone when it is used, which would cost a wait.
            connector = aiohttp.TCPConnector(limit=_CONNECTIONS, force_close=True)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                trust_env=True,
                # Compressed content could unpack to any size.
                auto_decompress=False,
            )
        return self._session


class RecordRouter:
    """The system of record that each change names: the sample, or an address."""

    def __init__(self, *, sample: SystemOfRecord, http: SystemOfRecord) -> None:
        self._sample = sample
        self._http = http

    async def take(self, change: Change) -> None:
        """Pass the change to the one that it names; raises its errors."""
        await (self._sample if change.to == SAMPLE else self._http).take(change)


async def _read_beginning(answer: aiohttp.ClientResponse) -> bytes:
    """Return the beginning of the answer's body, as far as it came."""
    found = b""
    try:
        while len(found) < _LONGEST_READ_BYTES:
            piece = await answer.content.read(_LONGEST_READ_BYTES - len(found))
            if not piece:
                break
            found += piece
    except (aiohttp.ClientError, OSError):
        # The status has summary enough; TimeoutError is an OSError.
        return found
    return found


def _printable_line(words: bytes) -> str:
    """Return the bytes as one printable line, cut."""
    text = words.decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:_MAX_REASON_CHARS]


def _wait_s(retry_after: str, now: datetime) -> float | None:
    """Return the seconds of a Retry-After, a number or a date; None for neither."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        wait_s = float(text)
    else:
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, TypeError, OverflowError):
            return None
        aware = until if until.tzinfo else until.replace(tzinfo=UTC)
        wait_s = (aware - now).total_seconds()
    return min(max(wait_s, 1.0), LONGEST_WAIT_S)
