"""What Telegram refuses in files that a bot sends."""

import struct
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Params = dict[str, Any]
CAPTION = 1_024
PHOTO_BYTES, FILE_BYTES, DOWNLOAD_BYTES = 10 << 20, 50 << 20, 20 << 20
_SIDES, _RATIO = 10_000, 20


@dataclass
class Refused(Exception):
    """Telegram says no; `fault` when the caller sent what it should not have."""

    description: str
    status: int = 400
    fault: bool = True
    parameters: Params = field(default_factory=dict)


def file_of(params: Params, name: str, *, most: int) -> tuple[str, bytes]:
    """The name and content of an uploaded file; raises Refused for none, or for one too big."""
    given = params.get(name)
    if isinstance(given, str) and given.startswith("attach://"):
        given = params.get(given.removeprefix("attach://"))
    if not isinstance(given, web.FileField):
        raise Refused(f"there is no {name} in the request")
    content = given.file.read()
    if not content:
        raise Refused("file must be non-empty")
    if len(content) > most:
        raise Refused("Request Entity Too Large", 413)
    return given.filename, content


def refuse_no_picture(content: bytes) -> None:
    """Raises Refused for what is no PNG of a shape that photos may have."""
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise Refused("IMAGE_PROCESS_FAILED")
    width, height = struct.unpack(">II", content[16:24])
    if width + height > _SIDES or max(width, height) > _RATIO * min(width, height):
        raise Refused("PHOTO_INVALID_DIMENSIONS")
