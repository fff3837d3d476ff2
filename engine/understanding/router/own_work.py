"""Questions about the person's own requests and cases, before anybody guesses (design §12)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from engine.frames.intents import WorkQuestion
from engine.ports.model import Model
from engine.text.entities import fold
from engine.text.entity_kinds import Entities
from engine.tools.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from engine.tools.model import Tool
from engine.understanding.context import Piece, RouteContext, StrategyResult
from engine.understanding.lookups.partly import find_nearest
from engine.understanding.own_work import words
from engine.understanding.own_work.bearing import may_ask
from engine.understanding.own_work.reading import WorkReader, aspects_of
from engine.understanding.pieces.message import read_message
from engine.understanding.router.explained import is_explained
from engine.understanding.router.rules import to_intents

_OF_THINGS: Final = frozenset(("status", "missing"))
"""What may be asked of a thing as well as of a request about it."""


async def own_work(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """All intents, when some piece asks after the person's own work and the others are sure.

    What a look-up answers, and what surely asks for work, is none of it. With a model, it has to be
    explained whole, and so do the others.
    """
    pieces = read_message(text, context)
    if context.work is None or not any(_is_open(piece, context) for piece in pieces):
        return StrategyResult((), "nothing in it asks after own work")
    reader = await context.work()
    is_parted = len(pieces) > 1 or len(pieces[0].text) < len(text.strip())
    # Where words of a question part it for the rules, it is one question all the same.
    if all(_is_open(piece, context) for piece in pieces):
        whole = Piece(text.strip(), "qa_query", "", lookups=pieces[0].lookups[:1], end=len(text))
        if _read(whole, reader, context):
            pieces = (whole,)
        elif (
            is_parted
            and reader.knows_here
            and not all(_is_sure(p, reader, context) for p in pieces)
        ):
            # What is said before a question says what it is about: no part is read without it.
            return _as_one(whole, pieces, context, model)
    found = [_read(each, reader, context) for each in pieces]
    read = tuple(
        _as_question(each, work) if work else each for each, work in zip(pieces, found, strict=True)
    )
    if not any(found) or not all(
        work or each.is_sure for each, work in zip(read, found, strict=True)
    ):
        return StrategyResult((), "no request of the person explains it")
    if model is not None and any(
        work and not work.keys and context.entities.matches(each.text)
        for each, work in zip(pieces, found, strict=True)
    ):
        return StrategyResult((), "what it names is of no request of the person")
    if model is not None and not all(
        reader.explains(each.text, work) if work else is_explained(each, context)
        for each, work in zip(pieces, found, strict=True)
    ):
        return StrategyResult((), "it may ask for more than rules explain")
    intents = tuple(
        intent.model_copy(update={"work": work}) if work else intent
        for intent, work in zip(to_intents(read, context), found, strict=True)
    )
    return StrategyResult(intents, "; ".join(piece.why for piece in read))


def _as_one(
    whole: Piece, pieces: tuple[Piece, ...], context: RouteContext, model: Model | None
) -> StrategyResult:
    """The message as one question, for what is known here; a model reads it by itself."""
    why = "its parts are one question about what is known here"
    if model is not None or not any(may_ask(piece.text) for piece in pieces):
        return StrategyResult((), why)
    offered = next((piece.candidates for piece in pieces if piece.candidates), ())
    asked = any(piece.kind == "qa_query" for piece in pieces)
    joined = replace(
        whole, kind="qa_query" if asked else "unclear", why=why, lookups=(), candidates=offered
    )
    return StrategyResult(to_intents((joined,), context), why)


def _is_sure(piece: Piece, reader: WorkReader, context: RouteContext) -> bool:
    """Whether a part is a question of its own, which names what it asks after."""
    nearest = reader.rank(piece.text)[:1]
    return bool(_read(piece, reader, context)) and all(link.is_named for link in nearest)


def _is_open(piece: Piece, context: RouteContext) -> bool:
    return may_ask_after_work(piece) or _tells_in_general(piece, context)


def _read(piece: Piece, reader: WorkReader, context: RouteContext) -> WorkQuestion | None:
    if not _is_open(piece, context):
        return None
    work = reader.read(piece.text)
    if work is None:
        return None
    if work.keys:
        recorded = asks_what_is_recorded(
            piece.text, context.tools, today=context.today, entities=context.entities
        )
        return None if recorded else work
    # Of no request of theirs: what is recorded may tell it all the same.
    is_recorded = find_nearest(
        piece.text, context.tools, today=context.today, entities=context.entities
    )
    return work if may_ask_after_work(piece) and not is_recorded else None


def asks_what_is_recorded(
    text: str, tools: Sequence[Tool[Any]], *, today: date, entities: Entities
) -> bool:
    """Whether a look-up of the folder tells what is open of the thing that the text names.

    "Which faults of T24 are not settled?" is none about one's own request, which "my fault" is.
    """
    if not aspects_of(text) & words.STRONG <= _OF_THINGS or words.OWN.search(fold(text)):
        return False
    own = [tool for tool in tools if (tool.project or tool.playbook) and not tool.is_answer]
    found = find_nearest(text, own, today=today, entities=entities)
    return found is not None and bool(found[0].arguments)


def _tells_in_general(piece: Piece, context: RouteContext) -> bool:
    """Whether a fixed answer would tell of the person's own doings, which it does not know."""
    names = {tool.name for tool in context.tools if tool.is_answer}
    fixed = piece.lookup is not None and (
        piece.lookup.tool in names or piece.lookup.tool == KNOWLEDGE_SEARCH.name
    )
    return fixed and bool(words.PAST.search(context.plain(piece.text)))


def may_ask_after_work(piece: Piece) -> bool:
    """Whether nothing else answers the piece for sure."""
    open_question = piece.kind == "qa_query" and not piece.lookup and not piece.about_run
    idle = piece.unclear_kind in ("idle", "holds_off")
    unsure = piece.kind == "unclear" and not piece.reply and not idle
    return (open_question or unsure) and not piece.condition


def _as_question(piece: Piece, work: WorkQuestion) -> Piece:
    asked = ", ".join((*work.aspects, *work.paths)) or "itself"
    why = f"asks of {', '.join(work.keys) or work.about}: {asked}"
    return replace(
        piece,
        kind="qa_query",
        why=why,
        firm=True,
        confidence=1.0,
        candidates=(),
        lookups=(),
    )
