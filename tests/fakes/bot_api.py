"""A bare call of a local Telegram's Bot API, as no library of ours would make it."""

from typing import Any

from aiohttp import ClientSession

from tests.fakes.platforms import TelegramServer


async def call(server: TelegramServer, method: str, **params: str) -> dict[str, Any]:
    """The answer to one call with the server's own token."""
    url = f"{server.url}/bot{server.token}/{method}"
    async with ClientSession() as session, session.post(url, data=params) as response:
        answer: dict[str, Any] = await response.json()
        return answer
