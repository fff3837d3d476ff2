"""Pieces that belong together: what goes on with work, gives its values, or only tells of it."""

import re
from dataclasses import replace

from engine.text import wording
from engine.text.entities import fold
from engine.text.readers.find import find_readings
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.lessons import tokens
from engine.understanding.pieces.holding.beside import as_unclear
from engine.understanding.pieces.judge import judge
from engine.understanding.pieces.scoring import clauses_of, score_piece
from engine.understanding.pieces.split import is_decided
from engine.understanding.pieces.work import KNOWN

BARE_WORDS = 8
"""A piece of no more words that names nothing only bids what stands beside it."""

FAVOUR_WORDS = 3
"""A favour of no more words has what it is about before it."""

EXCLAIMED_WORDS = 2
"""What has no more words, and is like nothing, is no request beside what is told."""

LEAST_AMOUNT = 10
"""A number that is less counts things, and is no amount."""

_ASKS_ANEW = re.compile(
    r"\W*(?:and |also )?"
    r"(?:has|have|is|are|was|were|did|does|do|who|when|where|what|which)\b(?!\W*$)"
)
_GOES_ON = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|theirs|he|she|him|her|his|hers"
    r"|else|instead|the same)\b"
    r"|\bwhat (?:follow|result|remain|come|came|next|now|about|if)"
    r"|\bwhich (?:of|ones?|is|are|was|were|has|have|had|did|does|do)\b"
    r"|\b(?:who|when|where|what|which) [a-z]{1,20}(?: next)?\W*$"
)
"""A question that says this has what it is about in the one before it."""

_NAMED = re.compile(r"[0-9]")
_TOPIC = re.compile(
    r"\W*(?:就是|关于)?[^\W\d]{1,8}(?:[那这](?:个|件|边|笔|条|份)?(?:案子?|合同|事)?|案子?|的)的?\W*"
    r"|\W*the [a-z' -]{1,30} one\W*|\W*(?:for|in|on|about|re) the [a-z' -]{1,30}\W*"
    r"|\W*是.{1,15}还是.{1,15}"
)
"""What is said behind a question only to tell what it is about."""

_LOOKS_OVER = re.compile(r"[核检查]|对一[下遍]|\b(?:cross-?)?check|\bcompare|\breview|\blook over")
_PURPOSE = re.compile(
    r"\W*看(?:一?下|看)?(?:还)?(?:有没有|有无|是否|对不对得上)"
    r"|\W*(?:to )?see (?:if|whether) (?:there|any|all|they)\b"
)
"""What a check is to look for, told behind it."""

BID_TOKENS = 4
"""What bids with no more words or pairs of characters has what it is about before it."""


