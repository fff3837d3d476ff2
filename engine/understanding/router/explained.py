"""With a model, rules decide only what they wholly explain (promise 4)."""

import re
from collections.abc import Iterator, Sequence

from engine.frames.intents import Lookup
from engine.ports.model import Model
from engine.text import wording
from engine.text.entities import DAY_MARK, fold, masked
from engine.text.values import remove_values
from engine.understanding.context import Piece, RouteContext, StrategyResult
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import unexplained_words
from engine.understanding.lookups.text import STAND_INS
from engine.understanding.lookups.words import content
from engine.understanding.open_forms import match_form
from engine.understanding.pieces.message import read_message
from engine.understanding.pieces.sameness import judge_verbatim
from engine.understanding.router.links import is_link
from engine.understanding.router.rules import card_reply, deterministic
from engine.understanding.smalltalk import is_smalltalk

_CLAUSES = re.compile(
    r"[,，。;；:：!！?？\n、]|——|\.\s|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
    r"|\b(?:and|then|also|but|so)\b|然后|接着|顺便"
)
_WORD = re.compile(r"[a-z]+|[\u3400-\u9fff]{1,2}")
_ASKS_ON = re.compile(
    r"\W*(?:(?:by|since|from|until|for|of|in)\s+)?(?:how\s+(?:much|many|often|long|far)|when|why|where)"
    r"|\W*(?:其中)?(?:是|有|为|在)?(?:多少|多久|几次|什么时候|何时|为什么|为何|哪里|哪天|哪次)[吗呢]?",
    re.IGNORECASE,
)
_VALUE_WORDS = 3
"""A clause of a value has at most so many words beside it."""


async def explained(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """The intents that rules are sure of; with a model, only where no part of them is unexplained.

    Work and questions of several clauses are the model's, since rules look at one of them, unless
    the others only give values. So is what words alone speak for: that something is held off, or
    mere talk. A look-up accounts for all of its words.
    """
    found = await deterministic(text, context, model)
    if model is None or not found.intents:
        return found
    pieces = read_message(text, context)
    if more := next((piece for piece in pieces if not is_explained(piece, context)), None):
        return StrategyResult((), f"{more.text[:40]!r} may say more than rules explain")
    if left := next((said for said in _between(text, pieces) if not is_link(said)), ""):
        return StrategyResult((), f"{left[:40]!r} is in no piece that rules explain")
    return found


def _between(text: str, pieces: Sequence[Piece]) -> Iterator[str]:
    """The stretches of the text that no piece has."""
    at = 0
    for piece in pieces:
        yield text[at : piece.start].strip()
        at = max(at, piece.end)
    yield text[at:].strip()


async def card_reply_explained(
    text: str, context: RouteContext, model: Model | None
) -> StrategyResult:
    """What answers an open card, as rules read it; with a model, only what they explain whole."""
    found = await card_reply(text, context, model)
    if model is None or not found.intents or fold(text).strip().isdecimal():
        return found
    pieces = read_message(text, context)
    if all(is_explained(piece, context) for piece in pieces):
        return found
    return StrategyResult((), "it may say more than a card's answer")


def is_explained(piece: Piece, context: RouteContext) -> bool:
    """Whether rules account for the whole piece."""
    if piece.about_run:
        return not content(wording.without_run_words(context.plain(piece.text)))
    if piece.kind == "card_reply":
        answer = match_form(piece.text, context)
        return answer is not None and answer.sure and not answer.reply
    if piece.reply or piece.is_guess:
        return False
    if piece.lookup:
        return is_whole_look_up(piece.text, piece.lookup, context)
    if piece.condition:
        return False
    if piece.kind in ("smalltalk", "unclear"):
        return piece.kind == "smalltalk" and is_smalltalk(piece.text)
    if piece.kind == "qa_query" and not _surely_asks(piece, context):
        return False
    if piece.kind == "workflow" and judge_verbatim(piece.text, context):
        return True
    clauses = [clause for clause in _CLAUSES.split(piece.text) if not is_link(clause)]
    if sum(DAY_MARK in _clear(clause, context) for clause in clauses) > 1:
        return False  # It may be as many requests.
    return sum(not _gives_values(clause, context) for clause in clauses) <= 1


def _surely_asks(piece: Piece, context: RouteContext) -> bool:
    """Whether its form asks, and not only likeness to questions, which a remark may have.

    A wish may be either of a question and a request.
    """
    said = context.plain(piece.text)
    if GRAMMAR.says("wish", said):
        return False
    return wording.asks(said) or wording.reads(said) or wording.shows(said)


def is_whole_look_up(text: str, lookup: Lookup, context: RouteContext) -> bool:
    """Whether a look-up accounts for every word of the text."""
    return not unexplained_words(
        text, lookup, context.tools, today=context.today, entities=context.entities
    )


def _gives_values(clause: str, context: RouteContext) -> bool:
    """Whether a clause only says what something is: a few words beside a number, day or name.

    One that only asks on, as in "and by how much?", says nothing more either.
    """
    if _ASKS_ON.fullmatch(clause.strip()):
        return True
    said = fold(context.mark(clause))
    if context.table.begins_request(said):
        return False
    if is_link(remove_values(said, index_cues(context.tools).every)):
        return True
    clear = _clear(clause, context)
    return bool(STAND_INS.search(clear)) and len(_WORD.findall(clear)) <= _VALUE_WORDS


def _clear(clause: str, context: RouteContext) -> str:
    """A clause with marks for what is named in it."""
    return masked(fold(context.mark(clause)), context.today)
