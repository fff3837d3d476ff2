"""Links whose text poses as another address than where they lead: one rule for all platforms.

What such a link says stays as text, and its real target follows in parentheses, as the link.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_WORDS = re.compile(r"[\s()<>\[\]{}\"'“”‘’「」『』《》、|]+")
_HAN = "\u3400-\u9fff"
_DOMAIN = re.compile(
    rf"[^\W_][.。](?:xn--|[^\W\d_{_HAN}][^\W\d_{_HAN}])|[^\W\d_]\.[{_HAN}][{_HAN}]"
)
_NUMBERS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_SCHEME = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_UNSEEN = ("Cf", "Cc", "Mn", "Me")
_ENDS = ".,;:!?"


def honest_links(parser: MarkdownIt) -> MarkdownIt:
    """The parser, whose links say where they lead from now on."""
    parser.core.ruler.push("honest_links", _rewrite)
    return parser


def poses(label: str, target: str) -> bool:
    """Whether the label looks like an address, a name or an e-mail that is not the target."""
    words = filter(None, _WORDS.split(_seen(label)))
    return any(_is_address(word) and not _is_same(word, target) for word in words)


def _seen(label: str) -> str:
    """The label as an eye takes it: other kinds of dots and letters, and nothing that is unseen."""
    folded = unicodedata.normalize("NFKC", label)
    return "".join(c for c in folded if c.isspace() or unicodedata.category(c) not in _UNSEEN)


def _is_address(word: str) -> bool:
    if "://" in word or (word.startswith("@") and word[1:2].isalnum()):
        return True
    return bool(_DOMAIN.search(word) or _NUMBERS.search(word))


def _is_same(word: str, target: str) -> bool:
    host = _bare(word).partition("/")[0]
    # A host in other letters than ours is read as what it is not: its target is in ASCII.
    return host.isascii() and _bare(word) in (_bare(target), _bare(unquote(target)))


def _bare(address: str) -> str:
    """Without its scheme and what ends a sentence; the host does not mind capitals."""
    host, slash, path = _SCHEME.sub("", address.strip(), count=1).partition("/")
    return (host.lower() + slash + path).rstrip(_ENDS).rstrip("/")


def _rewrite(state: StateCore) -> None:
    for block in state.tokens:
        if block.children:
            block.children = list(_honest(block.children))


def _honest(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with every link that poses set behind what it says."""
    inside: list[Token] = []
    link: Token | None = None
    for token in tokens:
        if token.type == "link_open":
            link, inside = token, []
        elif token.type == "link_close" and link is not None:
            yield from _told(link, inside, token)
            link = None
        elif link is not None:
            inside.append(token)
        else:
            yield token


def _told(link: Token, inside: Sequence[Token], close: Token) -> Iterator[Token]:
    target = str(link.attrGet("href") or "")
    label = "".join(" " if "break" in token.type else token.content for token in inside)
    if not target or (_seen(label).strip() and not poses(label, target)):
        yield from (link, *inside, close)
    elif not _seen(label).strip():
        yield from (link, _text(target), close)
    else:
        yield from (*inside, _text(" ("), link, _text(target), close, _text(")"))


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
