"""Calls an HTTP API that speaks JSON."""

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import quote

import aiohttp
import jmespath
import structlog
from jmespath.exceptions import JMESPathError
from pydantic import JsonValue
from yarl import URL

from adapters.connections.http.auth import authenticate
from adapters.connections.http.model import (
    CursorPages,
    HttpCall,
    HttpSettings,
    LinkPages,
    NumberPages,
)
from adapters.connections.pace import RequestPace
from adapters.connections.problems import read_call
from engine.errors import DefinitionError, ToolFailed, ToolRetry, ToolUnsure
from engine.ports.systems.connections import BadCall, CallRequest
from engine.text.template import (
    BadTemplate,
    NoValue,
    Template,
    fill_tree,
    holes_in,
    parse_template,
    templates_in,
    written,
)

_REDIRECTS = 3
_LONGEST_WORDS = 200
_FIRST_WAIT_S = 0.2
# These say that nothing was done.
_TRY_LATER = (408, 425, 429)
_MAY_PASS = (*_TRY_LATER, 500, 502, 503, 504)
_ABSENT = (404, 410)

Query = dict[str, str | list[str]]

log = structlog.get_logger("connections")


class HttpConnection:
    """The API at an address; no secret and no address is ever shown or logged."""

    def __init__(
        self, name: str, settings: HttpSettings, now: Callable[[], float] | None = None
    ) -> None:
        self.name = name
        self.settings = settings
        self._now = now or (lambda: asyncio.get_running_loop().time())
        self._pace = RequestPace(settings.per_second, self._now)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(
        self, request: CallRequest, fixed: Mapping[str, JsonValue] | None = None
    ) -> "PreparedHttpCall":
        """The call, checked; `fixed` are arguments of every call. Raises BadCall."""
        return PreparedHttpCall(self, read_call(HttpCall, request), request, fixed or {})

    async def probe(self) -> Sequence[str]:
        """What is wrong: no connection, no token. Any answer of the server counts as there."""
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                async with self.session.get(self.settings.address, allow_redirects=False) as answer:
                    denied = answer.status in (401, 403) and self.settings.auth is not None
                    return [f"the server answers {answer.status} to our key"] if denied else []
        except TimeoutError:
            return ["the server does not answer in time"]
        except ToolFailed as error:
            return [str(error)]
        except aiohttp.ClientSSLError as error:
            return [f"no secure connection: {type(error).__name__}"]
        except (aiohttp.ClientError, OSError):
            return ["no server answers at its address: is it running, and is the address right?"]

    async def close(self) -> None:
        """Makes no call from now on."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session of this connection. Raises ToolFailed once it is closed."""
        if self._closed:
            raise ToolFailed("connection.closed", name=self.name)
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=16, ssl=self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                headers={
                    "Accept": "application/json",
                    **self.settings.headers,
                    # What is packed small may be large.
                    "Accept-Encoding": "identity",
                },
                middlewares=authenticate(self.settings.auth, self._now),
                trace_configs=[_noting_what_left()],
                auto_decompress=False,
                trust_env=True,
            )
        return self._session

    @cached_property
    def _tls(self) -> ssl.SSLContext | bool:
        tls = self.settings.tls
        if tls is None:
            return True
        try:
            context = ssl.create_default_context(cafile=tls.authority)
            if tls.certificate is not None:
                context.load_cert_chain(tls.certificate, tls.key)
        except OSError as error:
            problem = f"connections.yaml: {self.name}.tls: cannot be read: {error.strerror}"
            raise DefinitionError(problem) from error
        return context

    def reaches(self, url: URL) -> bool:
        """Whether pages and redirects may lead there."""
        own = URL(self.settings.address)
        if url.origin() == own.origin():
            return True
        return url.scheme == "https" and url.host in self.settings.hosts

    async def wait_turn(self) -> None:
        """Waits until the next request may be made."""
        await self._pace.wait()


