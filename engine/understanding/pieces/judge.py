"""What one piece of a message is, and whether that is sure."""

import re
from dataclasses import replace

from engine.text import wording
from engine.text.entities import ENTITY_MARKS, fold
from engine.understanding.context import Piece, RouteContext
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.grammar.rule import Role
from engine.understanding.learned.lessons import ELSEWHERE, QUESTION, SMALLTALK, STATEMENT
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import find
from engine.understanding.open_forms import match_form, names_only
from engine.understanding.pieces.conditions import split_condition
from engine.understanding.pieces.sameness import judge_repeat, judge_verbatim
from engine.understanding.pieces.scoring import (
    ScoredPiece,
    asks_for_favour,
    bids,
    clauses_of,
    forbids,
    holds_off,
    score_piece,
)
from engine.understanding.pieces.work import HANGING, MARGIN, judge_work, work_fault
from engine.understanding.smalltalk import is_smalltalk, is_thanks

TALK = 0.45
"""From this score on a piece is talk, tells something, or asks for what nobody here does."""

ASKED = 0.35
"""From this score on a piece without the form of a question is one."""

ELSE = 0.25
"""From this score on a piece asks for what nobody here does, when no route is nearer."""

FIRM = 0.4
"""From this score on a question may be another route's by its words."""

SHOWN = 0.3
"""So much may another route be before questions when the piece bids to show something."""

LEAST = 0.2
"""What scores less is not offered as what may have been meant."""

_LISTED = re.compile(
    rf"(?<![{ENTITY_MARKS}])[{ENTITY_MARKS}]+"
    rf"(?:\s*(?:,\s*and\b|,|，|、|和|与|及|&|\band\b)\s*[{ENTITY_MARKS}]+){{1,4}}"
)
_NUMBER = re.compile(r"[0-9][0-9./]*")
_DIGIT = re.compile(r"[0-9]")
NOT_HUNG: frozenset[Role] = frozenset(("undo", "ask", "maybe"))
"""Beside these it is no certain wish that work hangs on what is said."""

THANKS_CHARS = 60
_IDLE_ROUTES = (SMALLTALK, STATEMENT, ELSEWHERE)
_EDGES = " ,.;:!?。"
_NAMED = re.compile(rf"[0-9{ENTITY_MARKS}]")
_MARKED = re.compile(r"[?吗]\s*$")
_WORDS = re.compile(rf"[a-z0-9][a-z0-9'-]*|[\u3400-\u9fff]{{1,2}}|[{ENTITY_MARKS}]+")
_IT = re.compile(
    r"[a-z]{1,20} (?:it|them|this|that|one|so)(?: (?:for (?:me|us)|up|in|down|now|please))*"
    r"|(?:帮忙|[帮给替]我们?|麻烦|请|就|再|也|先)*[\u3400-\u9fff]{1,2}(?:一下|[上了好掉]|一[条个份])?[吧哈]?"
)
"""What is to be done with a thing that is named before it."""

_LETTERS = re.compile(r"[a-z]{2}|[\u3400-\u9fff]")


def judge(text: str, context: RouteContext, *, whole: bool = True) -> Piece:
    """The piece, by the first rule that is sure. `whole`: no connective parts it."""
    if is_smalltalk(text):
        return Piece(text, "smalltalk", "a greeting or thanks")
    core = GRAMMAR.core(level(context.mark(text)))
    inner = text[core.start : core.end]
    if not inner and _is_talk(text, context):
        return Piece(text, "smalltalk", "nothing but politeness")
    inner = inner or text
    piece = _judge_core(inner, text, context, favour=core.favour, whole=whole)
    if (
        piece.kind == "unclear"
        and piece.unclear_kind != "holds_off"
        and inner != text
        and not piece.candidates
        and _is_talk(text, context)
    ):
        return Piece(text, "smalltalk", "like talk")
    return replace(piece, text=text)


def _is_talk(text: str, context: RouteContext) -> bool:
    """Whether a text is talk, taken together with its politeness."""
    if context.entities.matches(text) or _DIGIT.search(text):
        return False
    scores = context.table.classifier.scores(context.plain(text))
    talk = scores.routes.get(SMALLTALK, 0.0)
    others = max(score for name, score in scores.routes.items() if name != SMALLTALK)
    thanked = is_thanks(text) and len(text) <= THANKS_CHARS
    away = scores.nearest in _IDLE_ROUTES
    return (talk >= TALK and talk - others >= MARGIN) or (thanked and away)


