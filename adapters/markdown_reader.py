"""Reading Markdown, as CommonMark says, and with emphasis where no spaces part the words.

CommonMark lets marks of emphasis beside punctuation count only where a space or more punctuation
follows: of `**结论：**通过` it shows the asterisks, for nobody writes a space there. Here marks
between punctuation and another character count where either of the two is wide.
It is the rule that "CommonMark for Chinese, Japanese and Korean" drafts propose.
"""

import unicodedata

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from adapters.link_labels import honest_links


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


def reading(parser: MarkdownIt) -> MarkdownIt:
    """The parser, which reads such emphasis from now on, and whose links say where they lead."""
    inline = _Parser()
    inline.ruler, inline.ruler2 = parser.inline.ruler, parser.inline.ruler2
    parser.inline = inline
    return honest_links(parser)


def reader(*more: str) -> MarkdownIt:
    """A CommonMark parser that reads no HTML, with these rules besides."""
    return reading(MarkdownIt("commonmark", {"html": False}).enable(list(more)))


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"
