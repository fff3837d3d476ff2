"""Records of one REDCap project over its API: form-encoded POSTs, JSON answers, typed errors."""

import json
from collections.abc import Sequence
from typing import Any

import aiohttp
import structlog
from pydantic import SecretStr

from adapters.edc.redcap.rows import Row
from engine.errors import ToolFailed

TIMEOUT_S = 30.0
"""How long a request may take, from the free connection to the last byte."""

_CONNECTIONS = 4
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
    """The API at `url`, with the project's token; neither is ever logged or shown.

    Every call raises ToolFailed with a sentence for its cause: token, rights, server fault,
    time-out, no connection, redirect, an answer that is not REDCap's.
    """

    def __init__(self, url: str, token: SecretStr, *, timeout_s: float = TIMEOUT_S) -> None:
        self._url = url
        self._token = token
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def export(self, fields: Sequence[str], *, record: str | None = None) -> Sequence[Row]:
        """The rows of these fields, of all records or of one; each row is a mapping."""
        form = dict(_EXPORT)
        form |= {f"fields[{n}]": name for n, name in enumerate(fields)}
        if record is not None:
            form["records[0]"] = record
        rows = await self._post(form)
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
                return answer.status, await answer.read()
        except TimeoutError as error:
            self._told("redcap_timed_out", error)
            raise Unanswered("study.redcap.timeout") from error
        except aiohttp.ClientConnectorError as error:
            self._told("redcap_away", error)
            raise ToolFailed("study.redcap.away") from error
        except aiohttp.ClientResponseError as error:
            self._told("redcap_not_http", error)
            raise Unanswered("study.redcap.address") from error
        except (aiohttp.ClientError, OSError) as error:
            self._told("redcap_cut", error)
            raise Unanswered("study.redcap.cut") from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._closed:
            raise ToolFailed("study.closed")
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
            return Unanswered("study.redcap.fault")
        if status < 400:
            return ToolFailed("study.redcap.redirect")
        if status in (404, 405, 410):
            return ToolFailed("study.redcap.address")
        # REDCap answers 403 to a wrong token and to missing rights; its words tell them apart.
        if status == 401 or (status == 403 and "permissions to use the api" in words.lower()):
            return ToolFailed("study.redcap.token")
        if status == 403 or "privileges" in words.lower():
            return ToolFailed("study.redcap.rights")
        return ToolFailed("study.redcap.not_taken" if importing else "study.redcap.refused")

    def _no_api(self, status: int, words: str) -> Unanswered:
        self._logged(status, words)
        return Unanswered("study.redcap.address")

    def _logged(self, status: int, words: str) -> None:
        clean = words.replace(self._token.get_secret_value(), "***")
        _log.warning("redcap_refused", status=status, words=clean[:_LONGEST_LOGGED])

    def _told(self, event: str, error: Exception) -> None:
        _log.warning(event, error=type(error).__name__)
