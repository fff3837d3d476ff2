"""The format and the size of a picture; its pixels are never unpacked."""

from typing import BinaryIO

from PIL import Image

from adapters.file_reader.result import Deadline, ReaderResult, Unreadable

PIXELS = 100_000_000
"""The most pixels; Pillow refuses twice its own limit."""


def read(stream: BinaryIO, deadline: Deadline) -> ReaderResult:
    """Width and height in pixels."""
    Image.MAX_IMAGE_PIXELS = PIXELS // 2
    try:
        with Image.open(stream, formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            width, height = image.size
            image.verify()
    except Image.DecompressionBombError as error:
        raise Unreadable("bomb") from error
    return {"width": width, "height": height}
