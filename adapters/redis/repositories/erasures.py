"""What was erased of people, and the key that tells whether somebody was."""

import hmac
import secrets
from collections.abc import Mapping
from hashlib import sha256

from adapters.redis import keys
from adapters.redis.client import Client, translate_errors


class RedisErasures:
    """The erasures port: a hash of them, a counter, and the key of digests."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def number(self) -> int:
        """The next number."""
        with translate_errors():
            return int(await self._client.incr(keys.erased("number")))

    async def all(self) -> Mapping[str, str]:
        """The text of each."""
        with translate_errors():
            found = await self._client.hgetall(keys.erased("people"))
        return {str(pseudonym): str(text) for pseudonym, text in found.items()}

    async def note(self, pseudonym: str, text: str) -> None:
        """Keep the text."""
        with translate_errors():
            await self._client.hset(keys.erased("people"), pseudonym, text)

    async def digest(self, text: str) -> str:
        """An HMAC under a random key, which is made once."""
        name = keys.erased("key")
        with translate_errors():
            await self._client.set(name, secrets.token_urlsafe(32), nx=True)
            key = str(await self._client.get(name))
        return hmac.new(key.encode(), text.encode(), sha256).hexdigest()
