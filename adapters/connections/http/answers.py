"""What an HTTP server answers: read within its bounds, and what it says of the next request."""

import json
from collections.abc import Mapping

import aiohttp
from pydantic import JsonValue
from yarl import URL

_LONGEST_WORDS = 200
_DEEPEST = 3
_SENTENCE_KEYS = ("message", "detail", "error_description", "title", "reason", "errors", "error")
"""Where a JSON answer says in words what is wrong, as servers usually write it."""


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


def sentence_of(text: bytes) -> str:
    """What people can read of an answer: its text, or a sentence where JSON usually has one.

    "" for a page, and for JSON without such a sentence.
    """
    words = words_of_answer(text)
    if words.startswith("<"):
        return ""
    try:
        data: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return "" if words.startswith(("{", "[")) else words
    for _ in range(_DEEPEST):
        if isinstance(data, list) and data:
            data = data[0]
        elif isinstance(data, dict):
            data = next((data[key] for key in _SENTENCE_KEYS if data.get(key)), None)
    return words_of_answer(data.encode("utf-8", "replace")) if isinstance(data, str) else ""


def words_of_answer(text: bytes) -> str:
    """One printable line: what others wrote is data."""
    words = text[: 4 * _LONGEST_WORDS].decode("utf-8", "replace")
    printable = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(printable.split())[:_LONGEST_WORDS]
