"""Calls to Slack's Web API; its errors become ours here, once."""

import json
from collections.abc import Mapping
from typing import Any, Final

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.clouds import cloud_of, is_response_url
from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable

# Below the lease of a row, so that a slow call is not made again by another worker meanwhile.
_TIMEOUT_S = 8
_RETRY_AFTER_S = 5.0
AS_WRITTEN: Final = {"link_names": False, "parse": "none"}
"""Nothing in a text may become a mention, beyond what blocks already forbid."""

_REMEMBERED = 10_000
_NO_HEADERS: Final[Mapping[str, str]] = {}
_JSON: Final[Mapping[str, str]] = {"Content-Type": "application/json;charset=utf-8"}

_GONE = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "message_not_found",
        "user_not_found",
        "user_not_visible",
        "no_such_subteam",
    }
)
_FORBIDDEN = frozenset(
    {
        "not_in_channel",
        "missing_scope",
        "not_authed",
        "invalid_auth",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "restricted_action",
        "cannot_dm_bot",
        "messages_tab_disabled",
    }
)
_TRANSIENT = frozenset(
    {"internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"}
)


def web_client(api_url: str, token: str | None) -> AsyncWebClient:
    """A client that never tries again by itself; "" is Slack's own address.

    Another address than Slack's is used directly, whatever proxy the environment names.
    """
    client = AsyncWebClient(
        token=token, base_url=api_url or AsyncWebClient.BASE_URL, retry_handlers=[]
    )
    if not cloud_of(api_url):
        client.proxy = None
    return client


class StillStreaming(PlatformError):
    """The message is being streamed: it takes more text, and no edit before it is stopped."""


class NotStreaming(PlatformError):
    """The message is no stream, or none any more: it was stopped, or Slack did not wait."""


class NotRewritten(Gone):
    """The message stands, and Slack does not let its text be replaced."""


_STATES: Final[Mapping[str, type[PlatformError]]] = {
    "streaming_state_conflict": StillStreaming,
    "message_not_in_streaming_state": NotStreaming,
    "block_mismatch": NotRewritten,
    "cant_update_message": NotRewritten,
    "edit_window_closed": NotRewritten,
}


class ThreadGone(Gone):
    """The thread is not there any more; the channel may be."""


class HttpSession:
    """An HTTP session that is opened when it is first needed; several tokens may share it."""

    def __init__(self) -> None:
        self._open: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """The session; call it inside the event loop."""
        if self._open is None:
            timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
            self._open = aiohttp.ClientSession(timeout=timeout)
        return self._open

    async def close(self) -> None:
        """Ends the session."""
        session, self._open = self._open, None
        if session is not None:
            await session.close()


