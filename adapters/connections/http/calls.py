"""One kind of request to an HTTP API: filled in, sent, repeated where that is safe, and judged."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
import jmespath
import structlog
from jmespath.exceptions import JMESPathError
from pydantic import JsonValue
from yarl import URL

from adapters.connections.http.answers import (
    find_headers,
    next_page,
    read_content,
    refuse_number,
    retry_after_s,
    sentence_of,
    words_of_answer,
)
from adapters.connections.http.model import CursorPages, HttpCall, LinkPages, NumberPages
from adapters.connections.http.server import HttpServer, SentMark
from engine.errors import SystemRefused, ToolFailed, ToolRetry, ToolUnsure
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
_FIRST_WAIT_S = 0.2
# These say that nothing was done.
_TRY_LATER = (408, 425, 429)
_MAY_PASS = (*_TRY_LATER, 500, 502, 503, 504)
_ABSENT = (404, 410)

Query = dict[str, str | list[str]]

log = structlog.get_logger("connections")


class PreparedHttpCall:
    """One kind of request to an API."""

    def __init__(
        self,
        connection: HttpServer,
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
        settings, sent = self._connection.settings, SentMark()
        try:
            async with asyncio.timeout(settings.timeout_s):
                return await self._pages(values, key, sent)
        except TimeoutError as error:
            raise self._lost(sent, "connection.slow", seconds=f"{settings.timeout_s:g}") from error

    async def _pages(self, values: Mapping[str, JsonValue], key: str, sent: SentMark) -> JsonValue:
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
        self, url: URL, body: JsonValue, key: str, sent: SentMark
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
                wait_s = max(wait_s, retry_after_s(headers))
            await asyncio.sleep(wait_s)
            wait_s *= 2
        raise AssertionError("the last try answers or raises")

    async def _ask(
        self, url: URL, body: JsonValue, key: str, sent: SentMark
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
                text = await read_content(answer, settings.max_kb * 1024)
                if text is None:
                    raise self._lost(sent, "connection.large", kb=settings.max_kb)
                return answer.status, text, find_headers(answer)
        raise self._lost(sent, "connection.redirect")

    def _led(self, url: URL, answer: aiohttp.ClientResponse) -> URL:
        """Where a redirect leads: for what only reads, at the same server."""
        target = url.join(URL(answer.headers["Location"]))
        if self._request.writes or self._call.method != "GET" or target.origin() != url.origin():
            name = self._connection.name
            raise ToolFailed("connection.redirect", name=name)
        return target

    def _judge(
        self, status: int, text: bytes, headers: Mapping[str, str], sent: SentMark
    ) -> tuple[JsonValue, URL | None]:
        name = self._connection.name
        if 200 <= status < 300:
            return self._read(text), next_page(headers)
        if status in _ABSENT and not self._request.writes and self._request.result == "one":
            return None, None
        log.warning("connection_refused", connection=name, status=status)
        if status in (401, 403):
            raise ToolFailed("connection.denied", name=name, status=status)
        if status in _TRY_LATER:
            raise ToolFailed("connection.busy", name=name)
        if status >= 500:
            raise self._lost(sent, "connection.fault", status=status)
        words = words_of_answer(text)
        if status in (400, 422) and not self._request.writes:
            raise ToolRetry(f"{name} refuses these arguments ({status}): {words}")
        said = sentence_of(text)
        if said:
            refused = {"name": name, "status": status, "words": said}
            raise SystemRefused("connection.refused", answer=words, **refused)
        key = "connection.absent" if status in _ABSENT else "connection.refused_only"
        raise SystemRefused(key, answer=words, name=name, status=status)

    def _read(self, text: bytes) -> JsonValue:
        """The answer's content; of a write, which was done, None where it says nothing readable."""
        if self._request.result == "text":
            return text.decode("utf-8", "replace")
        try:
            told: JsonValue = json.loads(text, parse_constant=refuse_number)
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

    def _lost(self, sent: SentMark, text: str, **values: object) -> ToolFailed:
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
