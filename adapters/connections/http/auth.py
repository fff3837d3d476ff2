"""Authenticates requests of an HTTP connection."""

import asyncio
import json
from collections.abc import Callable

import aiohttp
from aiohttp import ClientHandlerType, ClientMiddlewareType, ClientRequest, ClientResponse

from adapters.connections.http.model import Auth, ClientCredentials
from engine.errors import ToolFailed

_MARGIN_S = 30.0
"""A token is fetched anew so long before it ends."""
_LIFE_S = 300.0
"""How long a token lives whose server does not say."""
_MOST_BYTES = 64 * 1024


def authenticate(auth: Auth | None, now: Callable[[], float]) -> tuple[ClientMiddlewareType, ...]:
    """The middlewares that add what the server asks for; `now` is a monotonic clock in seconds."""
    if auth is None:
        return ()
    if auth.oauth is not None:
        return (TokenAuth(auth.oauth, now),)
    if auth.basic is not None:
        password = auth.basic.password.get_secret_value()
        return (_with("Authorization", aiohttp.encode_basic_auth(auth.basic.user, password)),)
    if auth.header is not None:
        return (_with(auth.header.name, auth.header.value.get_secret_value()),)
    assert auth.bearer is not None
    return (_with("Authorization", f"Bearer {auth.bearer.get_secret_value()}"),)


def _with(name: str, value: str) -> ClientMiddlewareType:
    async def add(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        request.headers[name] = value
        return await handler(request)

    return add


class TokenAuth:
    """Tokens by OAuth 2 client credentials (RFC 6749 §4.4), kept in memory.

    One is fetched at a time, before the old one ends, and once more after a 401. Raises ToolFailed
    where the server gives none.
    """

    def __init__(self, client: ClientCredentials, now: Callable[[], float]) -> None:
        self._client = client
        self._now = now
        self._token = ""
        self._until = 0.0
        self._fetching = asyncio.Lock()

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        """The answer to the request with a token."""
        token = await self._valid(request.session, refused="")
        request.headers["Authorization"] = f"Bearer {token}"
        answer = await handler(request)
        if answer.status != 401:
            return answer
        answer.release()
        token = await self._valid(request.session, refused=token)
        request.headers["Authorization"] = f"Bearer {token}"
        return await handler(request)

    async def _valid(self, session: aiohttp.ClientSession, *, refused: str) -> str:
        async with self._fetching:
            if self._token == refused or self._now() >= self._until:
                self._token, life_s = await self._fetch(session)
                self._until = self._now() + max(life_s - _MARGIN_S, life_s / 2)
            return self._token

    async def _fetch(self, session: aiohttp.ClientSession) -> tuple[str, float]:
        client, secret = self._client, self._client.client_secret.get_secret_value()
        form = {"grant_type": "client_credentials"}
        form |= {"scope": client.scope} if client.scope else {}
        form |= {"audience": client.audience} if client.audience else {}
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if client.in_body:
            form |= {"client_id": client.client_id, "client_secret": secret}
        else:
            headers["Authorization"] = aiohttp.encode_basic_auth(client.client_id, secret)
        async with session.post(
            client.token_address, data=form, headers=headers, allow_redirects=False, middlewares=()
        ) as answer:
            if answer.status != 200:
                raise ToolFailed("connection.no_token", status=answer.status)
            text = await answer.content.read(_MOST_BYTES)
        return _token_of(text)


def _token_of(text: bytes) -> tuple[str, float]:
    try:
        told = json.loads(text)
        token, life = told["access_token"], told.get("expires_in", _LIFE_S)
        if isinstance(token, str) and token.isascii() and token.isprintable() and token:
            return token, float(life)
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise ToolFailed("connection.no_token", status=200)