class PreparedHttpCall:
    """One kind of request to an API."""

    def __init__(
        self,
        connection: HttpConnection,
        call: HttpCall,
        request: CallRequest,
        fixed: Mapping[str, JsonValue],
    ) -> None:
        self._connection = connection
        self._fixed = fixed
        self._call = call
        self._request = request
        self._path, self._query, self._body = self._templates()
        self._items = _compiled(call.items, "items")
        pages = call.pages
        self._cursor = _compiled(pages.at if isinstance(pages, CursorPages) else "", "pages.at")
        if request.writes and call.method in ("GET", "HEAD"):
            raise BadCall(f"{call.method} changes nothing: a tool that writes needs another method")
        if pages is not None and request.writes:
            raise BadCall("pages are read, never written")

    @property
    def keyed(self) -> bool:
        """Whether the server takes a write with a key that it has seen once only."""
        return self._request.writes and self._connection.settings.key_header is not None

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the API answers, the list at `items` over all pages; None for what is not there."""
        settings, sent = self._connection.settings, _Sent()
        try:
            async with asyncio.timeout(settings.timeout_s):
                return await self._pages(values, key, sent)
        except TimeoutError as error:
            raise self._lost(sent, "connection.slow", seconds=f"{settings.timeout_s:g}") from error

    async def _pages(self, values: Mapping[str, JsonValue], key: str, sent: "_Sent") -> JsonValue:
        url, query, body = self._filled({**values, **self._fixed})
        pages, found = self._call.pages, []
        if isinstance(pages, NumberPages):
            query[pages.query] = str(pages.start)
        for number in range(1, self._call.most + 1):
            answer, link = await self._send(url.update_query(query), body, key, sent)
            told = self._pick(answer)
            if pages is None:
                return told
            if told is not None and not isinstance(told, list):
                raise self._garbled("a page is no list")
            found += told or []
            match pages:
                case LinkPages():
                    if link is None:
                        return found
                    url, query = self._allowed(link), {}
                case CursorPages():
                    cursor = self._cursor.search(answer) if self._cursor else None
                    if cursor in (None, "", False):
                        return found
                    query[pages.query] = written(cursor)
                case NumberPages():
                    if not told:
                        return found
                    query[pages.query] = str(pages.start + number)
        raise ToolFailed("connection.many_pages", name=self._connection.name, most=self._call.most)

    async def _send(
        self, url: URL, body: JsonValue, key: str, sent: "_Sent"
    ) -> tuple[JsonValue, URL | None]:
        """The answer and the next page, repeated where that is safe."""
        tries = 1 + (self._connection.settings.repeats if self._repeats(key) else 0)
        wait_s = _FIRST_WAIT_S
        for left in reversed(range(tries)):
            await self._connection.wait_turn()
            try:
                status, text, headers = await self._ask(url, body, key, sent)
            except (aiohttp.ClientError, OSError) as error:
                if not left:
                    kind = type(error).__name__
                    log.warning("connection_away", connection=self._connection.name, error=kind)
                    raise self._lost(sent, "connection.away") from error
            else:
                if not left or status not in _MAY_PASS:
                    return self._judge(status, text, headers, sent)
                wait_s = max(wait_s, _retry_after_s(headers))
            await asyncio.sleep(wait_s)
            wait_s *= 2
        raise AssertionError("the last try answers or raises")

    async def _ask(
        self, url: URL, body: JsonValue, key: str, sent: "_Sent"
    ) -> tuple[int, bytes, Mapping[str, str]]:
        settings, session = self._connection.settings, self._connection.session
        headers = {settings.key_header: key} if settings.key_header and key else {}
        given: dict[str, Any] = {} if self._call.body is None else {"json": body}
        if self._call.form and isinstance(body, dict):
            given = {"data": {name: written(each) for name, each in body.items()}}
        for _ in range(_REDIRECTS + 1):
            async with session.request(
                self._call.method,
                url,
                headers=headers,
                allow_redirects=False,
                trace_request_ctx=sent,
                **given,
            ) as answer:
                if 300 <= answer.status < 400 and answer.headers.get("Location"):
                    url = self._led(url, answer)
                    continue
                text = await _read(answer, settings.max_kb * 1024)
                if text is None:
                    raise self._lost(sent, "connection.large", kb=settings.max_kb)
                return answer.status, text, _headers(answer)
        raise self._lost(sent, "connection.redirect")

    def _led(self, url: URL, answer: aiohttp.ClientResponse) -> URL:
        """Where a redirect leads: for what only reads, at the same server."""
        target = url.join(URL(answer.headers["Location"]))
        if self._request.writes or self._call.method != "GET" or target.origin() != url.origin():
            name = self._connection.name
            raise ToolFailed("connection.redirect", name=name)
        return target

    def _judge(
        self, status: int, text: bytes, headers: Mapping[str, str], sent: "_Sent"
    ) -> tuple[JsonValue, URL | None]:
        name = self._connection.name
        if 200 <= status < 300:
            return self._read(text), _next_of(headers)
        if status in _ABSENT and not self._request.writes and self._request.result == "one":
            return None, None
        log.warning("connection_refused", connection=name, status=status)
        if status in (401, 403):
            raise ToolFailed("connection.denied", name=name, status=status)
        if status in _TRY_LATER:
            raise ToolFailed("connection.busy", name=name)
        if status >= 500:
            raise self._lost(sent, "connection.fault", status=status)
        words = _line(text)
        if status in (400, 422) and not self._request.writes:
            raise ToolRetry(f"{name} refuses these arguments ({status}): {words}")
        raise ToolFailed("connection.refused", name=name, status=status, words=words)

    def _read(self, text: bytes) -> JsonValue:
        """The answer's content; of a write, which was done, None where it says nothing readable."""
        if self._request.result == "text":
            return text.decode("utf-8", "replace")
        try:
            told: JsonValue = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            if self._request.writes or not text.strip():
                return None
            raise self._garbled(type(error).__name__) from error
        return told

    def _pick(self, answer: JsonValue) -> JsonValue:
        if self._items is None:
            return answer
        try:
            told: JsonValue = self._items.search(answer)
        except JMESPathError as error:
            raise self._garbled(str(error)) from error
        return told

    def _filled(self, values: Mapping[str, JsonValue]) -> tuple[URL, Query, JsonValue]:
        try:
            path = self._path.fill(values, _segment)
            told = fill_tree(self._query, values)
            assert isinstance(told, dict)
            query: Query = {name: _parameter(each) for name, each in told.items()}
            body = fill_tree(self._body, values)
        except NoValue as error:
            raise ToolRetry(f"Wrong arguments {error.name}. {error.name}: is missing") from error
        except BadTemplate as error:
            raise ToolRetry(f"Wrong arguments. {error}") from error
        return URL(self._connection.settings.address + path, encoded=True), query, body

    def _allowed(self, url: URL) -> URL:
        target = URL(self._connection.settings.address).join(url)
        if not self._connection.reaches(target):
            raise ToolFailed("connection.redirect", name=self._connection.name)
        return target

    def _repeats(self, key: str) -> bool:
        return not self._request.writes or (self.keyed and bool(key))

    def _lost(self, sent: "_Sent", text: str, **values: object) -> ToolFailed:
        """The failure; of a write that may have been done, that nobody knows."""
        name = self._connection.name
        if self._request.writes and sent.left:
            return ToolUnsure("connection.unsure", name=name)
        return ToolFailed(text, name=name, **values)

    def _garbled(self, why: str) -> ToolFailed:
        log.warning("connection_garbled", connection=self._connection.name, error=why)
        return ToolFailed("connection.garbled", name=self._connection.name)

    def _templates(self) -> tuple[Template, Any, Any]:
        problems, trees = [], []
        for where in ("path", "query", "body"):
            try:
                tree = getattr(self._call, where)
                trees.append(parse_template(tree) if where == "path" else templates_in(tree))
            except BadTemplate as error:
                problems.append(f"{where}: {error}")
        for hole in holes_in(trees):
            if hole.root not in self._request.names:
                known = ", ".join(sorted(self._request.names)) or "none"
                problems.append(f"{{{hole.name}}} is no argument; there are {known}")
        if problems:
            raise BadCall(*problems)
        path, query, body = trees
        return path, query, body


