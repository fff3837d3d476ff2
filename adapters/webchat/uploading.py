"""The page's request that sends a file, before the message that it belongs to."""

import json
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web

from adapters.webchat.following import room_of
from adapters.webchat.guard import Guard, Handler, as_json, refused
from adapters.webchat.uploads import TooBig, TooMany, Uploads
from engine.events import Actor

_PIECE_BYTES = 64 * 1024
_log = structlog.get_logger(__name__)

Who = Callable[[web.Request, str, str], Awaitable[Actor]]
"""Who asks, given whom they say they are and the room; raises 401, 403 or 404, or BadPayload."""


def upload(uploads: Uploads, guard: Guard, who: Who) -> Handler:
    """Takes a file whose bytes are the body, streamed to disk; answers with its id."""

    async def take(request: web.Request) -> web.StreamResponse:
        guard.check_own(request, "application/octet-stream")
        room = room_of(request)
        actor = await who(request, request.query.get("person", ""), room)
        if (request.content_length or 0) > uploads.most_mb * 1024**2:
            raise _too_large(uploads.most_mb)
        try:
            content = request.content.iter_chunked(_PIECE_BYTES)
            return as_json(201, {"id": await uploads.take(room, actor.user, content)})
        except TooBig:
            raise _too_large(uploads.most_mb) from None
        except TooMany:
            raise refused(web.HTTPTooManyRequests, "too_many") from None
        except TimeoutError:
            raise refused(web.HTTPRequestTimeout, "too_slow") from None
        except (ConnectionError, web.RequestPayloadError):
            # They have gone; there is nobody to answer.
            raise refused(web.HTTPBadRequest, "broken off") from None
        except OSError as error:
            _log.error("upload_not_kept", error=str(error))
            raise refused(web.HTTPServiceUnavailable, "away") from error

    return take


def _too_large(most_mb: int) -> web.HTTPException:
    error = web.HTTPRequestEntityTooLarge(most_mb * 1024**2)
    error.text, error.content_type = json.dumps({"error": "too_large"}), "application/json"
    # The rest of the body is not waited for.
    error.headers["Connection"] = "close"
    return error
