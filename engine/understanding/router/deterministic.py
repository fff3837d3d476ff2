"""Rules and examples: the split of a message whose pieces are understood best (promise 4)."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from engine.frames.intents import Candidate, Intent
from engine.ports.model import Model
from engine.text import wording
from engine.text.entities import fold, subject_ids
from engine.text.values import without_values
from engine.understanding.context import RouteContext, Tried
from engine.understanding.lookup import cue_found
from engine.understanding.open_forms import forms
from engine.understanding.piece import Piece
from engine.understanding.pieces.boundaries import Atom, atoms
from engine.understanding.pieces.judge import judge
from engine.understanding.pieces.said import CLAUSES
from engine.understanding.pieces.smalltalk import smalltalk
from engine.understanding.pieces.split import Judge, reach, split
from engine.understanding.router.form_pieces import grouped

MAX_CHARS = 800
"""A longer message, or one of more stretches, goes whole to the model; people are asked without."""

FORM_CHARS = 1500
"""A longer message is no answer to an open form either."""

_PARTS = re.compile(r"[,，;；。.!?\n]")
_NAMED = re.compile(r"[0-9]")
_CLAUSE_END = re.compile(r"[,，。;；?？!！\n]")


async def deterministic(text: str, context: RouteContext, model: Model | None) -> Tried:
    """The intents, when every piece of the message is sure."""
    pieces = read(text, context)
    why = "; ".join(f"{piece.text[:40]!r}: {piece.why}" for piece in pieces) or "nothing in it"
    return Tried(intents(pieces) if pieces and all(map(is_sure, pieces)) else (), why)


def is_sure(piece: Piece) -> bool:
    """The rules decide what the piece is, be it that it surely asks for nothing."""
    return (piece.kind != "unclear" and piece.firm) or piece.holds_off or bool(piece.told)


def read(text: str, context: RouteContext) -> tuple[Piece, ...]:
    """The pieces of the best split, those that ask for nothing taken into their neighbours."""
    if text not in context.pieces:
        context.pieces[text] = _read(text, context)
    return context.pieces[text]


def _read(text: str, context: RouteContext) -> tuple[Piece, ...]:
    stretches = atoms(text, begins(context)) if len(text) <= MAX_CHARS else ()
    if not stretches or not reach(stretches):
        long = stretches or len(text) > MAX_CHARS
        nothing = "there is no word in it" if text.strip() else "it is empty"
        why = "it is too long" if long else nothing
        whole = Piece(text.strip(), "unclear", why, confidence=0.0, end=len(text))
        return grouped(text, (whole,), context) if len(text) <= FORM_CHARS else (whole,)
    pieces = split(text, stretches, _reader(context))
    pieces = _joined(text, _conditional(grouped(text, pieces, context)), context)
    pieces = _without_talk(_gathered(text, pieces))
    return _held_back(text, pieces)


def _reader(context: RouteContext) -> Judge:
    """How stretches are read together: a look-up has to account for each of them.

    Work over a connective is none while one side by itself is looked up, or holds off.
    """

    @cache
    def alone(said: str) -> Piece:
        return judge(said, context)

    def read_part(text: str, part: tuple[Atom, ...]) -> Piece:
        if len(part) == 1:
            return alone(text[part[0].start : part[0].end])
        said = text[part[0].start : part[-1].end]
        parted = any(atom.joint in ("end", "soft") for atom in part[1:])
        piece = judge(said, context, whole=not parted)
        stretches = [text[atom.start : atom.end] for atom in part]
        if piece.lookup and not all(_tells(s, context) for s in stretches):
            return _doubt(piece, "only a part of it is a look-up")
        others = [alone(said) for said in stretches] if piece.wants and parted else []
        work = piece.kind == "workflow"
        if any(one.holds_off or (work and one.lookup) or one.work for one in others):
            return _doubt(piece, "only a part of it is meant")
        return piece

    return read_part


def _tells(stretch: str, context: RouteContext) -> bool:
    """Whether a look-up accounts for this stretch: a cue, a subject, or mere politeness.

    A value that is stated is none of these.
    """
    cues = [cue for tool in context.tools if tool.readonly for cue in tool.cues]
    if without_values(stretch, cues) != stretch and not wording.asks(fold(stretch)):
        return False
    return bool(cue_found(fold(stretch), cues) or subject_ids(stretch) or smalltalk(stretch))


def begins(context: RouteContext) -> Callable[[str], bool]:
    """Whether a folded text opens with a request, a question or a condition.

    While a form is open, values may stand behind every comma.
    """
    anywhere = bool(forms(context))

    def opens(said: str) -> bool:
        # A mark at the end may be the whole sentence's.
        clause = _CLAUSE_END.split(said, maxsplit=1)[0]
        asked = wording.asks(clause) and len(clause) > 5
        begun = context.table.begins(clause) or wording.hinged(said)
        return anywhere or begun or asked or "也" in clause

    return opens


def _conditional(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Work under a condition only where the question before it finds out whether that holds."""
    made: list[Piece] = []
    for piece in pieces:
        before = made[-1] if made else None
        asks = before is None or before.kind in ("qa_query", "card_reply") or before.told
        if piece.condition and before and not asks and wording.checks(fold(before.text)):
            # "Check X, and if …": what is looked for decides on what follows.
            doubted = _doubt(made[-1], "a condition hangs on it")
            made[-1] = replace(doubted, kind="qa_query", candidates=())
        if piece.condition and not (made and made[-1].kind == "qa_query"):
            piece = _doubt(piece, "nothing tells whether that holds")
        made.append(piece)
    return tuple(made)


