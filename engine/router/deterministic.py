"""Rules and examples: the split of a message whose pieces classify best (promise 4)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine import wording
from engine.entities import fold, subject_ids
from engine.intents import Intent, Lookup
from engine.lookup import cue_found, find
from engine.ports.model import Model
from engine.router.model import RouteContext, Tried
from engine.router.open_forms import address, answers, forms
from engine.router.pieces import Atom, atoms
from engine.router.requests import start
from engine.router.smalltalk import smalltalk
from engine.values import without_values

MAX_ATOMS = 16
MAX_CHARS = 2000

_LISTED = re.compile(
    r"[Pp][0-9]{3}(?:\s*(?:,\s*and\b|,|，|、|和|与|及|&|\band\b)\s*[Pp][0-9]{3}){1,4}(?![0-9])"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the message and what it surely is; `kind` is `unclear` when that is nothing.

    `told` is what to say where that is known already.
    """

    text: str
    kind: str
    why: str
    playbook: str = ""
    confidence: float = 1.0
    lookup: Lookup | None = None
    joint: str = "end"
    then: bool = False
    at: int = 0
    card: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    told: str = ""


async def deterministic(text: str, context: RouteContext, model: Model | None) -> Tried:
    """The intents, when every piece of the message is sure.

    A question that no look-up answers is sure too when a model can answer it.
    """
    pieces = read(text, context)
    if model is not None:
        pieces = tuple(open_question(piece, context) for piece in pieces)
    why = "; ".join(f"{piece.text[:40]!r}: {piece.why}" for piece in pieces) or "nothing in it"
    unsure = not pieces or any(piece.kind == "unclear" for piece in pieces)
    return Tried(() if unsure else intents(pieces), why)


def read(text: str, context: RouteContext) -> tuple[Piece, ...]:
    """The best split: the fewest unsure pieces, then the most sure ones."""
    stretches = atoms(text) if len(text) <= MAX_CHARS else ()
    if not stretches or len(stretches) > MAX_ATOMS:
        why = "it is too long" if text.strip() else "it is empty"
        return grouped(text, (_unclear(text, why),), context)
    pieces = grouped(text, _split(text, stretches, context), context)
    spoken = tuple(p for p in pieces if p.kind != "smalltalk") or pieces[:1]
    pieces = spoken if len(spoken) < len(pieces) else pieces
    return _held_back(text, tuple(each for piece in pieces for each in _each(piece, context)))


def _each(piece: Piece, context: RouteContext) -> tuple[Piece, ...]:
    """A question about several subjects as one look-up for each, where that answers it."""
    listed = _LISTED.search(piece.text) if piece.kind == "unclear" and not piece.told else None
    if listed is None:
        return (piece,)
    found = []
    for who in subject_ids(listed[0]):
        one = f"{piece.text[: listed.start()]}{who}{piece.text[listed.end() :]}"
        alone = _classify(one, context) if subject_ids(one) == (who,) else piece
        found.append(replace(piece, kind=alone.kind, lookup=alone.lookup, why=alone.why))
    return tuple(found) if all(each.lookup for each in found) else (piece,)


def intents(pieces: tuple[Piece, ...]) -> tuple[Intent, ...]:
    """The pieces as intents; a question "then" asked of the subject of a workflow waits for it."""
    named = {s for piece in pieces for s in subject_ids(piece.text)}
    made: list[Intent] = []
    for index, piece in enumerate(pieces):
        after: tuple[int, ...] = ()
        if piece.kind == "qa_query" and piece.then and index:
            before = pieces[index - 1]
            theirs = set(subject_ids(before.text)) or (named if len(named) == 1 else set())
            if before.kind == "workflow" and theirs & set(subject_ids(piece.text)):
                after = (index - 1,)
        made.append(_intent(piece, after))
    return tuple(made)


def _intent(piece: Piece, after: tuple[int, ...]) -> Intent:
    return Intent.model_validate(
        {
            "kind": piece.kind,
            "text": piece.text,
            "playbook": piece.playbook,
            "depends_on": after,
            "confidence": piece.confidence,
            "why": piece.why,
            "lookup": piece.lookup,
            "card": piece.card,
            "choice": "submit" if piece.card else "",
            "values": piece.values,
            "told": piece.told,
        }
    )


def _split(text: str, stretches: tuple[Atom, ...], context: RouteContext) -> tuple[Piece, ...]:
    """A dynamic programme over the ends of pieces; cost is (unsure, -sure) of the pieces so far."""
    best: list[tuple[tuple[int, int], tuple[Piece, ...]] | None] = [((0, 0), ())]
    for end in range(1, len(stretches) + 1):
        options = []
        for begin in range(end):
            before = best[begin]
            if before is None:
                continue
            piece = _piece(text, stretches[begin:end], context)
            if _breaks_at_comma(before[1], piece):
                continue
            unsure, sure = before[0]
            cost = (unsure + (piece.kind == "unclear"), sure - (piece.kind in _ANSWERED))
            options.append((cost, (*before[1], piece)))
        best.append(min(options, key=lambda option: (option[0], len(option[1])), default=None))
    final = best[-1]
    assert final is not None, "one piece for all is always possible"
    return final[1]


_ANSWERED = ("workflow", "qa_query", "card_reply")


