"""The format and the size of a picture; its pixels are never unpacked."""

from typing import BinaryIO

from PIL import Image

from adapters.file_reader.result import Deadline, Found, Unreadable

PIXELS = 100_000_000
"""Pillow refuses what has twice of what it is told."""


def read(stream: BinaryIO, deadline: Deadline) -> Found:
    """Width and height in pixels."""
    Image.MAX_IMAGE_PIXELS = PIXELS // 2
    try:
        with Image.open(stream, formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            width, height = image.size
            image.verify()
    except Image.DecompressionBombError as error:
        raise Unreadable("bomb") from error
    return {"width": width, "height": height}
