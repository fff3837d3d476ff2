"""Styled text, which is split before it becomes HTML, so that every piece is well-formed.

Text never carries markup of its own: it is escaped here and nowhere else.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import takewhile

from cards.clipping import head

LIMIT = 4096
"""What one message holds, in UTF-16 units after entity parsing; Telegram counts no stricter."""

_MENTION_BREAK = "\u2060"
# Behind such a character it is an e-mail address, which people copy.
_MENTION = re.compile(r"(?<![A-Za-z0-9])@")
_COMMAND = re.compile(r"(?<![\w/])/(?=[A-Za-z0-9_])")
_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Tag:
    """One of Telegram's HTML tags; `mark` keeps two neighbours of the same name apart."""

    name: str
    href: str = ""
    mark: int = 0

    @property
    def open_tag(self) -> str:
        """The tag as it opens."""
        return f'<{self.name} href="{escape(self.href)}">' if self.href else f"<{self.name}>"


@dataclass(frozen=True, slots=True)
class Span:
    """Text under the same tags, outermost first."""

    text: str
    tags: tuple[Tag, ...] = ()


BOLD, ITALIC, STRIKE, CODE, PRE = Tag("b"), Tag("i"), Tag("s"), Tag("code"), Tag("pre")


def tidy(text: str) -> str:
    """Return `text` without control characters, lone surrogates and marks of direction."""
    return _UNSHOWN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def without_mentions(text: str) -> str:
    """Return `text` tidied, with mentions broken, so that it notifies nobody."""
    return _MENTION.sub(f"@{_MENTION_BREAK}", tidy(text))


def text_of(spans: Iterable[Span]) -> str:
    """Return the spans' text."""
    return "".join(span.text for span in spans)


def without_commands(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with commands broken, so that a tap sends none."""
    return [
        span
        if {CODE, PRE} & {*span.tags}
        else replace(span, text=_COMMAND.sub(f"/{_MENTION_BREAK}", span.text))
        for span in spans
    ]


def take(spans: Iterable[Span], count: int) -> list[Span]:
    """Return the first `count` characters of the spans."""
    taken: list[Span] = []
    for span in spans:
        if count <= 0:
            break
        taken.append(Span(span.text[:count], span.tags))
        count -= len(span.text)
    return taken


def drop(spans: Iterable[Span], count: int) -> list[Span]:
    """Return the spans without their first `count` characters."""
    left: list[Span] = []
    for span in spans:
        if len(span.text) > count:
            left.append(Span(span.text[count:], span.tags))
        count = max(0, count - len(span.text))
    return left


def split(spans: list[Span], limit: int = LIMIT) -> Iterator[list[Span]]:
    """Yield the spans in pieces of at most `limit` UTF-16 units, cut at paragraphs, lines, words.

    Pieces that would show nothing are left out, for Telegram refuses empty messages.
    """
    while spans:
        text = text_of(spans)
        end = _cut_position(text, head(text, limit))
        if _is_visible(text[:end]):
            yield take(spans, len(text[:end].rstrip()))
        blank = len(text[end:]) - len(text[end:].lstrip("\n"))
        spans = drop(spans, end + blank)


def render_html(spans: Iterable[Span]) -> str:
    """Return the spans as well-formed Telegram HTML."""
    out: list[str] = []
    open_tags: tuple[Tag, ...] = ()
    for span in [*(s for s in spans if s.text), Span("")]:
        kept = len(common_tags(open_tags, span.tags))
        out += [f"</{tag.name}>" for tag in reversed(open_tags[kept:])]
        out += [tag.open_tag for tag in span.tags[kept:]]
        out.append(escape(span.text, quote=False))
        open_tags = span.tags
    return "".join(out)


def common_tags(one: tuple[Tag, ...], other: tuple[Tag, ...]) -> tuple[Tag, ...]:
    """Return the tags that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple(tag for tag, _ in pairs)


def _cut_position(text: str, fitting: str) -> int:
    if len(fitting) == len(text):
        return len(text)
    for mark in ("\n\n", "\n", " "):
        at = fitting.rfind(mark)
        if at > len(fitting) // 2:
            return at
    return len(fitting)


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)