class _Sent:
    """Whether some of a request left for the server."""

    def __init__(self) -> None:
        self.left = False


def _noting_what_left() -> aiohttp.TraceConfig:
    async def note(_: object, context: Any, __: object) -> None:
        if isinstance(context.trace_request_ctx, _Sent):
            context.trace_request_ctx.left = True

    config = aiohttp.TraceConfig()
    config.on_request_headers_sent.append(note)
    return config


def _compiled(expression: str, where: str) -> Any:
    if not expression:
        return None
    try:
        return jmespath.compile(expression)
    except JMESPathError as error:
        raise BadCall(f"{where}: is no JMESPath expression: {error}") from error


def _parameter(value: JsonValue) -> str | list[str]:
    """A value of the query; one that is a list is said once for each."""
    return [written(each) for each in value] if isinstance(value, list) else written(value)


def _segment(value: JsonValue) -> str:
    """A value as one segment of a path, or a part of one."""
    text = written(value)
    if text in ("", ".", ".."):
        raise BadTemplate(f"{text!r} cannot stand in an address")
    return quote(text, safe="")


async def _read(answer: aiohttp.ClientResponse, most_bytes: int) -> bytes | None:
    """The whole content; None where there is more."""
    if (answer.content_length or 0) > most_bytes:
        return None
    pieces, size = [], 0
    async for piece in answer.content.iter_chunked(64 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            return None
    return b"".join(pieces)


def _headers(answer: aiohttp.ClientResponse) -> Mapping[str, str]:
    link = answer.links["next"]["url"] if "next" in answer.links else ""
    return {"next": str(link or ""), "retry": answer.headers.get("Retry-After", "")}


def _next_of(headers: Mapping[str, str]) -> URL | None:
    return URL(headers["next"]) if headers["next"] else None


def _retry_after_s(headers: Mapping[str, str]) -> float:
    text = headers["retry"].strip()
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _no_number(text: str) -> JsonValue:
    raise ValueError(f"{text} is no JSON")


def _line(text: bytes) -> str:
    """One printable line: what others wrote is data."""
    words = text[: 4 * _LONGEST_WORDS].decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(printable.split())[:_LONGEST_WORDS]
