"""python-telegram-bot's transport over aiohttp, which costs less than its own (tests/bench)."""

from typing import Any

import aiohttp
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

from adapters.telegram.errors import TooFast, retry_after

_CONNECT_S = 5.0
_READ_S = 10.0


class _BotApiAnswer(dict[str, Any]):
    """An answer of the Bot API, which raises TelegramError for missing keys."""

    def __missing__(self, key: str) -> Any:
        raise TelegramError(f"the answer has no {key}")


class BotRequest(BaseRequest):
    """Requests to the Bot API over one session; raises TooFast for 429."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """Seconds without a byte of the answer, unless a call says otherwise."""
        return _READ_S

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Return the answer as the library reads it. Raises TelegramError for any other."""
        answer: Any = BaseRequest.parse_json_payload(payload)
        if not isinstance(answer, dict):
            raise TelegramError("the answer is no object")
        wanted = (("description", str), ("parameters", dict))
        odd = {name for name, kind in wanted if not isinstance(answer.get(name, kind()), kind)}
        return _BotApiAnswer({name: value for name, value in answer.items() if name not in odd})

    async def initialize(self) -> None:
        """Open the session."""
        self._open_session()

    async def shutdown(self) -> None:
        """Close the session."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = BaseRequest.DEFAULT_NONE,
        write_timeout: object = BaseRequest.DEFAULT_NONE,
        connect_timeout: object = BaseRequest.DEFAULT_NONE,
        pool_timeout: object = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Return the answer's status and body. Raises TelegramError, never with the token."""
        timeout = aiohttp.ClientTimeout(
            total=None,
            sock_connect=_seconds(connect_timeout, _CONNECT_S),
            sock_read=_seconds(read_timeout, _READ_S),
        )
        try:
            async with self._open_session().request(
                method,
                URL(url, encoded=True),
                data=_form(request_data),
                timeout=timeout,
                headers={"User-Agent": self.USER_AGENT},
            ) as answer:
                status, body = answer.status, await answer.read()
        except TimeoutError as error:
            raise TimedOut from error
        except (aiohttp.ClientError, OSError) as error:
            raise NetworkError(type(error).__name__) from error
        if status == 429:
            raise TooFast("Telegram asks to wait", retry_after(body))
        return status, body

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=True)
        return self._session


def _seconds(given: object, otherwise: float) -> float:
    return float(given) if isinstance(given, int | float) else otherwise


def _form(data: RequestData | None) -> aiohttp.FormData | None:
    """Return parameters and files as the Bot API takes them."""
    if data is None:
        return None
    form = aiohttp.FormData()
    for name, value in data.json_parameters.items():
        form.add_field(name, value)
    files = data.multipart_data if data.contains_files else {}
    for name, (filename, content, mime) in files.items():
        form.add_field(name, content, filename=filename, content_type=mime)
    return form
