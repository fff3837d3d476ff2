"""What an HTTP server answers: read within its bounds, and what it says of the next request."""

from collections.abc import Mapping

import aiohttp
from pydantic import JsonValue
from yarl import URL

_LONGEST_WORDS = 200


async def read_content(answer: aiohttp.ClientResponse, most_bytes: int) -> bytes | None:
    """The whole content; None where there is more."""
    if (answer.content_length or 0) > most_bytes:
        return None
    pieces, size = [], 0
    async for piece in answer.content.iter_chunked(64 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > most_bytes:
            return None
    return b"".join(pieces)


def find_headers(answer: aiohttp.ClientResponse) -> Mapping[str, str]:
    """Where its next page is, and when to ask again, as it says it."""
    link = answer.links["next"]["url"] if "next" in answer.links else ""
    return {"next": str(link or ""), "retry": answer.headers.get("Retry-After", "")}


def next_page(headers: Mapping[str, str]) -> URL | None:
    """The address of the next page, None for none."""
    return URL(headers["next"]) if headers["next"] else None


def retry_after_s(headers: Mapping[str, str]) -> float:
    """After how many seconds it wants to be asked again, 0.0 where it does not say."""
    text = headers["retry"].strip()
    return float(text) if text.isascii() and text.isdigit() else 0.0


def refuse_number(text: str) -> JsonValue:
    """Raises ValueError: what is no number in JSON, such as NaN."""
    raise ValueError(f"{text} is no JSON")


def words_of_answer(text: bytes) -> str:
    """One printable line: what others wrote is data."""
    words = text[: 4 * _LONGEST_WORDS].decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(printable.split())[:_LONGEST_WORDS]
