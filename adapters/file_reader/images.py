"""The format and the size of a picture; its pixels are never unpacked."""

from typing import BinaryIO

from PIL import Image

from adapters.file_reader.found import Deadline, Found, Unreadable

PIXELS = 100_000_000


def read(stream: BinaryIO, deadline: Deadline) -> Found:
    """Width and height in pixels."""
    with Image.open(stream, formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
        width, height = image.size
        if width * height > PIXELS:
            raise Unreadable("bomb", (image.format or "").lower())
        image.verify()
    return {"width": width, "height": height}
