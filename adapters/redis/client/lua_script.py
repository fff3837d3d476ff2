"""One Lua script, called by its digest; a server that does not know it is sent its text."""

from collections.abc import Sequence
from hashlib import sha1
from typing import Any

from redis.asyncio.client import Pipeline
from redis.exceptions import NoScriptError

from adapters.redis.client.client import Client

Argument = str | bytes | int | float


class LuaScript:
    """A script that a server may forget at any moment, as one that restarts does.

    The library's own loads the text and calls the digest once more: a server that restarts in
    between knows it no better than before. EVAL brings the text with the call.
    """

    def __init__(self, client: Client, text: str) -> None:
        self._client = client
        self._text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """The script's answer; raises the library's errors, but never NoScriptError."""
        client: Any = self._client
        try:
            return await client.evalsha(self.sha, len(keys), *keys, *args)
        except NoScriptError:
            return await self.with_text(keys=keys, args=args)

    async def with_text(self, *, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        """The answer of a server that has just said that it does not know the script."""
        client: Any = self._client
        return await client.eval(self._text, len(keys), *keys, *args)

    def queue(
        self, pipe: Pipeline, *, keys: Sequence[str], args: Sequence[Argument], with_text: bool
    ) -> None:
        """Add a call to a round trip; one that goes without its text may raise NoScriptError."""
        call: Any = pipe.eval if with_text else pipe.evalsha
        call(self._text if with_text else self.sha, len(keys), *keys, *args)