class WebApi:
    """Slack's Web API for one bot token ("" for none), over one HTTP session."""

    def __init__(self, *, api_url: str, token: str, http: HttpSession | None = None) -> None:
        self.api_url = api_url
        self.token = token
        self._http = http or HttpSession()
        self._client = web_client(api_url, token or None)
        self._headers = {"User-Agent": self._client.headers["User-Agent"]}
        if token:
            self._headers["Authorization"] = f"Bearer {token.strip()}"
        self._direct_channels: dict[str, str] = {}
        self._scopes: frozenset[str] | None = None
        self._name = ""

    async def call(
        self, method: str, fields: Mapping[str, Any], *, reads: bool = False, form: bool = False
    ) -> Mapping[str, Any]:
        """Slack's answer to one call, made once. Raises PlatformError.

        A method that only `reads` takes its fields in the address, and some take a `form`, no JSON.
        """
        data, _ = await self.call_with_headers(method, fields, reads=reads, form=form)
        return data

    async def call_with_headers(
        self, method: str, fields: Mapping[str, Any], *, reads: bool = False, form: bool = False
    ) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """As `call`, with the answer's headers."""
        if reads:
            return await self._request(method, "GET", params=fields)
        if form:
            return await self._request(method, "POST", data=fields)
        return await self._request(method, "POST", data=json.dumps(fields), headers=_JSON)

    async def as_app(
        self, method: str, fields: Mapping[str, Any], *, app: str, secret: str
    ) -> Mapping[str, Any]:
        """Slack's answer to the app itself, by its client id and secret. Raises PlatformError."""
        headers = {"Authorization": aiohttp.encode_basic_auth(app, secret)}
        data, _ = await self._request(method, "POST", data=fields, headers=headers)
        return data

    async def _request(
        self, method: str, verb: str, *, headers: Mapping[str, str] = _NO_HEADERS, **sent: Any
    ) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """As slack_sdk asks, whose layers cost as much as the request itself."""
        try:
            async with self._session().request(
                verb,
                self._client.base_url + method,
                headers={**self._headers, **headers},
                proxy=self._client.proxy,
                **sent,
            ) as answer:
                status, got, body = answer.status, answer.headers, await answer.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"{method}: {type(error).__name__}") from error
        data = _read_object(body)
        if status != 200 or not data.get("ok"):
            raise _translate(method, status, got, data)
        if scopes := got.get("X-OAuth-Scopes"):
            self._scopes = frozenset(scope.strip() for scope in scopes.split(","))
        return data, got

    async def name(self) -> str:
        """What the bot is called, once asked. Raises PlatformError."""
        if not self._name:
            self._name = str((await self.call("auth.test", {})).get("user", ""))
        return self._name

    async def holds(self, scopes: frozenset[str]) -> bool:
        """Whether the token has these scopes, as Slack said last. Raises PlatformError."""
        if self._scopes is None:
            await self.call("auth.test", {})
        return self._scopes is not None and scopes <= self._scopes

    async def direct(self, user: str) -> str:
        """The id (D…) of the bot's direct messages with a person, once asked. PlatformError."""
        if user not in self._direct_channels:
            answer = await self.call("conversations.open", {"users": user})
            channel = answer.get("channel")
            found = channel.get("id") if isinstance(channel, dict) else None
            if not isinstance(found, str):
                raise PlatformError("conversations.open: no channel in the answer")
            self._direct_channels[user] = found
            if len(self._direct_channels) > _REMEMBERED:
                del self._direct_channels[next(iter(self._direct_channels))]
        return self._direct_channels[user]

    async def respond(self, url: str, fields: Mapping[str, Any]) -> None:
        """Posts to the response_url of a verified payload; raises PlatformError.

        Nothing is sent to another host than Slack's, or that of the address given by hand.
        """
        if not is_response_url(url, self.api_url):
            raise PlatformError("response_url: not an address of Slack's")
        try:
            async with self._session().post(
                url, json=fields, allow_redirects=False, proxy=self._client.proxy
            ) as answer:
                if answer.status in (404, 410):
                    raise Gone(f"response_url: HTTP {answer.status}")
                if answer.status != 200:
                    raise PlatformError(f"response_url: HTTP {answer.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"response_url: {type(error).__name__}") from error

    def _session(self) -> aiohttp.ClientSession:
        return self._http.session()

    async def upload(self, url: str, content: bytes) -> None:
        """Hands a file over at the address that Slack gave for it; raises Unavailable.

        The address is all that it takes: the token goes to nobody but the Web API.
        """
        session = self._session()
        proxy = self._client.proxy
        try:
            async with session.post(
                url, data=content, proxy=proxy, allow_redirects=False
            ) as answer:
                if answer.status != 200:
                    raise Unavailable(f"file upload: HTTP {answer.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"file upload: {type(error).__name__}") from error

    async def close(self) -> None:
        """Ends the session; nothing can be called afterwards without opening another."""
        await self._http.close()


def _read_object(body: bytes) -> Mapping[str, Any]:
    """Slack's answer; {} for what is none, such as a proxy's page."""
    try:
        data = json.loads(body)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def _translate(
    method: str, status: int, headers: Mapping[str, str], data: Mapping[str, Any]
) -> PlatformError:
    if status == 200 and not data:
        return Unavailable(f"{method}: an answer that is not Slack's")
    code = str(data.get("error", ""))
    reason = f"{method}: {code or f'HTTP {status}'}"
    if code == "missing_scope" and data.get("needed"):
        reason += f" ({data['needed']})"
    if status == 429 or code == "ratelimited":
        return RateLimited(reason, retry_after_s=_retry_after_s(headers))
    if status >= 500 or code in _TRANSIENT or not code:
        return Unavailable(reason)
    if code == "thread_not_found":
        return ThreadGone(reason)
    if code in _GONE:
        return Gone(reason)
    if code in _STATES:
        return _STATES[code](reason)
    return Forbidden(reason) if code in _FORBIDDEN else PlatformError(reason)


def _retry_after_s(headers: Mapping[str, str]) -> float:
    try:
        return max(0.0, float(headers.get("Retry-After", _RETRY_AFTER_S)))
    except ValueError:
        return _RETRY_AFTER_S
