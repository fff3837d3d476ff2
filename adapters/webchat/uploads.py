"""Files that the page sends before the message they belong to: streamed to disk, found by id."""

import asyncio
import hashlib
import json
import os
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import structlog
from aiohttp import web

from adapters.filesystem import make_private_folder
from adapters.webchat.middleware import Handler, RequestGuard, http_error, json_response
from adapters.webchat.page_requests import room_of
from engine.errors import Gone
from engine.events import Actor, SharedFile
from engine.ports.clock import Clock

MAX_PER_PERSON = 20
"""The most files of one person in one room; each is deleted after a day."""

MAX_IN_ALL = 500
_KEEP_S = 86_400.0
_PIECE_BYTES = 64 * 1024
_ID = re.compile(r"[0-9a-f]{32}-[0-9a-f]{32}")
_PART = ".part"
_log = structlog.get_logger(__name__)


class UploadTooLarge(Exception):
    """The file is too large."""


class TooManyUploads(Exception):
    """There is no room for another file."""


class Uploads:
    """A folder of files named `<owner>-<id>`, so that no id leads to another person's file.

    `kinds` are the kinds of files that the page offers; they are checked when files are read.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        *,
        max_mb: int = 20,
        seconds: float = 20.0,
        kinds: Sequence[str] = (),
    ) -> None:
        self._folder = folder
        self._clock = clock
        self.max_mb = max_mb
        self.kinds = tuple(kinds)
        self.seconds = seconds

    async def take(self, room: str, person: str, content: AsyncIterator[bytes]) -> str:
        """Write the content; returns its id. Raises TooBig, TooMany, OSError, TimeoutError."""
        owner, upload = _owner_digest(room, person), secrets.token_hex(16)
        await asyncio.to_thread(self._free_space, owner)
        path = self._folder / f"{owner}-{upload}"
        part = path.with_suffix(_PART)
        try:
            async with asyncio.timeout(self.seconds):
                await self._write(part, content)
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        return upload

    async def _write(self, path: Path, content: AsyncIterator[bytes]) -> None:
        size = 0
        file = await asyncio.to_thread(path.open, "xb")
        with file:
            async for piece in content:
                size += len(piece)
                if size > self.max_mb * 1024**2:
                    raise UploadTooLarge
                await asyncio.to_thread(file.write, piece)

    def shared_file(self, room: str, person: str, upload: str, name: str) -> SharedFile:
        """Return the upload as a file of that person's message in that room."""
        return SharedFile(platform="web", id=f"{_owner_digest(room, person)}-{upload}", name=name)

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """Yield the upload's content. Raises Gone when it is not here (any more)."""
        if not _ID.fullmatch(file.id):
            raise Gone("no upload has such an id")
        try:
            opened = await asyncio.to_thread((self._folder / file.id).open, "rb")
        except FileNotFoundError as error:
            raise Gone("the upload is not here") from error
        with opened:
            while piece := await asyncio.to_thread(opened.read, _PIECE_BYTES):
                yield piece

    def _free_space(self, owner: str) -> None:
        make_private_folder(self._folder)
        now_s = self._clock.now().timestamp()
        mine = others = 0
        for entry in os.scandir(self._folder):
            if now_s - entry.stat().st_mtime > _KEEP_S:
                Path(entry.path).unlink(missing_ok=True)
            elif entry.name.startswith(owner):
                mine += 1
            else:
                others += 1
        if mine >= MAX_PER_PERSON or mine + others >= MAX_IN_ALL:
            raise TooManyUploads


def _owner_digest(room: str, person: str) -> str:
    return hashlib.sha256(f"{room}\n{person}".encode()).hexdigest()[:32]


IdentifyVisitor = Callable[[web.Request, str, str], Awaitable[Actor]]
"""Returns who asks, from their claimed name and the room. Raises 401, 403, 404, BadPayload."""


def upload_handler(uploads: Uploads, guard: RequestGuard, identify: IdentifyVisitor) -> Handler:
    """Return the handler that streams a body to disk as a file and answers with its id."""

    async def take(request: web.Request) -> web.StreamResponse:
        guard.check_origin(request, "application/octet-stream")
        room = room_of(request)
        actor = await identify(request, request.query.get("person", ""), room)
        if (request.content_length or 0) > uploads.max_mb * 1024**2:
            raise _too_large(uploads.max_mb)
        try:
            content = request.content.iter_chunked(_PIECE_BYTES)
            return json_response(201, {"id": await uploads.take(room, actor.user, content)})
        except UploadTooLarge:
            raise _too_large(uploads.max_mb) from None
        except TooManyUploads:
            raise http_error(web.HTTPTooManyRequests, "file: too many wait to be sent") from None
        except TimeoutError:
            raise http_error(web.HTTPRequestTimeout, "file: it came too slowly") from None
        except (ConnectionError, web.RequestPayloadError):
            # The client has gone.
            raise http_error(web.HTTPBadRequest, "file: it broke off") from None
        except OSError as error:
            _log.error("upload_not_kept", error=str(error))
            raise http_error(web.HTTPServiceUnavailable, "file: it cannot be kept now") from error

    return take


def _too_large(max_mb: int) -> web.HTTPException:
    error = web.HTTPRequestEntityTooLarge(max_mb * 1024**2)
    told = json.dumps({"error": f"file: at most {max_mb} MB"})
    error.text, error.content_type = told, "application/json"
    # The rest of the body is not waited for.
    error.headers["Connection"] = "close"
    return error