def _judge_core(text: str, told: str, context: RouteContext, *, favour: bool, whole: bool) -> Piece:
    """The piece without the politeness that `told` has around it."""
    if not _LETTERS.search(fold(text)) and not context.entities.matches(text):
        return Piece(text, "unclear", "there is no word in it", confidence=0.0)
    plain = context.plain(text)
    if context.has_active_run and wording.after_run(plain) and not _names_matter(plain, context):
        return Piece(text, "qa_query", "it asks after what goes on here", about_run=True)
    # A favour may be work, which a look-up would miss.
    favour = favour or asks_for_favour(plain)
    example = judge_verbatim(told, context)
    looked_up = _look_up(text, context) or (_look_up(told, context) if told != text else None)
    # To check a value is to look at it.
    if looked_up and not example and (not favour or wording.checks(plain)):
        return looked_up
    # An open form may be of the message that is leant on; what another is named for is not for it.
    repeat = judge_repeat(told, context, judge)
    if repeat and repeat.kind == "workflow":
        return repeat
    answer = match_form(text, context)
    if answer and answer.sure and not names_only(answer, context):
        return Piece(text, "card_reply", "values for an open form", card=answer.card)
    if example:
        return example
    scored = score_piece(text, context, polite=favour)
    if wording.hinged(plain):
        return _judge_condition(scored, context)
    if found := _judge_prohibition(scored, context):
        return found
    if repeat:
        return repeat
    if len(_WORDS.findall(context.plain(told))) < 2 and not wording.writes(scored.folded):
        return _judge_single_word(scored, context)
    return (
        judge_work(scored, context, whole=whole)
        or looked_up
        or _judge_question(scored, context)
        or _judge_rest(scored, context)
    )


def _names_matter(plain: str, context: RouteContext) -> bool:
    """Whether a folded text speaks of something that look-ups tell of."""
    return any(index_cues(context.tools).find(plain))


def _judge_prohibition(scored: ScoredPiece, context: RouteContext) -> Piece | None:
    """A piece that forbids, takes back or only quotes: surely nothing is to be started for it."""
    quoted = scored.quotes and len(scored.folded.strip()) < 0.6 * len(scored.text.strip())
    if quoted and not wording.asks(scored.folded):
        return _as_idle(scored, "most of it is quoted")
    off, denied = holds_off(scored), wording.denies(scored.folded)
    if off and context.table.undoes and _NAMED.search(scored.folded) and not forbids(scored):
        # "Cancel B-219" asks for work where a request is to cancel such things.
        return None
    if wording.asks(scored.folded) or not (off or denied):
        return None
    if any(mark.role == "undo" for mark in GRAMMAR.marks(scored.bare)):
        return None
    bidden = bids(scored, context.table, wording.denies)
    if off and (wording.retracts(scored.folded) or not bidden):
        if GRAMMAR.says("cancel", scored.folded):
            # What was asked for earlier is to be undone, which is work of its own.
            return Piece(scored.text, "unclear", "it cancels something", confidence=0.0)
        return replace(_as_idle(scored, "it holds off"), unclear_kind="holds_off")
    if denied and not bidden:
        return _as_idle(scored, "it tells of what is not")
    return None


def _judge_condition(scored: ScoredPiece, context: RouteContext) -> Piece:
    """Work under a condition, or what else hangs on one; whether it holds is not ours to say."""
    for condition, rest in split_condition(scored.text, context.table.request_verbs):
        if wording.hinged(fold(rest)):
            continue
        if found := _look_up_under(condition, rest, scored, context):
            return found
        # The person is asked before it starts, so that a near guess is enough.
        alone = score_piece(rest, context)
        if work := judge_work(alone, context, least=HANGING, whole=False):
            why = f"if {condition!r}: {work.why}"
            doubted = any(mark.role in NOT_HUNG for mark in GRAMMAR.marks(scored.bare))
            sure = not (doubted or _does_it(alone)) and judge_work(alone, context) is not None
            return replace(work, text=scored.text, condition=condition, why=why, firm=sure)
    if wording.asks(scored.bare):
        marked = bool(_MARKED.search(scored.folded)) and not GRAMMAR.says("wish", scored.folded)
        return Piece(scored.text, "qa_query", "it asks", confidence=0.5, firm=marked)
    return Piece(scored.text, "unclear", "it hangs on a condition", confidence=0.0)


def _does_it(scored: ScoredPiece) -> bool:
    """Whether what is bidden says to do it, and not what: that stands in the condition."""
    clause = clauses_of(scored.bare)[0].strip(_EDGES)
    return bool(_IT.fullmatch(clause))


def _look_up_under(
    condition: str, rest: str, scored: ScoredPiece, context: RouteContext
) -> Piece | None:
    """What is asked under a condition as a look-up: reading does no harm, whether it holds or not.

    Whom it is about may stand in the condition.
    """
    said = context.plain(rest)
    if not (wording.asks(said) or wording.shows(said)):
        return None
    known = _look_up(rest, replace(context, recent=(condition,)))
    if known is None:
        return None
    return replace(known, text=scored.text, why=f"if {condition!r}: {known.why}")


def _judge_single_word(scored: ScoredPiece, context: RouteContext) -> Piece:
    """A single word is no request; what it may be about is offered."""
    near = context.table.candidates(scored.scores, least=LEAST)
    candidates = tuple(c for c in near if c.kind == "workflow")
    return Piece(scored.text, "unclear", "a single word", confidence=0.0, candidates=candidates)