def join_continuations(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """What a comma parted although the second half only goes on with the first."""
    made: list[Piece] = []
    for piece in pieces:
        if made and _is_bare_favour(made[-1], piece, context):
            why = f"{piece.why}; what is asked for stands before it"
            whole = text[made[-1].start : piece.end]
            made[-1] = replace(as_unclear(made[-1], why), text=whole, end=piece.end)
        elif made and _is_bare_bid(made[-1], piece, context):
            made[-1] = _with_bid(text, made[-1], piece, context)
        elif made and (
            _is_topic(made[-1], piece, context) or _is_purpose(made[-1], piece, context)
        ):
            made[-1] = replace(made[-1], text=text[made[-1].start : piece.end], end=piece.end)
        elif made and piece.boundary == "weak" and _is_continuation(made[-1], piece, context):
            surer = max(made[-1], piece, key=lambda one: one.confidence)
            whole = text[made[-1].start : piece.end]
            made[-1] = replace(
                made[-1], text=whole, end=piece.end, request=surer.request, why=surer.why
            )
        else:
            made.append(piece)
    return tuple(made)


def _is_bare_favour(before: Piece, piece: Piece, context: RouteContext) -> bool:
    """Whether a question only asks to do, or look into, what was told before it."""
    told = before.kind == "unclear" and before.unclear_kind in ("idle", "unknown")
    if not told or before.reply or piece.kind != "qa_query" or piece.lookup:
        return False
    core = GRAMMAR.core(level(context.mark(piece.text)))
    said = context.plain(piece.text[core.start : core.end])
    few = len(tokens(said)) <= FAVOUR_WORDS and not wording.asks(said.rstrip("?"))
    return core.favour and few and not _NAMED.search(said)


def _is_bare_bid(before: Piece, piece: Piece, context: RouteContext) -> bool:
    """Whether a piece only bids to do what is told before it: "Taxi, 12 pounds. Please file"."""
    begun = piece.kind == "workflow" or (not before.lookup and _request_of(piece) != ("", ""))
    is_told = begun and _only_tells(before, context)
    given = is_told or before.kind in ("unclear", "workflow")
    if not given or before.condition or before.reply or piece.condition:
        return False
    if before.unclear_kind == "holds_off":
        return False
    if before.kind == "workflow" and _request_of(piece) not in (("", ""), _request_of(before)):
        return False
    if _NAMED.search(piece.text) or context.entities.matches(piece.text):
        return False
    if not (_NAMED.search(before.text) or context.entities.matches(before.text)):
        return False
    said = level(context.mark(piece.text))
    core = GRAMMAR.core(said)
    bare = context.plain(piece.text[core.start : core.end])
    if core.favour or not (core.start or core.end < len(said)) or wording.asks(fold(piece.text)):
        return False
    # A word alone may be a look-up's: "Please file" shows no files.
    most = 1 if piece.lookup else 0 if piece.is_sure and not is_told else BID_TOKENS
    return len(tokens(bare)) <= most and not GRAMMAR.marks(said)


def _only_tells(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece is read as a question for its words alone, and asks for nothing."""
    if piece.kind != "qa_query" or piece.about_run:
        return False
    said = context.plain(piece.text)
    return not (wording.asks(said) or wording.reads(said) or "?" in said)


def _with_bid(text: str, before: Piece, piece: Piece, context: RouteContext) -> Piece:
    """What is told with what bids it, in doubt unless it is sure work already."""
    whole = text[before.start : piece.end]
    if before.kind == "workflow" and before.is_sure:
        return replace(before, text=whole, end=piece.end)
    known = judge(whole, context)
    sure = known.kind == "workflow" and known.is_sure
    if not sure and before.kind == "qa_query":
        made = piece if piece.kind == "workflow" else as_unclear(piece, "it is told before it")
    else:
        made = (
            known if sure else as_unclear(before, f"{piece.why}; what is bidden stands before it")
        )
    return replace(made, text=whole, start=before.start, end=piece.end, boundary=before.boundary)


def _is_topic(before: Piece, piece: Piece, context: RouteContext) -> bool:
    """Whether a piece only tells what a question before it is about."""
    if before.kind != "qa_query" or before.lookup or piece.is_sure or piece.condition:
        return False
    said = context.plain(piece.text)
    return bool(_TOPIC.fullmatch(said)) and not context.table.begins_request(said)


def _is_purpose(before: Piece, piece: Piece, context: RouteContext) -> bool:
    """Whether a piece only tells what a check before it is to look for."""
    if before.kind != "workflow" or before.condition or piece.lookup:
        return False
    if not _LOOKS_OVER.search(context.plain(before.text)) or context.entities.matches(piece.text):
        return False
    return bool(_PURPOSE.match(context.plain(piece.text))) and piece.kind in ("qa_query", "unclear")


def _is_continuation(before: Piece, piece: Piece, context: RouteContext) -> bool:
    searches = before.lookup is None or "query" in before.lookup.arguments
    if before.kind != piece.kind or not searches or piece.lookup or piece.condition:
        return False
    if piece.kind == "qa_query":
        said = fold(piece.text)
        anew = _ASKS_ANEW.match(said) and not _GOES_ON.search(said)
        return not (_NAMED.search(piece.text) or anew)
    theirs, own = (
        context.entities.kinds_and_ids(before.text),
        context.entities.kinds_and_ids(piece.text),
    )
    # Work of one playbook that does not begin like a request says what the second half is for.
    bids = any(map(context.table.begins_request, clauses_of(fold(context.mark(before.text)))))
    leads = before.request != piece.request and bids
    same = before.playbook == piece.playbook and not leads
    return piece.kind == "workflow" and same and not (theirs and own and theirs != own)


def absorb_idle(text: str, pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """What only tells something belongs to what is asked for beside it in the same sentence.

    What names a thing before work that names none tells of what the work is: "LT-7's keyboard is
    broken, get me another".
    """
    if not any(piece.is_request for piece in pieces):
        return pieces
    is_certain = any(
        piece.kind != "qa_query" or piece.lookup for piece in pieces if piece.is_request
    )
    kept: list[Piece] = []
    told: Piece | None = None
    for piece in pieces:
        is_idle = piece.unclear_kind == "idle" and (is_certain or not piece.candidates)
        if is_idle and _speaks_of_other_work(piece, pieces):
            kept.append(piece)
        elif is_idle and kept and kept[-1].is_request:
            kept[-1] = replace(kept[-1], text=text[kept[-1].start : piece.end], end=piece.end)
        elif is_idle:
            told = piece
            continue
        elif told and _tells_of_what(told, piece, context):
            whole = text[told.start : piece.end]
            kept.append(replace(piece, text=whole, start=told.start, boundary=told.boundary))
        else:
            kept.append(piece)
        told = None
    return tuple(kept)


def _tells_of_what(told: Piece, piece: Piece, context: RouteContext) -> bool:
    """Whether what is told right before work names a thing, and the work itself none."""
    work = piece.kind == "workflow" and piece.is_sure and not piece.condition
    return work and _is_bare(piece, context) and bool(context.entities.matches(told.text))


def _speaks_of_other_work(piece: Piece, pieces: tuple[Piece, ...]) -> bool:
    """Whether it may ask for work that nothing beside it asks for."""
    first = next((c for c in piece.candidates if c.playbook), None)
    own = {(p.playbook, p.request) for p in pieces if p.kind == "workflow"}
    return not piece.firm and first is not None and (first.playbook, first.request) not in own


def drop_asides(pieces: tuple[Piece, ...], context: RouteContext) -> tuple[Piece, ...]:
    """The pieces but for a few words beside what is sure, which are like nobody's work."""
    if any(piece.lookup for piece in pieces):
        pieces = tuple(piece for piece in pieces if not _only_asks(piece, context))
    if not any(piece.is_request and piece.firm for piece in pieces):
        kept = tuple(piece for piece in pieces if not _is_exclaimed(piece, context))
        return kept if kept and all(is_decided(piece) for piece in kept) else pieces
    kept = tuple(
        piece
        for index, piece in enumerate(pieces)
        if not (_is_aside(piece, context) or _is_otherwise(index, pieces))
    )
    return kept if any(piece.is_request and piece.firm for piece in kept) else pieces


def _only_asks(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece says that it asks, and not what."""
    open_kind = piece.kind == "unclear" or (piece.kind == "qa_query" and not piece.lookup)
    return open_kind and not piece.reply and GRAMMAR.is_prelude(level(context.mark(piece.text)))


def _is_exclaimed(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece is a word or two that are like nothing and name nothing."""
    said = context.plain(piece.text)
    return (
        piece.kind == "unclear"
        and not (piece.candidates or piece.reply)
        and not (_NAMED.search(said) or context.entities.matches(piece.text))
        and len(tokens(said)) <= EXCLAIMED_WORDS
    )


def _is_otherwise(index: int, pieces: tuple[Piece, ...]) -> bool:
    """Whether a piece says what is else not to be done, behind work that hangs on something."""
    piece, before = pieces[index], pieces[index - 1] if index else None
    if before is None or not before.condition or piece.kind != "unclear" or piece.candidates:
        return False
    return wording.retracts(fold(piece.text)) or wording.denies(fold(piece.text))


def _is_aside(piece: Piece, context: RouteContext) -> bool:
    if piece.kind != "unclear" or piece.unclear_kind not in ("unknown", "idle") or piece.candidates:
        return False
    said = level(context.mark(piece.text))
    if not _is_bare(piece, context) or context.table.begins_request(said):
        return False
    if score_piece(piece.text, context).scores.known < KNOWN:
        return False
    return not {mark.role for mark in GRAMMAR.marks(said)} & {"off", "hang", "say", "undo", "ask"}


def join_same_work(
    text: str, pieces: tuple[Piece, ...], context: RouteContext
) -> tuple[Piece, ...]:
    """Pieces of one work, of which one bids and the other gives its values, as one."""
    made: list[Piece] = []
    for piece in pieces:
        joined = _joined(text, made[-1], piece, context) if made else None
        if joined:
            made[-1] = joined
        else:
            made.append(piece)
    return tuple(made)


def _joined(text: str, one: Piece, other: Piece, context: RouteContext) -> Piece | None:
    begun = [p for p in (one, other) if p.kind == "workflow" and p.firm and not p.condition]
    if not begun or _request_of(one) != _request_of(other):
        return None
    if len(begun) == 2 and not (_is_bare(one, context) or _is_bare(other, context)):
        return None
    values = other if begun[0] is one else one
    if len(begun) == 1 and not _only_gives_values(values, context):
        return None
    named = {*context.entities.kinds_and_ids(one.text), *context.entities.kinds_and_ids(other.text)}
    if len(named) > 1:
        return None
    whole = text[one.start : other.end]
    return replace(
        begun[0],
        text=whole,
        start=one.start,
        end=other.end,
        boundary=one.boundary,
        is_sequel=one.is_sequel,
    )


def _request_of(piece: Piece) -> tuple[str, str]:
    """The request that a piece asks for, or most likely speaks of."""
    if piece.kind == "workflow":
        return piece.playbook, piece.request
    first = next((c for c in piece.candidates if c.playbook), None)
    return (first.playbook, first.request) if first else ("", "")


def _is_bare(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece names nothing that its work could be of."""
    said = context.plain(piece.text)
    named = _NAMED.search(piece.text) or context.entities.matches(piece.text)
    return not named and len(tokens(said)) <= BARE_WORDS


def _only_gives_values(piece: Piece, context: RouteContext) -> bool:
    """Whether a piece in doubt gives values, and nothing in it holds back, asks or tells."""
    if piece.kind != "unclear" or piece.unclear_kind not in ("unknown", "idle"):
        return False
    said = level(context.mark(piece.text))
    return bool(_NAMED.search(piece.text)) and not GRAMMAR.marks(said)


def ask_of_several(piece: Piece, context: RouteContext) -> Piece:
    """Work whose form takes one amount is asked about where a text gives several."""
    if piece.kind != "workflow" or piece.condition or piece.playbook not in context.table.sums:
        return piece
    found = find_readings(context.mark(piece.text), context.today)
    sums = [
        r
        for r in found
        if r.kind == "money" or (r.kind == "number" and _is_amount(piece.text[r.start : r.end]))
    ]
    return as_unclear(piece, "it gives several amounts") if len(sums) > 1 else piece


def _is_amount(number: str) -> bool:
    digits = number.replace(",", "")
    whole = digits.replace(".", "", 1)
    return whole.isdigit() and ("." in digits or float(digits) >= LEAST_AMOUNT)
