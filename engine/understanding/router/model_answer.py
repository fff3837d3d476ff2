"""The model's answer to the router: pieces of the message, each with its place in it."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from cards.frozen import Frozen
from engine.text.answer import AnswerFaults, object_schema, read_answer
from engine.text.excerpts.copied import letters_of

MAX_PIECES = 12
_ELLIPSIS = re.compile(r"…|\.\.\.")

PieceKind = Literal[
    "qa_query", "about_case", "workflow", "card_reply", "not_possible", "smalltalk", "unclear"
]
KINDS: tuple[PieceKind, ...] = get_args(PieceKind)


class ModelPiece(Frozen):
    """One thing that the person wants, as the model read it.

    `text` has its words, or the first and last of them with an ellipsis between. `condition` is
    None where the model said nothing of one. `card` and `option` are numbers as the context lists
    them, `option` "" where values of a form are given.
    """

    kind: PieceKind
    route: str = ""
    text: str
    depends_on: tuple[int, ...] = ()
    condition: str | None = None
    card: int | None = None
    option: str = ""


class _ModelAnswer(Frozen):
    pieces: tuple[ModelPiece, ...]


@dataclass(frozen=True, slots=True)
class PlacedPiece:
    """A piece with where it stands in the message; `cut_from` are the words beside it that belong
    to no piece.
    """

    piece: ModelPiece
    start: int
    end: int
    cut_from: str = ""


@dataclass(frozen=True, slots=True)
class PieceLimits:
    """What the pieces of a message may name: these routes, and cards with so many options each.

    `is_link(text)` tells whether words between pieces say nothing by themselves.
    """

    routes: Collection[str]
    options: Sequence[int]
    is_link: Callable[[str], bool]


def answer_schema(routes: Sequence[str]) -> Mapping[str, Any]:
    """The JSON schema of the answer."""
    piece = {
        "kind": {"type": "string", "enum": [*KINDS]},
        "route": {"type": "string", "enum": ["", *routes]},
        "text": {"type": "string"},
        "condition": {"type": "string"},
        "depends_on": {"type": "array", "items": {"type": "integer"}},
        "card": {"type": ["integer", "null"]},
        "option": {"type": "string"},
    }
    return object_schema({"pieces": {"type": "array", "items": object_schema(piece)}})


def read_pieces(
    answer: str, message: str, limits: PieceLimits, *, last: bool
) -> tuple[PlacedPiece, ...] | AnswerFaults:
    """The pieces where they stand, or what is wrong with them.

    Words that work was cut out of are a fault as well, unless this is the `last` answer.
    """
    parsed = read_answer(answer, _ModelAnswer)
    if isinstance(parsed, AnswerFaults):
        return AnswerFaults(("it is not of the form asked for", *parsed[:3]))
    pieces = parsed.pieces
    if not 1 <= len(pieces) <= MAX_PIECES:
        return AnswerFaults((f"there must be 1 to {MAX_PIECES} pieces",))
    places = _find_places(pieces, message)
    faults = [f for i, piece in enumerate(pieces) if (f := _fault(i, piece, limits))]
    faults += [
        f"the text of piece {index} is not copied from the message"
        for index, place in enumerate(places)
        if place is None
    ]
    if faults:
        return AnswerFaults(faults)
    placed = [
        PlacedPiece(piece, *place)
        for piece, place in zip(pieces, places, strict=True)
        if place is not None
    ]
    placed = _each_once(placed)
    placed = [replace(each, cut_from=_cut_from(each, placed, message, limits)) for each in placed]
    return tuple(placed) if last else AnswerFaults(_doubts(placed)) or tuple(placed)


def _each_once(placed: Sequence[PlacedPiece]) -> list[PlacedPiece]:
    """The pieces without those that want what a piece of the same words wants already."""
    kept: list[PlacedPiece] = []
    for each in placed:
        if not any(
            (each.start, each.end, each.piece.kind, each.piece.route)
            == (other.start, other.end, other.piece.kind, other.piece.route)
            for other in kept
        ):
            kept.append(each)
    # A piece that is left out would move the numbers of those behind it.
    return kept if not any(each.piece.depends_on for each in placed) else list(placed)


def _fault(index: int, piece: ModelPiece, limits: PieceLimits) -> str:
    if not piece.text.strip():
        return f"piece {index} has no text"
    if (piece.kind == "workflow") != bool(piece.route):
        return f"piece {index} must name a route exactly when it is a workflow"
    if piece.route and piece.route not in limits.routes:
        return f"there is no route {piece.route[:40]!r}"
    if any(not 0 <= n < index for n in piece.depends_on):
        return f"piece {index} may depend only on earlier pieces"
    return _card_fault(index, piece, limits) if piece.kind == "card_reply" else ""


def _card_fault(index: int, piece: ModelPiece, limits: PieceLimits) -> str:
    number = piece.card or 0
    if not 1 <= number <= len(limits.options):
        return f"piece {index} must name an open card by its number"
    if piece.option and piece.option not in map(str, range(1, limits.options[number - 1] + 1)):
        return f"card {number} has no option {piece.option[:20]!r}"
    return ""


def _doubts(placed: Sequence[PlacedPiece]) -> Iterator[str]:
    """What the model is asked to look at again; what it says then stands."""
    for index, each in enumerate(placed):
        for other, before in enumerate(placed[:index]):
            if each.start < before.end and before.start < each.end:
                yield f"pieces {other} and {index} overlap"
        if each.piece.kind == "workflow" and each.cut_from:
            yield (
                f"the words {each.cut_from[:200]!r} beside piece {index} are in no piece: they may"
                " change what is meant"
            )


def _cut_from(
    own: PlacedPiece, placed: Sequence[PlacedPiece], message: str, limits: PieceLimits
) -> str:
    """The words right before and behind a piece that belong to none."""
    others = [each for each in placed if each is not own]
    begin = max((each.end for each in others if each.end <= own.start), default=0)
    end = min((each.start for each in others if each.start >= own.end), default=len(message))
    beside = (message[begin : own.start], message[own.end : end])
    return " … ".join(said.strip() for said in beside if not limits.is_link(said))


def _find_places(pieces: Sequence[ModelPiece], message: str) -> list[tuple[int, int] | None]:
    """Where each piece stands: behind the one before it where it is there too, else anywhere."""
    letters, places = letters_of(message)
    found: list[tuple[int, int] | None] = []
    after = 0
    for piece in pieces:
        span = _find(piece.text, letters, after) or _find(piece.text, letters, 0)
        found.append(span)
        after = span[1] if span else after
    found = [_to_its_end(span, index, found, pieces, letters) for index, span in enumerate(found)]
    return [(places[span[0]], places[span[1] - 1] + 1) if span else None for span in found]


def _find(text: str, letters: str, after: int) -> tuple[int, int] | None:
    """Where the words stand in these letters, or the first and the last of them."""
    whole, _ = letters_of(text)
    begin = letters.find(whole, after) if whole else -1
    if begin >= 0:
        return begin, begin + len(whole)
    head, *_, tail = ends if len(ends := _ends(text)) > 1 else ("", "")
    begin = letters.find(head, after) if head and tail else -1
    stop = letters.find(tail, begin + len(head)) if begin >= 0 else -1
    return (begin, stop + len(tail)) if stop >= 0 else None


def _to_its_end(
    span: tuple[int, int] | None,
    index: int,
    found: Sequence[tuple[int, int] | None],
    pieces: Sequence[ModelPiece],
    letters: str,
) -> tuple[int, int] | None:
    """A piece of which two ends are given reaches to the last such end before the next piece."""
    ends = _ends(pieces[index].text)
    if span is None or len(ends) < 2 or letters_of(pieces[index].text)[0] in letters:
        return span
    following = [each[0] for each in found if each and each[0] >= span[1]]
    last = letters.rfind(ends[-1], span[1] - len(ends[-1]), min(following, default=len(letters)))
    return (span[0], last + len(ends[-1])) if last >= 0 else span


def _ends(text: str) -> list[str]:
    return [said for part in _ELLIPSIS.split(text) if (said := letters_of(part)[0])]
