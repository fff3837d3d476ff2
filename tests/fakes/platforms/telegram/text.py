"""Telegram's HTML parse mode, stricter than Telegram where it is lenient: what we send is exact."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

_TOKEN = re.compile(
    r"<(?P<end>/?)(?P<tag>[a-zA-Z-]+)(?P<attributes>(?:\s[^<>]*)?)>"
    r"|(?P<entity>&(?:#\d+|#x[0-9a-fA-F]+|lt|gt|amp|quot);)"
    r"|(?P<text>[^<>&]+)|(?P<stray>.)",
    re.DOTALL,
)
_HREF = re.compile(r'\shref="(?P<href>[^"<>]+)"')
_STYLES = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "s": "strikethrough",
    "del": "strikethrough",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "text_link",
}
_FOUND = re.compile(
    r"(?<![\w@])(?P<mention>@[A-Za-z0-9_]{3,32})|(?P<url>https?://\S+)"
    r"|(?<![\w/])(?P<bot_command>/[A-Za-z0-9_]{1,32}(?:@[A-Za-z0-9_]{3,32})?)"
)

_PERSON = {"is_bot": False, "first_name": "Somebody"}


class BadHtml(ValueError):
    """The text is refused, with Telegram's description."""


@dataclass
class Parsed:
    """A text as Telegram keeps it: without markup, with entities in UTF-16 units."""

    text: str = ""
    entities: list[dict[str, Any]] = field(default_factory=list)


def units(text: str) -> int:
    """The length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def parse_html(html: str) -> Parsed:
    """The text and entities of `html`; raises BadHtml."""
    parsed = Parsed()
    open_tags: list[tuple[str, int, str]] = []
    for token in _TOKEN.finditer(html):
        if token["stray"] is not None:
            raise BadHtml(f"can't parse entities: character {token['stray']!r} must be escaped")
        if token["tag"] is None:
            parsed.text += unescape(token["entity"]) if token["entity"] else token["text"]
        elif token["end"]:
            _close(token["tag"], open_tags, parsed)
        else:
            _open(token["tag"], token["attributes"], open_tags, parsed)
    if open_tags:
        raise BadHtml(f"can't parse entities: can't find end tag of {open_tags[-1][0]}")
    return _trimmed(parsed)


def with_found(parsed: Parsed) -> Parsed:
    """Adds what Telegram finds by itself outside code and links: mentions, URLs, commands."""
    kept = [e for e in parsed.entities if e["type"] in ("code", "pre", "text_link")]
    found: list[dict[str, Any]] = []
    for match in _FOUND.finditer(parsed.text):
        offset, length = units(parsed.text[: match.start()]), units(match[0])
        inside = any(e["offset"] <= offset < e["offset"] + e["length"] for e in kept)
        if not inside:
            found.append({"type": match.lastgroup, "offset": offset, "length": length})
    return Parsed(parsed.text, [*parsed.entities, *found])


def _open(tag: str, attributes: str, open_tags: list[tuple[str, int, str]], parsed: Parsed) -> None:
    names = [name for name, _, _ in open_tags]
    if tag not in _STYLES:
        raise BadHtml(f'can\'t parse entities: unsupported start tag "{tag}"')
    if {"code", "pre"} & set(names) or (tag in ("a", "blockquote") and tag in names):
        raise BadHtml(f"can't parse entities: tag \"{tag}\" can't be nested here")
    href = _HREF.fullmatch(attributes)
    if (tag == "a") != (href is not None) or (tag != "a" and attributes):
        raise BadHtml(f'can\'t parse entities: wrong attributes of "{tag}"')
    open_tags.append((tag, units(parsed.text), unescape(href["href"]) if href else ""))


def _close(tag: str, open_tags: list[tuple[str, int, str]], parsed: Parsed) -> None:
    if not open_tags or open_tags[-1][0] != tag:
        raise BadHtml(f'can\'t parse entities: unexpected end tag "{tag}"')
    _, start, href = open_tags.pop()
    entity: dict[str, Any] = {
        "type": _STYLES[tag],
        "offset": start,
        "length": units(parsed.text) - start,
    }
    person = re.fullmatch(r"tg://user\?id=(\d+)", href)
    if person:
        entity |= {"type": "text_mention", "user": {**_PERSON, "id": int(person[1])}}
    elif href:
        entity["url"] = href
    if entity["length"]:
        parsed.entities.append(entity)


def _trimmed(parsed: Parsed) -> Parsed:
    front = units(parsed.text) - units(parsed.text.lstrip())
    text = parsed.text.strip()
    entities = []
    for entity in parsed.entities:
        start = max(0, entity["offset"] - front)
        end = min(units(text), entity["offset"] + entity["length"] - front)
        if end > start:
            entities.append({**entity, "offset": start, "length": end - start})
    return Parsed(text, sorted(entities, key=lambda e: (e["offset"], -e["length"])))