def _breaks_at_comma(before: tuple[Piece, ...], piece: Piece) -> bool:
    """A comma or a bare "and" parts only what is sure on both sides."""
    return bool(before and piece.joint == "weak" and "unclear" in (before[-1].kind, piece.kind))


def _piece(text: str, part: tuple[Atom, ...], context: RouteContext) -> Piece:
    said = text[part[0].start : part[-1].end]
    piece = _classify(said, context)
    whole = len(part) == 1 or all(_tells(text[a.start : a.end], context) for a in part)
    if piece.lookup and not whole:
        piece = _unclear(said, "only a part of it is a look-up")
    return replace(piece, joint=part[0].joint, then=part[0].then, at=part[0].start)


def _tells(stretch: str, context: RouteContext) -> bool:
    """Whether a look-up accounts for this stretch: a cue, a subject, or mere politeness.

    A value that is stated is none of these.
    """
    cues = [cue for tool in context.tools if tool.readonly for cue in tool.cues]
    if without_values(stretch, cues) != stretch and not wording.asks(fold(stretch)):
        return False
    return bool(cue_found(fold(stretch), cues) or subject_ids(stretch) or smalltalk(stretch))


def _classify(said: str, context: RouteContext) -> Piece:
    if smalltalk(said):
        return Piece(said, "smalltalk", "a greeting or thanks")
    begun = start(said, context)
    if begun.sure:
        return Piece(said, "workflow", begun.why, begun.playbook, round(begun.score, 2))
    found = find(said, context.tools, today=context.today, recent=context.recent)
    if found:
        return Piece(said, "qa_query", found[1], lookup=found[0])
    answer = address(said, context)
    if answer and answer.sure:
        return Piece(said, "card_reply", "values for an open form", card=answer.card)
    return _unclear(said, begun.why)


def _unclear(said: str, why: str) -> Piece:
    return Piece(said.strip(), "unclear", why, confidence=0.0)


def _held_back(text: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """No workflow starts beside something unsure in its sentence, or when the message holds off."""
    denied = wording.denies(fold(wording.unquoted(text)))
    held = list(pieces)
    for index, piece in enumerate(pieces):
        if piece.kind != "workflow":
            continue
        if denied:
            held[index] = _doubt(piece, "the message holds something off")
        elif any(p.kind == "unclear" for p in _sentence(pieces, index)):
            held[index] = _doubt(piece, "its sentence is not understood whole")
    return tuple(held)


def grouped(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """Values go together, and to the workflow right before them; what is doubtful among them too,
    so that nothing is decided on half of what was said.
    """
    if not forms(context):
        return pieces
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and _belong(last, piece, context):
            whole = text[last.at : text.index(piece.text, piece.at) + len(piece.text)]
            kind = last.kind if last.kind != "unclear" else piece.kind
            joined[-1] = replace(last, text=whole, kind=kind)
        else:
            joined.append(piece)
    return _one_each(tuple(_answered(piece, context) for piece in joined), context)


def _belong(last: Piece, piece: Piece, context: RouteContext) -> bool:
    if last.kind == "workflow":
        return piece.kind == "card_reply"
    mixed = {last.kind, piece.kind}
    if not mixed <= {"card_reply", "unclear"} or mixed == {"unclear"}:
        return False
    return all(p.kind == "card_reply" or answers(p.text, context) for p in (last, piece))


def _answered(piece: Piece, context: RouteContext) -> Piece:
    """The piece with what it means to the open forms."""
    if piece.kind not in ("card_reply", "unclear"):
        return piece
    answer = address(piece.text, context)
    if answer is None:
        return replace(piece, kind="unclear")
    if answer.told:
        return replace(piece, kind="unclear", told=answer.told, why="no one form is meant")
    why = f"gives {', '.join(answer.values) or 'something'} for the open form"
    return replace(piece, kind="card_reply", card=answer.card, values=answer.values, why=why)


def _one_each(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """One answer a card: what comes later in the message is added to the first."""
    kept: list[Piece] = []
    for piece in pieces:
        first = next((i for i, p in enumerate(kept) if p.card and p.card == piece.card), None)
        if first is None:
            kept.append(piece)
        else:
            both = replace(kept[first], text=f"{kept[first].text}; {piece.text}")
            kept[first] = _answered(both, context)
    return tuple(kept)


def _doubt(piece: Piece, why: str) -> Piece:
    return replace(piece, kind="unclear", why=f"{piece.why}; {why}", confidence=0.0)


def _sentence(pieces: tuple[Piece, ...], index: int) -> tuple[Piece, ...]:
    """The pieces joined with this one by connectives or commas."""
    first = index
    while first and pieces[first].joint != "end":
        first -= 1
    last = index + 1
    while last < len(pieces) and pieces[last].joint != "end":
        last += 1
    return pieces[first:last]


def open_question(piece: Piece, context: RouteContext) -> Piece:
    """A question for the model to answer, unless it might be a request for a playbook."""
    said = fold(wording.unquoted(piece.text))
    asked = wording.asks(said) or wording.reads(said)
    cues = [cue for route in context.routes for cue in route.cues]
    bids = wording.writes(said) or bool(cue_found(said, cues))
    if piece.kind != "unclear" or piece.told or not asked or wording.conditional(said):
        return piece
    if wording.denies(said) or (bids and not wording.asks_how(said)):
        return piece
    return replace(piece, kind="qa_query", why="a question without a look-up", confidence=0.7)