def _joined(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """What a comma parted although the second half only goes on with the first."""
    made: list[Piece] = []
    for piece in pieces:
        if made and piece.joint == "weak" and _goes_on(made[-1], piece, context):
            surer = max(made[-1], piece, key=lambda one: one.confidence)
            whole = text[made[-1].start : piece.end]
            made[-1] = replace(
                made[-1], text=whole, end=piece.end, request=surer.request, why=surer.why
            )
        else:
            made.append(piece)
    return tuple(made)


def _goes_on(before: Piece, piece: Piece, context: RouteContext) -> bool:
    searches = before.lookup is None or "query" in before.lookup.arguments
    if before.kind != piece.kind or not searches or piece.lookup or piece.condition:
        return False
    if piece.kind == "qa_query":
        return not _NAMED.search(piece.text)
    theirs, own = subject_ids(before.text), subject_ids(piece.text)
    # Work of one playbook that does not begin like a request says what the second half is for.
    bids = any(map(context.table.begins, CLAUSES.split(fold(before.text))))
    leads = before.request != piece.request and bids
    same = before.playbook == piece.playbook and not leads
    return piece.kind == "workflow" and same and not (theirs and own and theirs != own)


def _gathered(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """What only tells something belongs to what is asked for beside it in the same sentence."""
    if not any(piece.wants for piece in pieces):
        return pieces
    kept: list[Piece] = []
    for piece in pieces:
        idle = piece.idle and not piece.holds_off
        if idle and kept and kept[-1].wants:
            kept[-1] = replace(kept[-1], text=text[kept[-1].start : piece.end], end=piece.end)
        elif not idle:
            kept.append(piece)
    return tuple(kept)


def _without_talk(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    spoken = tuple(p for p in pieces if p.kind != "smalltalk") or pieces[:1]
    return spoken if len(spoken) < len(pieces) else pieces


def _held_back(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """No workflow starts beside something unsure in its sentence, or before it is taken back."""
    held = list(pieces)
    for index, piece in enumerate(pieces):
        if piece.kind != "workflow":
            continue
        if _denied(text, pieces, index) or any(later.holds_off for later in pieces[index + 1 :]):
            held[index] = _doubt(piece, "the message holds something off")
        elif any(
            not (p.wants or is_sure(p) or p.elsewhere or p.asks_which)
            for p in _sentence(pieces, index)
        ):
            meant = Candidate(
                kind="workflow",
                playbook=piece.playbook,
                request=piece.request,
                score=piece.confidence,
            )
            doubted = _doubt(piece, "its sentence is not understood whole")
            held[index] = replace(doubted, candidates=(meant,))
    return tuple(held)


def _denied(text: str, pieces: tuple[Piece, ...], index: int) -> bool:
    """What holds off goes on into this piece: no more than a comma, or a "then", parts them."""
    if index == 0:
        return False
    before, piece = pieces[index - 1], pieces[index]
    if not before.holds_off:
        return False
    return piece.then or piece.joint == "weak" or not _PARTS.search(text[before.end : piece.start])


def _doubt(piece: Piece, why: str) -> Piece:
    return replace(
        piece,
        kind="unclear",
        why=f"{piece.why}; {why}",
        confidence=0.0,
        playbook="",
        request="",
        condition="",
        lookup=None,
        more=(),
    )


def _sentence(pieces: tuple[Piece, ...], index: int) -> tuple[Piece, ...]:
    """The pieces joined with this one by connectives or commas."""
    first = index
    while first and pieces[first].joint != "end":
        first -= 1
    last = index + 1
    while last < len(pieces) and pieces[last].joint != "end":
        last += 1
    return pieces[first:last]


def intents(pieces: tuple[Piece, ...]) -> tuple[Intent, ...]:
    """The pieces as intents; a question "then" asked of the subject of a workflow waits for it."""
    named = {s for piece in pieces for s in subject_ids(piece.text)}
    made: list[Intent] = []
    for index, piece in enumerate(pieces):
        after: tuple[int, ...] = ()
        if piece.condition:
            after = (index - 1,)
        elif piece.kind == "qa_query" and piece.then and index:
            before = pieces[index - 1]
            theirs = set(subject_ids(before.text)) or (named if len(named) == 1 else set())
            if before.kind == "workflow" and theirs & set(subject_ids(piece.text)):
                after = (index - 1,)
        made.append(_intent(piece, after))
    return tuple(made)


def _intent(piece: Piece, after: tuple[int, ...]) -> Intent:
    return Intent(
        kind=piece.kind,
        text=piece.text,
        sure=is_sure(piece) or (piece.idle and piece.firm),
        playbook=piece.playbook,
        request=piece.request,
        condition=piece.condition,
        depends_on=after,
        confidence=piece.confidence,
        why=piece.why,
        lookup=piece.lookup,
        more=piece.more,
        about_run=piece.about_run,
        card=piece.card,
        choice="submit" if piece.card else "",
        values=piece.values,
        told=piece.told,
        candidates=piece.candidates,
    )
