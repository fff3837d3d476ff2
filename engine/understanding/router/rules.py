"""Strategies by rules and examples: open cards, sure pieces, and what no other is sure of."""

import re

from cards.deciding.seats import may_answer
from cards.model import SUBMIT, Card
from cards.texts import say
from engine.frames.intents import Candidate, Intent, Lookup
from engine.ports.model import Model
from engine.text import wording
from engine.text.entities import fold
from engine.text.language import suits_language
from engine.understanding.context import Piece, RouteContext, StrategyResult
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.lookups.find import cue_found, name_left_out
from engine.understanding.lookups.near import near_sections
from engine.understanding.lookups.partly import find_partly
from engine.understanding.lookups.text import look_at
from engine.understanding.open_forms import (
    form_name,
    form_names,
    match_free_text,
    missing_labels,
    open_forms,
)
from engine.understanding.pieces.holding.later import takes_back
from engine.understanding.pieces.message import read_message
from engine.understanding.pieces.parting import OTHER
from engine.understanding.pieces.scoring import bids, score_piece
from engine.understanding.pieces.work import START
from engine.understanding.router.spoken import own_confirmation_text, own_confirmations

# A stray number must not end a run; only the button does.
_BUTTON_ONLY = ("withdraw",)


async def card_reply(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """All intents of a message that answers an open card this person may answer, among others."""
    if not context.open_cards:
        return StrategyResult((), "no card is open")
    numbered = [
        intent
        for card in context.open_cards
        if card.status == "open" and may_answer(card, context.principal)
        for intent in (_choose_by_number(card, text),)
        if intent is not None
    ]
    pieces = read_message(text, context)
    if any(piece.kind == "card_reply" or piece.reply for piece in pieces):
        return StrategyResult(to_intents(pieces, context), "; ".join(piece.why for piece in pieces))
    if len(numbered) > 1:
        return StrategyResult((), f"it could answer {len(numbered)} open cards")
    if numbered:
        return StrategyResult((numbered[0],), numbered[0].why)
    return StrategyResult((), "it answers no open card")


def _choose_by_number(card: Card, text: str) -> Intent | None:
    """`2` is the second choice of a card whose choices are numbered."""
    said = fold(text).strip()
    if card.text_answer != "number" or not (said.isascii() and said.isdigit() and len(said) < 3):
        return None
    number = int(said)
    if not 1 <= number <= len(card.choices) or card.choices[number - 1].form:
        return None
    choice = card.choices[number - 1].id
    if choice in _BUTTON_ONLY:
        return None
    why = f"choice {number} of the open card"
    return Intent(kind="card_reply", text=text.strip(), card=card.token, choice=choice, why=why)


async def deterministic(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """The intents, when every piece of the message is sure."""
    pieces = read_message(text, context)
    why = "; ".join(f"{piece.text[:40]!r}: {piece.why}" for piece in pieces) or "nothing in it"
    return StrategyResult(
        to_intents(pieces, context) if pieces and all(piece.is_sure for piece in pieces) else (),
        why,
    )


async def free_text(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """The whole message as what the one open form still needs, where nothing else is in it."""
    card = match_free_text(text, context)
    if card is None:
        return StrategyResult((), "no open form takes any text")
    pieces = read_message(text, context)
    if any(_says_else(piece, context) for piece in pieces):
        return StrategyResult((), "something else may be meant")
    why = "it may be what the one open form still needs"
    answer = Intent(
        kind="card_reply", text=text.strip(), card=card.token, choice=SUBMIT, sure=False, why=why
    )
    return StrategyResult((answer,), why)


def _says_else(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece is something; it is none that resembles work without bidding any."""
    if piece.kind != "unclear" or piece.reply or piece.unclear_kind == "holds_off":
        return True
    if GRAMMAR.says("cancel", context.plain(piece.text)):
        return True
    near = max((each.score for each in piece.candidates), default=0.0)
    scored = score_piece(piece.text, context)
    return near >= START or (bool(near) and bids(scored, context.table, wording.tells))


async def unclear(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """Always an answer: at least one intent, the unsure ones of kind `unclear`."""
    found = to_intents(read_message(text, context), context)
    sure = sum(intent.kind != "unclear" for intent in found)
    return StrategyResult(found, f"{sure} of {len(found)} pieces are sure")


def add_help(intent: Intent, context: RouteContext) -> Intent:
    """The intent with help: how to ask for work, a section of a document, or which form is open.

    A model may answer better how work is done, and reads documents itself: this is for when there
    is none.
    """
    if intent.lookup:
        return name_left(intent, context)
    asked = intent.kind == "qa_query"
    if intent.work or intent.told or not (asked or intent.kind == "unclear"):
        return intent
    told = _how_to_ask(intent.text, context)
    if asked and not told and (partly := _look_up_a_part(intent, context)):
        return partly
    if not told and (found := _find_section(intent, context)):
        lookup, why = found
        update = {"kind": "qa_query", "sure": True, "lookup": lookup, "candidates": ()}
        return intent.model_copy(update={**update, "why": f"{intent.why}; {why}"})
    if not (told or asked):
        told = _how_to_undo(intent, context)
    if not (told or asked or _is_near_work(intent)):
        told = _open_form_hint(context)
    if not told:
        intent = intent.model_copy(update={"near": _near_texts(intent, context)})
    if not told and asked and intent.candidates:
        # Nobody can answer it, but somebody may do it.
        return intent.model_copy(update={"kind": "unclear", "sure": False})
    return intent.model_copy(update={"told": told})


def name_left(intent: Intent, context: RouteContext) -> Intent:
    """The intent with what its one look-up leaves out of the question."""
    if intent.lookup is None or intent.more or intent.left:
        return intent
    left = name_left_out(
        intent.text, intent.lookup, context.tools, today=context.today, entities=context.entities
    )
    return intent.model_copy(update={"left": left})


def _look_up_a_part(intent: Intent, context: RouteContext) -> Intent | None:
    """The question with a look-up of what is known, and the words that this leaves out."""
    found = find_partly(intent.text, context.tools, today=context.today, entities=context.entities)
    if found is None or intent.about_run or intent.condition:
        return None
    lookup, why, left = found
    why = f"{intent.why}; {why}, and leaves out {left!r}"
    return intent.model_copy(update={"lookup": lookup, "left": left, "sure": True, "why": why})


def _find_section(intent: Intent, context: RouteContext) -> tuple[Lookup, str] | None:
    """The section that explains the whole question; none for what is likely work, or of a run."""
    likely_work = intent.kind == "unclear" and any(c.playbook for c in intent.candidates[:1])
    if intent.about_run or intent.condition or likely_work:
        return None
    return context.sections.find(look_at(intent.text, context.entities, context.today))


def _near_texts(intent: Intent, context: RouteContext) -> tuple[Candidate, ...]:
    if intent.about_run or intent.condition:
        return ()
    asked = look_at(intent.text, context.entities, context.today)
    return near_sections(intent.text, context.sections, context.tools, context.lang, asked)


def _is_near_work(intent: Intent) -> bool:
    """Whether it is so near to work that this is offered, whatever form is open."""
    near = [each for each in intent.candidates[:1] if each.playbook]
    return any(each.score >= OTHER for each in near) or bool(near and _wishes(intent.text))


def _wishes(text: str) -> bool:
    """Whether somebody asks or wishes for something, by how it is put."""
    said = level(text)
    core = GRAMMAR.core(said)
    return core.favour or GRAMMAR.says("wish", said)


def _how_to_undo(intent: Intent, context: RouteContext) -> str:
    """How what was asked for is cancelled, for a text that wants it and that no work does.

    So is what an earlier message asked for, where one that names nothing takes it back.
    """
    works = [each for each in intent.candidates if each.playbook]
    undoes = not works and GRAMMAR.says("cancel", context.plain(intent.text))
    if not undoes and context.recent and all(each.score < OTHER for each in works):
        undoes = not intent.condition and takes_back(intent.text, context)
    if not undoes:
        return ""
    own = own_confirmations(context)
    return (
        own_confirmation_text(own[0], context.lang)
        if len(own) == 1
        else say("answer.undo", context.lang)
    )


_BECAME = re.compile(r"\bhow did\b")
"""It asks what became of something."""


def _how_to_ask(text: str, context: RouteContext) -> str:
    """How to ask for a playbook, for a text that asks how its work is done."""
    said = context.plain(text)
    route = next((r for r in context.table.routes if cue_found(said, r.cues)), None)
    if route is None or not wording.asks_how(said) or wording.why(said):
        return ""
    if _BECAME.search(said):
        return ""
    able = [
        example
        for name, request in context.requests
        if name.partition("/")[0] == route.playbook and not request.not_yet
        for example in request.examples
    ]
    example = next((e for e in able if suits_language(e, context.lang)), "")
    if not example:
        return ""
    name = next((n for n in route.names if suits_language(n, context.lang)), route.names[0])
    return say("answer.how", context.lang, name=name, example=example)


def _open_form_hint(context: RouteContext) -> str:
    cards = open_forms(context)
    if not cards:
        return ""
    if len(cards) > 1:
        titles = say("list.items", context.lang).join(form_names(cards))
        return say("clarify.which", context.lang, forms=titles)
    form, lacking = form_name(cards[0]), missing_labels(cards[0])
    key = "clarify.open" if lacking else "clarify.open_full"
    return say(key, context.lang, form=form, missing=lacking)


def to_intents(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Intent, ...]:
    """The pieces as intents; a question "then" asked of what a workflow is about waits for it."""
    named = [set(context.entities.kinds_and_ids(piece.text)) for piece in pieces]
    every = set[tuple[str, str]]().union(*named)
    made: list[Intent] = []
    for index, piece in enumerate(pieces):
        after: tuple[int, ...] = ()
        if piece.condition and piece.firm and index and _may_tell(pieces[index - 1]):
            after = (index - 1,)
        elif piece.kind == "qa_query" and piece.is_sequel and index:
            before = pieces[index - 1]
            theirs = named[index - 1] or (every if len(every) == 1 else set())
            if before.kind == "workflow" and theirs & named[index]:
                after = (index - 1,)
        made.append(_to_intent(piece, after))
    return tuple(made)


def _may_tell(before: Piece) -> bool:
    """Whether what comes of a piece may tell if a condition behind it holds."""
    return before.kind in ("qa_query", "card_reply") or bool(before.reply)


def _to_intent(piece: Piece, after: tuple[int, ...]) -> Intent:
    return Intent(
        kind=piece.kind,
        text=piece.text,
        sure=piece.is_sure or (piece.unclear_kind == "idle" and piece.firm),
        playbook=piece.playbook,
        request=piece.request,
        condition=piece.condition,
        depends_on=after,
        confidence=piece.confidence,
        why=piece.why,
        lookup=piece.lookup,
        more=piece.lookups[1:],
        about_run=piece.about_run,
        card=piece.card,
        choice="submit" if piece.card else "",
        values=piece.values,
        told=piece.reply,
        candidates=piece.candidates,
    )
