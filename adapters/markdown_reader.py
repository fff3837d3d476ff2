"""Markdown parsers with emphasis for texts without spaces, and links that show where they lead.

CommonMark counts marks of emphasis beside punctuation only where a space or more punctuation
follows: `**结论：**通过` would show its asterisks, as nobody writes a space there. Here such marks
count where the character on either side is wide, as drafts of "CommonMark for Chinese, Japanese and
Korean" propose. A link whose text looks like another address becomes that text, with the real
target after it in parentheses.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

_WORDS = re.compile(r"[\s()<>\[\]{}\"'“”‘’「」『』《》、|]+")
_HAN = "\u3400-\u9fff"
_DOMAIN = re.compile(rf"[^\W_][.。](?:xn--|[^\W\d_{_HAN}]{{2}})|[^\W\d_]\.[{_HAN}]{{2}}")
_NUMBERS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_SCHEME = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_UNSEEN = ("Cf", "Cc", "Mn", "Me")
_ENDS = ".,;:!?"
_MARKS = re.compile(r"[^\w ,.:;()/%'\"\-（）：，。；、“”《》「」]|_")
_NUMBERED = re.compile(r"[0-9]{1,9}[.)]")
_OPENS = frozenset("（“《「")
_BESIDE_BOLD = (*" ,.:;()/（）：，。；、“”《》", "")


class _InlineState(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        found = super().scanDelims(start, canSplitWord)
        before = self.src[start - 1] if start else " "
        end = start + found.length
        after = self.src[end] if end < self.posMax else " "
        if not canSplitWord or isWhiteSpace(ord(before)) or isWhiteSpace(ord(after)):
            return found
        wide = _is_wide(before) or _is_wide(after)
        opens = found.can_open or (_is_punctuation(after) and wide)
        closes = found.can_close or (_is_punctuation(before) and wide)
        return Scanned(opens, closes, found.length)


class _Parser(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _InlineState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def extend_parser(parser: MarkdownIt) -> MarkdownIt:
    """Return the parser with our emphasis and links."""
    inline = _Parser()
    inline.ruler, inline.ruler2 = parser.inline.ruler, parser.inline.ruler2
    parser.inline = inline
    return reveal_link_targets(parser)


class MarkdownReader(MarkdownIt):
    """A parser that reads lines of words by itself, where each of them is a paragraph.

    The rules cost twenty times as much.
    """

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        """Return the tokens, as the rules make them."""
        tokens: list[Token] = []
        for number, line in enumerate(src.split("\n\n")):
            parts = line.split("**")
            if not _is_line_of_words(line, parts):
                return super().parse(src, env)
            tokens += _paragraph(line, parts, 2 * number)
        return tokens


def make_parser(*more: str) -> MarkdownIt:
    """Return such a CommonMark parser without HTML, with these rules added."""
    return extend_parser(MarkdownReader("commonmark", {"html": False}).enable(list(more)))


def _is_line_of_words(text: str, parts: Sequence[str]) -> bool:
    """Whether the text is one line without marks but `**`, which all open or close bold words."""
    if len(parts) % 2 == 0 or _MARKS.search("".join(parts)) or _NUMBERED.match(text):
        return False
    opens = text[:1].isalnum() or text[:1] in _OPENS or parts[0] == ""
    if not text or not opens or text[-1].isspace():
        return False
    bold, plain = parts[1::2], parts[::2]
    return (
        all(each[:1].isalnum() and each[-1:].isalnum() for each in bold)
        and all(each[-1:] in _BESIDE_BOLD for each in plain[:-1])
        and all(each[:1] in _BESIDE_BOLD for each in plain[1:])
        and all(plain[1:-1])
    )


def _paragraph(text: str, parts: Sequence[str], at: int) -> list[Token]:
    """Return the tokens of the line of that number, every second of whose parts is bold."""
    children = [_text(parts[0])]
    for bold, plain in zip(parts[1::2], parts[2::2], strict=True):
        children += [
            Token("strong_open", "strong", 1, markup="**"),
            Token("text", "", 0, content=bold, level=1),
            Token("strong_close", "strong", -1, markup="**"),
            _text(plain),
        ]
    return [
        Token("paragraph_open", "p", 1, map=[at, at + 1], block=True),
        Token(
            "inline", "", 0, map=[at, at + 1], level=1, children=children, content=text, block=True
        ),
        Token("paragraph_close", "p", -1, block=True),
    ]


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def reveal_link_targets(parser: MarkdownIt) -> MarkdownIt:
    """Return the parser, whose misleading links show their targets from now on."""
    parser.core.ruler.push("honest_links", _rewrite_links)
    return parser


def is_misleading(label: str, target: str) -> bool:
    """Whether the label looks like an address, a name or an e-mail other than the target."""
    words = filter(None, _WORDS.split(_as_seen(label)))
    return any(_is_address(word) and not _is_same(word, target) for word in words)


def _as_seen(label: str) -> str:
    """Return the label as people see it: letters and dots normalised, nothing invisible."""
    folded = unicodedata.normalize("NFKC", label)
    return "".join(c for c in folded if c.isspace() or unicodedata.category(c) not in _UNSEEN)


def _is_address(word: str) -> bool:
    if "://" in word or (word.startswith("@") and word[1:2].isalnum()):
        return True
    return bool(_DOMAIN.search(word) or _NUMBERS.search(word))


def _is_same(word: str, target: str) -> bool:
    host = _normalise(word).partition("/")[0]
    # A host in non-ASCII letters may look like another one: a target is in ASCII.
    return host.isascii() and _normalise(word) in (_normalise(target), _normalise(unquote(target)))


def _normalise(address: str) -> str:
    """Return the address without scheme and final punctuation, its host in lower case."""
    host, slash, path = _SCHEME.sub("", address.strip(), count=1).partition("/")
    return (host.lower() + slash + path).rstrip(_ENDS).rstrip("/")


def _rewrite_links(state: StateCore) -> None:
    for block in state.tokens:
        if block.children:
            block.children = list(_with_targets(block.children))


def _with_targets(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with the target of each misleading link after its text."""
    inside: list[Token] = []
    link: Token | None = None
    for token in tokens:
        if token.type == "link_open":
            link, inside = token, []
        elif token.type == "link_close" and link is not None:
            yield from _link_tokens(link, inside, token)
            link = None
        elif link is not None:
            inside.append(token)
        else:
            yield token


def _link_tokens(link: Token, inside: Sequence[Token], close: Token) -> Iterator[Token]:
    target = str(link.attrGet("href") or "")
    label = "".join(" " if "break" in token.type else token.content for token in inside)
    if not target or (_as_seen(label).strip() and not is_misleading(label, target)):
        yield from (link, *inside, close)
    elif not _as_seen(label).strip():
        yield from (link, _text(target), close)
    else:
        yield from (*inside, _text(" ("), link, _text(target), close, _text(")"))


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
