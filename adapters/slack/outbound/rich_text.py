"""Slack's `rich_text` blocks, which show each character of a text as it is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Style = Literal["bold", "italic", "strike", "code"]
Json = dict[str, Any]

_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
MAX_URL = 1_500


@dataclass(frozen=True, slots=True)
class StyledText:
    """Text under these styles; with a `url` of http(s) it is a link."""

    text: str
    styles: frozenset[Style] = frozenset()
    url: str = ""


def block(texts: Sequence[StyledText], *, quote: bool) -> Json:
    """Return the texts as one block, quoted or not."""
    kind = "rich_text_quote" if quote else "rich_text_section"
    elements = [_element(each) for each in texts if each.text]
    return {"type": "rich_text", "elements": [{"type": kind, "elements": elements}]}


def join(groups: Sequence[Sequence[StyledText]], tight: Sequence[bool]) -> list[StyledText]:
    """Join groups by empty lines; `tight` ones by a line break."""
    texts: list[StyledText] = []
    for group, is_tight in zip(groups, tight, strict=True):
        if texts:
            texts.append(StyledText("\n" if is_tight else "\n\n"))
        texts += group
    return texts


def pages(texts: Sequence[StyledText], limit: int) -> Iterator[list[StyledText]]:
    """Yield the texts in lists of at most `limit` characters each."""
    page: list[StyledText] = []
    room = limit
    for each in texts:
        rest = each.text
        while rest:
            if not room:
                yield page
                page, room = [], limit
            head, rest = rest[:room], rest[room:]
            page.append(replace(each, text=head))
            room -= len(head)
    if page:
        yield page


def _element(part: StyledText) -> Json:
    style = {"style": dict.fromkeys(sorted(part.styles), True)} if part.styles else {}
    if len(part.url) <= MAX_URL and _WEB.fullmatch(part.url):
        return {"type": "link", "url": part.url, "text": part.text} | style
    return {"type": "text", "text": part.text} | style
