"""Calls to Slack's Web API; its errors become ours here, once."""

from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable

# Below the lease of a row, so that a slow call is not made again by another worker meanwhile.
_TIMEOUT_S = 8
_RETRY_AFTER_S = 5.0

_GONE = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "message_not_found",
        "thread_not_found",
        "user_not_found",
        "user_not_visible",
        "no_such_subteam",
        "cant_update_message",
        "edit_window_closed",
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

    An address given by hand is used directly, whatever proxy the environment names.
    """
    client = AsyncWebClient(
        token=token, base_url=api_url or AsyncWebClient.BASE_URL, retry_handlers=[]
    )
    if api_url:
        client.proxy = None
    return client


class WebApi:
    """Slack's Web API for one bot token, over one HTTP session."""

    def __init__(self, *, api_url: str, token: str) -> None:
        self.api_url = api_url
        self._client = web_client(api_url, token)

    async def call(
        self, method: str, fields: Mapping[str, Any], *, reads: bool = False, form: bool = False
    ) -> Mapping[str, Any]:
        """Slack's answer to one call, made once. Raises PlatformError.

        A method that only `reads` takes its fields in the address, and some take a `form`, no JSON.
        """
        self._opened()
        try:
            given = {"http_verb": "GET", "params": fields} if reads else {"json": fields}
            response = await self._client.api_call(method, **({"data": fields} if form else given))
        except SlackApiError as error:
            raise _translate(method, error) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"{method}: {type(error).__name__}") from error
        except (AttributeError, ValueError) as error:
            # slack_sdk reads a 200 that is no JSON object (a proxy's page) as if it were one.
            raise Unavailable(f"{method}: an answer that is not Slack's") from error
        data: Any = response.data
        return data if isinstance(data, dict) else {}

    async def upload(self, url: str, content: bytes) -> None:
        """Hands a file over at the address that Slack gave for it; raises Unavailable.

        The address is all that it takes: the token goes to nobody but the Web API.
        """
        session = self._opened()
        proxy = self._client.proxy
        try:
            async with session.post(url, data=content, proxy=proxy, allow_redirects=False) as said:
                if said.status != 200:
                    raise Unavailable(f"file upload: HTTP {said.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unavailable(f"file upload: {type(error).__name__}") from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._client.session is None:
            timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
            self._client.session = aiohttp.ClientSession(timeout=timeout)
        return self._client.session

    async def close(self) -> None:
        """Ends the session; nothing can be called afterwards without opening another."""
        session, self._client.session = self._client.session, None
        if session is not None:
            await session.close()


def _translate(method: str, error: SlackApiError) -> PlatformError:
    # The SDK hands over its own response, or aiohttp's when the body was not readable.
    response: Any = error.response
    status: int = getattr(response, "status_code", 0) or getattr(response, "status", 0)
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    said = f"{method}: {code or f'HTTP {status}'}"
    if code == "missing_scope" and isinstance(data, dict) and data.get("needed"):
        said += f" ({data['needed']})"
    if status == 429 or code == "ratelimited":
        return RateLimited(said, retry_after_s=_retry_after_s(response.headers))
    if status >= 500 or code in _TRANSIENT or not code:
        return Unavailable(said)
    if code in _GONE:
        return Gone(said)
    return Forbidden(said) if code in _FORBIDDEN else PlatformError(said)


def _retry_after_s(headers: Mapping[str, str]) -> float:
    try:
        return max(0.0, float(headers.get("Retry-After", _RETRY_AFTER_S)))
    except ValueError:
        return _RETRY_AFTER_S
