"""Work that is asked for by what somebody asked for before: an example, or "the same for P004"."""

import re
from collections.abc import Callable
from dataclasses import replace

from cards.model import Card
from engine.frames.intents import Candidate
from engine.text import wording
from engine.understanding.context import Piece, RouteContext
from engine.understanding.form_answers import with_match
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.learned.lessons import plain_example
from engine.understanding.lookups.follow_ups import continue_text
from engine.understanding.lookups.text import look_at
from engine.understanding.open_forms import (
    FormMatch,
    answerable_fields,
    match_words,
    open_forms,
    other_entities,
)
from engine.understanding.pieces.scoring import bids, score_piece

_TOO = re.compile(r"也|\b(?:too|as well|again)\b")
NEAR = 0.5
"""How sure work is that is asked for anew behind something else, which people are asked about."""


def judge_verbatim(text: str, context: RouteContext) -> Piece | None:
    """The piece as the request of which it is an example, word for word, politeness or not.

    Where it is one of a look-up as well people are asked; None where it is one of anything else.
    """
    every = context.table.verbatim
    core = GRAMMAR.core(level(context.mark(text)))
    wholes = dict.fromkeys((text, text[core.start : core.end]))
    forms = (
        plain_example(said)
        for whole in wholes
        for said in (context.plain(whole), context.taught(whole))
    )
    groups = next((every[said] for said in forms if said in every), frozenset())
    work = [group for group in groups if context.table.playbook(group.partition("/")[0])]
    questions = groups & {tool.name for tool in context.tools}
    if len(work) != 1 or len(work) + len(questions) < len(groups):
        return None
    playbook, _, request = work[0].partition("/")
    why = f"{work[0]}: it is one of its examples"
    if not questions:
        return Piece(text, "workflow", why, playbook=playbook, request=request)
    return Piece(
        text,
        "unclear",
        f"{why}, and one of {', '.join(sorted(questions))}",
        confidence=0.0,
        candidates=(
            Candidate(kind="workflow", playbook=playbook, request=request, score=NEAR),
            Candidate(kind="qa_query", score=NEAR),
        ),
    )


def judge_repeat(
    text: str, context: RouteContext, judge: Callable[[str, RouteContext], Piece]
) -> Piece | None:
    """The piece as the work of an earlier message for something else of the kind: "and P004?".

    Its form begins with what the piece itself says: no other value is taken over. Behind another
    message people are asked whether that is meant.
    """
    if not context.recent:
        return None
    asked = look_at(text, context.entities, context.today)
    if not asked.named or not (wording.follows_up(asked.said) or _TOO.search(asked.said)):
        return None
    meant = continue_text(asked, context.recent, context.entities)
    before = judge(meant[0], replace(context, recent=())) if meant else None
    if before is None or before.kind != "workflow" or before.condition:
        return None
    why = f"like an earlier message: {before.why}"
    newest = continue_text(asked, context.recent[-1:], context.entities) == meant
    if newest:
        return replace(before, text=text, why=why)
    candidate = Candidate(
        kind="workflow", playbook=before.playbook, request=before.request, score=NEAR
    )
    return Piece(text, "unclear", why, confidence=0.0, candidates=(candidate,))


def answer_own_form(piece: Piece, context: RouteContext) -> Piece:
    """The piece; as an answer where nothing bids its work, and it fits a form of that request."""
    answer = _match_own_form(piece, context) if piece.kind == "workflow" else None
    return with_match(replace(piece, playbook="", request=""), answer) if answer else piece


def _match_own_form(piece: Piece, context: RouteContext) -> FormMatch | None:
    """What work that nothing bids gives the open forms of the same request; None for nothing.

    Nor for what gives another value than one that stands: that is likelier the next request.
    """
    group = f"{piece.playbook}/{piece.request}"
    forms = [
        card
        for card in open_forms(context)
        if _asks_for(card, group, context)
        and not other_entities(card, piece.text, context.entities)
    ]
    if piece.condition or not forms or judge_verbatim(piece.text, context):
        return None
    if bids(score_piece(piece.text, context), context.table, wording.tells):
        return None
    answer = match_words(piece.text, replace(context, open_cards=tuple(forms)))
    if answer is None or answer.reply:
        return answer
    stands = {
        f.name: f.value for c in forms for f in answerable_fields(c) if c.token == answer.card
    }
    given = answer.values.items()
    return answer if all(stands[name] in ("", value) for name, value in given) else None


def _asks_for(card: Card, group: str, context: RouteContext) -> bool:
    """Whether every field of the form is one of the request's."""
    labels = {field.label for field in answerable_fields(card)}
    return labels <= context.table.field_labels(group)
