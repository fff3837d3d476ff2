"""Markdown of people, tools and models to HTML that is safe to insert into the page (design §8)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from adapters.markdown_reader import MarkdownReader, extend_parser

_LINK = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)
_ROOM = re.compile(r"/\?room=[a-z0-9-]{1,32}")
# Marks that change the direction of text, so that it reads as something else.
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_ALIGN = "text-align:"
_CELLS = ("th_open", "td_open")
SHORT = 16
WIDE = 28
"""A table's cell of at most SHORT characters is not broken, and one of more than WIDE has room."""
KEPT, KEPT_CHARS = 512, 2_000
"""The HTML of so many texts of so many characters is kept."""


class _ChatMarkdown(MarkdownReader):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        return _LINK.match(url) is not None or _ROOM.fullmatch(url) is not None


def _harden(state: StateCore) -> None:
    for block in state.tokens:
        block.children = block.children and list(_without_dead_links(block.children))
    for token in _walk(state.tokens):
        if token.type == "link_open" and not _ROOM.fullmatch(str(token.attrGet("href"))):
            token.attrSet("target", "_blank")
            token.attrSet("rel", "noopener noreferrer")
        style = token.attrs.pop("style", None)
        if isinstance(style, str) and style.startswith(_ALIGN):
            # A style attribute would break the page's content security policy.
            token.attrSet("class", f"align-{style.removeprefix(_ALIGN)}")
    for cell, inside in pairwise(state.tokens):
        size = len(inside.content)
        if cell.type in _CELLS and (size <= SHORT or size > WIDE):
            cell.attrJoin("class", "short" if size <= SHORT else "wide")


def _without_dead_links(tokens: Iterable[Token]) -> Iterable[Token]:
    """Yield the tokens without links that have no target, of which the text stays."""
    nowhere = False
    for token in tokens:
        if token.type == "link_open":
            nowhere = not token.attrGet("href")
        if not (nowhere and token.type in ("link_open", "link_close")):
            yield token


def _walk(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _parser() -> MarkdownIt:
    parser = extend_parser(_ChatMarkdown("commonmark", {"html": False, "breaks": True}))
    parser.enable("table").disable("image")
    parser.core.ruler.push("harden", _harden)
    return parser


_PARSER = _parser()


def to_html(text: str) -> str:
    """HTML of `text`: no raw HTML, no images, nothing turned round.

    Links lead only to http, https and mailto, and to rooms of this page.
    """
    return (_html if len(text) <= KEPT_CHARS else _html.__wrapped__)(text)


# A message is shown anew at each change of one of its parts.
@lru_cache(maxsize=KEPT)
def _html(text: str) -> str:
    rendered: str = _PARSER.render(_TURNS.sub("", text))
    return rendered.strip()