def _as_idle(scored: ScoredPiece, why: str) -> Piece:
    firm = scored.route in _IDLE_ROUTES and not GRAMMAR.says("wish", scored.folded)
    return Piece(scored.text, "unclear", why, confidence=0.0, unclear_kind="idle", firm=firm)


def _look_up(text: str, context: RouteContext) -> Piece | None:
    """A question that look-ups answer: one, or one for each of several entities of a kind."""
    entities = context.entities
    found = find(text, context.tools, entities=entities, today=context.today, recent=context.recent)
    if found:
        return Piece(text, "qa_query", found[1], lookups=(found[0],))
    listed = _LISTED.search(context.mark(text))
    if listed is None:
        return None
    start, end = listed.span()
    within = [m for m in entities.matches(text) if start <= m.start and m.end <= end]
    if len({match.kind for match in within}) != 1:
        return None
    named = {match.id: text[match.start : match.end] for match in within}
    texts = [f"{text[:start]}{one}{text[end:]}" for one in named.values()]
    each = [find(one, context.tools, entities=entities, today=context.today) for one in texts]
    every = [one for one in each if one]
    if len(every) < len(each) or any(len(entities.kinds_and_ids(one)) > 1 for one in texts):
        return None
    lookups = tuple(lookup for lookup, _ in every)
    why = "; ".join(reason for _, reason in every)
    return Piece(text, "qa_query", why, lookups=lookups)


def _judge_question(scored: ScoredPiece, context: RouteContext) -> Piece | None:
    """A question that no look-up answers: reading cannot do harm, so its form is enough."""
    seeks = GRAMMAR.says("seek", scored.folded) and wording.asks(scored.folded)
    asks = wording.asks(scored.bare) and (not scored.polite or _asks_for_something(scored.bare))
    asks = asks or seeks or GRAMMAR.says("seek", scored.folded)
    close = scored.route == QUESTION and scored.score >= ASKED and scored.margin >= MARGIN / 2
    if wording.shows(scored.bare) and scored.score - scored.scores.routes[QUESTION] < SHOWN:
        close = True
    if not (asks or close) or wording.plays_down(scored.folded):
        return None
    if wording.reports(scored.folded) and not (asks and _MARKED.search(scored.folded)):
        return None
    if asks and scored.route in (SMALLTALK, ELSEWHERE) and scored.score >= TALK:
        return None
    like = context.table.nearest_question(scored.bare, scored.scores)
    why = f"{'it asks' if asks else 'like a question'} ({like!r}, {scored.score:.2f})"
    confidence = max(scored.scores.routes.get(QUESTION, 0.0), 0.5 if asks else 0.0)
    near = scored.route == QUESTION or scored.scores.routes[QUESTION] >= FIRM
    # Behind its commas may stand what nobody saw.
    firm = near and len([c for c in clauses_of(scored.folded) if c.strip(_EDGES)]) == 1
    past = wording.asks_of_past(scored.folded) and not GRAMMAR.says("wish", scored.folded)
    firm = firm or ((seeks or past) and len(_NUMBER.findall(scored.bare)) < 2)
    return Piece(scored.text, "qa_query", why, confidence=round(min(1.0, confidence), 2), firm=firm)


def _asks_for_something(said: str) -> bool:
    return any(mark.role == "ask" for mark in GRAMMAR.marks(said))


def _judge_rest(scored: ScoredPiece, context: RouteContext) -> Piece:
    """Talk, things told, work that nobody here does; or what may have been meant."""
    if scored.route == SMALLTALK and scored.score >= TALK and scored.margin >= MARGIN:
        return Piece(scored.text, "smalltalk", f"like talk ({scored.score:.2f})")
    if is_thanks(scored.text) and len(scored.text) <= THANKS_CHARS and scored.route in _IDLE_ROUTES:
        return Piece(scored.text, "smalltalk", "it says thanks")
    elsewhere = scored.route == ELSEWHERE and scored.score >= ELSE
    tells = any(map(wording.tells, clauses_of(scored.folded)))
    tells = tells or wording.plays_down(scored.folded)
    pleads = scored.polite or wording.pleads(scored.folded)
    bidden = pleads or bids(scored, context.table, wording.tells)
    if wording.reports(scored.folded) or (tells and not bidden and not elsewhere):
        return _as_idle(scored, "it tells of something")
    statement = scored.score >= TALK and scored.margin >= MARGIN and scored.route == STATEMENT
    if statement and not bidden:
        return _as_idle(scored, f"it asks for nothing ({scored.score:.2f})")
    candidates = context.table.candidates(scored.scores, least=LEAST)
    route = context.table.playbook(scored.route)
    why = f"nearest is {scored.route} ({scored.score:.2f})"
    if route:
        why = f"{why}; {work_fault(scored, context.table)}"
    return Piece(
        scored.text,
        "unclear",
        why,
        confidence=0.0,
        unclear_kind="elsewhere" if elsewhere else "unknown",
        candidates=candidates,
    )
