"""Pieces of a message that answer an open form (design §7)."""

from dataclasses import replace

from engine.text.claims.corrections import lead_end
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.open_forms import (
    FormMatch,
    can_be_answer,
    correctable_field,
    is_labelled,
    match_form,
    match_values,
    match_words,
    open_forms,
    says_option,
)
from engine.understanding.smalltalk import is_smalltalk

OTHER_WORK = 0.5
"""From this score on what names a thing, and gives a form one value, is likelier other work."""


def read_whole_answer(text: str, context: RouteContext) -> Piece | None:
    """The whole text as an answer to an open form, where it speaks in the form's own words.

    So do `label: value`, an option alone, and a correction ("sorry, it is …"); None for others.
    """
    if not open_forms(context):
        return None
    core = GRAMMAR.core(level(text))
    inner = text[core.start : core.end].strip() or text.strip()
    if says_option(inner, context) or says_option(text, context) or is_labelled(text, context):
        whole = Piece(text.strip(), "unclear", "in the words of a form", end=len(text))
        found = _match_piece(whole, context)
        return found if found.kind == "card_reply" or found.reply else None
    return _read_correction(text, context) or _read_values(text, context)


def _read_values(text: str, context: RouteContext) -> Piece | None:
    """Several values, or one behind its field's name, that the only open form still needs."""
    answer = match_values(text, context)
    return _answer_of(text, answer) if answer else None


def _answer_of(text: str, answer: FormMatch) -> Piece:
    """The whole text as what it means to the open forms."""
    return with_match(Piece(text.strip(), "unclear", "", end=len(text)), answer)


def _read_correction(text: str, context: RouteContext) -> Piece | None:
    """What stands behind "sorry" or "no": values, or words for the only field that takes them."""
    rest = text[lead_end(text) :]
    if rest == text or is_smalltalk(rest) or not can_be_answer(rest, context):
        return None
    answer = match_words(text, context)
    if answer and (answer.sure or answer.reply):
        return _answer_of(text, answer)
    forms = open_forms(context)
    if answer or len(forms) != 1 or context.table.begins_request(context.plain(rest)):
        return None
    why, card = "it corrects something", forms[0]
    if correctable_field(card) is None:
        return Piece(text.strip(), "unclear", why, confidence=0.0, end=len(text))
    return Piece(
        text.strip(), "card_reply", why, card=card.token, firm=False, confidence=0.5, end=len(text)
    )


def group_form_answers(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """Values go together, and to the workflow right before them; what is doubtful among them too,
    so that nothing is decided on half of what was said.
    """
    if not open_forms(context):
        return pieces
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and _belong_together(last, piece, context):
            whole = text[last.start : piece.end]
            kind = last.kind if last.kind != "unclear" else piece.kind
            unclear_kind = last.unclear_kind if last.unclear_kind != "idle" else "unknown"
            joined[-1] = replace(
                last, text=whole, kind=kind, end=piece.end, unclear_kind=unclear_kind
            )
        else:
            joined.append(piece)
    return _merge_per_card(tuple(_match_piece(piece, context) for piece in joined), context)


def _belong_together(last: Piece, piece: Piece, context: RouteContext) -> bool:
    if last.kind == "workflow":
        return piece.kind == "card_reply"
    mixed = {last.kind, piece.kind}
    if not mixed <= {"card_reply", "unclear"} or mixed == {"unclear"}:
        return False
    return all(p.kind == "card_reply" or can_be_answer(p.text, context) for p in (last, piece))


def _match_piece(piece: Piece, context: RouteContext) -> Piece:
    """The piece, read against the open forms."""
    if piece.kind not in ("card_reply", "unclear"):
        return piece
    answer = match_form(piece.text, context)
    if answer is None:
        return replace(piece, kind="unclear")
    if not answer.reply and len(answer.values) < 2 and _fits_work_better(piece, context):
        return replace(piece, kind="unclear", card="", why=f"{piece.why}; it may be other work")
    return with_match(piece, answer)


def with_match(piece: Piece, answer: FormMatch) -> Piece:
    """The piece with what it means to the open forms."""
    if answer.reply:
        return replace(piece, kind="unclear", reply=answer.reply, why="no one form is meant")
    why = f"gives {', '.join(answer.values) or 'something'} for the open form"
    return replace(
        piece,
        kind="card_reply",
        card=answer.card,
        values=answer.values,
        why=why,
        unclear_kind="unknown",
    )


def _fits_work_better(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece that names a thing, of which a form takes one value, is likely work."""
    if not context.entities.matches(piece.text):
        return False
    likely = any(each.playbook and each.score >= OTHER_WORK for each in piece.candidates[:1])
    said = context.plain(piece.text)
    bids = context.table.begins_request(said) or any(context.table.cue_places(said))
    return likely and bids


def _merge_per_card(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """One answer a card: what comes later in the message is added to the first."""
    kept: list[Piece] = []
    for piece in pieces:
        first = next((i for i, p in enumerate(kept) if p.card and p.card == piece.card), None)
        if first is None:
            kept.append(piece)
        else:
            both = replace(kept[first], text=f"{kept[first].text}; {piece.text}")
            kept[first] = _match_piece(both, context)
    return tuple(kept)
