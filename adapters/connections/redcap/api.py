"""The API of one REDCap project: form-encoded POSTs, JSON answers, typed errors."""

import json
from collections.abc import Sequence
from typing import Any

import aiohttp
import structlog
from pydantic import SecretStr

from adapters.connections.redcap.dictionary import Row
from engine.errors import ToolFailed

_CONNECTIONS = 4
_LARGEST = 20 * 1024 * 1024
"""Bytes of an answer; a longer one is refused."""
_LONGEST_LOGGED = 200
_EXPORT = {
    "content": "record",
    "action": "export",
    "format": "json",
    "type": "flat",
    "rawOrLabel": "raw",
    "decimalCharacter": ".",
    "returnFormat": "json",
}
_METADATA = {
    "content": "metadata",
    "action": "export",
    "format": "json",
    "returnFormat": "json",
}
# Blank values are ignored, and no record gets another name than we give.
_IMPORT = {
    "content": "record",
    "action": "import",
    "format": "json",
    "type": "flat",
    "overwriteBehavior": "normal",
    "forceAutoNumber": "false",
    "dateFormat": "YMD",
    "returnContent": "ids",
    "returnFormat": "json",
}

_log = structlog.get_logger(__name__)


class Unanswered(ToolFailed):
    """There is no answer that can be read, so the server may have done what it was asked."""


class RedcapApi:
    """The API at `url`, with the project's token; neither is ever logged or shown. `name` is what
    people call it.

    Every call raises ToolFailed with a sentence for its cause: token, rights, server fault,
    time-out, no connection, redirect, an answer that is not REDCap's.
    """

    def __init__(self, name: str, url: str, token: SecretStr, *, timeout_s: float) -> None:
        self._name = name
        self._timeout_s = timeout_s
        self._url = url
        self._token = token
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def metadata(self) -> Sequence[Row]:
        """The lines of the data dictionary."""
        return self._rows(await self._post(_METADATA))

    async def export(
        self, fields: Sequence[str], *, record: str | None = None, event: str = ""
    ) -> Sequence[Row]:
        """The rows of these fields, of all records or of one, of all events or of one."""
        form = dict(_EXPORT)
        form |= {f"fields[{n}]": name for n, name in enumerate(fields)}
        if record is not None:
            form["records[0]"] = record
        if event:
            form["events[0]"] = event
        return self._rows(await self._post(form))

    def _rows(self, rows: Any) -> Sequence[Row]:
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self._no_api(200, "rows of another shape")
        return rows

    async def import_row(self, row: Row) -> None:
        """Writes one row; raises Unanswered when it may have been written all the same."""
        taken = await self._post(_IMPORT | {"data": json.dumps([row], ensure_ascii=False)})
        if not isinstance(taken, list) or len(taken) != 1:
            raise self._no_api(200, "not one id for one row")

    async def close(self) -> None:
        """No call after this one reaches the server."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def _post(self, form: dict[str, str]) -> Any:
        """What the answer's JSON says."""
        status, body = await self._answer(form | {"token": self._token.get_secret_value()})
        if status >= 300:
            raise self._refused(status, body, importing=form["action"] == "import")
        try:
            said = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise self._no_api(status, body.decode("utf-8", "replace")) from error
        if isinstance(said, dict) and "error" in said:
            raise self._refused(400, body, importing=form["action"] == "import")
        return said

    async def _answer(self, form: dict[str, str]) -> tuple[int, bytes]:
        try:
            # A redirect would carry the token to wherever it points.
            async with self._opened().post(self._url, data=form, allow_redirects=False) as answer:
                body = await answer.content.read(_LARGEST + 1)
                while len(body) <= _LARGEST and (more := await answer.content.read(_LARGEST)):
                    body += more
                if len(body) > _LARGEST:
                    raise ToolFailed("connection.large", name=self._name, kb=_LARGEST // 1024)
                return answer.status, body
        except TimeoutError as error:
            self._told("redcap_timed_out", error)
            raise Unanswered(
                "connection.slow", name=self._name, seconds=f"{self._timeout_s:g}"
            ) from error
        except aiohttp.ClientConnectorError as error:
            self._told("redcap_away", error)
            raise ToolFailed("connection.away", name=self._name) from error
        except aiohttp.ClientResponseError as error:
            self._told("redcap_not_http", error)
            raise Unanswered("connection.redcap.address", name=self._name) from error
        except (aiohttp.ClientError, OSError) as error:
            self._told("redcap_cut", error)
            raise Unanswered("connection.redcap.cut", name=self._name) from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise ToolFailed("connection.closed", name=self._name)
        if self._session is None:
            # A connection that was kept open may be gone when it is used, and a POST is not
            # repeated by itself: each request has its own.
            connector = aiohttp.TCPConnector(limit=_CONNECTIONS, force_close=True)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=self._timeout,
                trust_env=True,
            )
        return self._session

    def _refused(self, status: int, body: bytes, *, importing: bool) -> ToolFailed:
        """What an answer of that status means; its words are for the log alone."""
        words = body.decode("utf-8", "replace")
        self._logged(status, words)
        if status >= 500:
            return Unanswered("connection.fault", name=self._name, status=status)
        if status < 400:
            return ToolFailed("connection.redirect", name=self._name)
        if status in (404, 405, 410):
            return ToolFailed("connection.redcap.address", name=self._name)
        # REDCap answers 403 to a wrong token and to missing rights; its words tell them apart.
        if status == 401 or (status == 403 and "permissions to use the api" in words.lower()):
            return ToolFailed("connection.denied", name=self._name, status=status)
        if status == 403 or "privileges" in words.lower():
            return ToolFailed("connection.redcap.rights", name=self._name)
        return ToolFailed(
            "connection.redcap.not_taken" if importing else "connection.redcap.refused",
            name=self._name,
        )

    def _no_api(self, status: int, words: str) -> Unanswered:
        self._logged(status, words)
        return Unanswered("connection.redcap.address", name=self._name)

    def _logged(self, status: int, words: str) -> None:
        clean = words.replace(self._token.get_secret_value(), "***")
        _log.warning("redcap_refused", status=status, words=clean[:_LONGEST_LOGGED])

    def _told(self, event: str, error: Exception) -> None:
        _log.warning(event, error=type(error).__name__)
