"""The model splits and routes what rules were not sure of; its reading stands (promise 4).

Lists of words overrule nothing of it. Structure does: work that is cut out of its sentence, that
stands in quotation marks, or whose words the model itself gave to something unclear, is offered
and not started.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cards.markdown import literal
from cards.model import SUBMIT, Card
from cards.texts import say
from engine.dialogue import CUT_OFF, DialogueFailure, ModelTask, run_dialogue
from engine.errors import ModelError, ModelUnavailable
from engine.frames.intents import Candidate, Intent, IntentNote
from engine.ports.model import Model
from engine.text import wording
from engine.text.answer import AnswerFaults
from engine.text.fence import fence_data
from engine.understanding.briefing import shown_cards
from engine.understanding.context import RouteContext, StrategyResult
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.lookups.find import Answer, find
from engine.understanding.open_forms import open_forms
from engine.understanding.pieces.conditions import split_condition
from engine.understanding.pieces.judge import judge
from engine.understanding.router.explained import is_whole_look_up
from engine.understanding.router.links import is_connective, is_link
from engine.understanding.router.model_answer import (
    PieceLimits,
    PlacedPiece,
    answer_schema,
    read_pieces,
)
from engine.understanding.router.prompt import route_names, sorting_messages

ATTEMPTS = 2
LEAST_TOKENS = 800
CHARS_PER_TOKEN = 4
CONFIDENCE = 0.8
NO_ANSWER = "the model gave no answer"
BY_MODEL = "the model"
"""How the reason of every intent begins that the model read."""
_SEPARATORS = " ,，、;；:：.。\n"
_CLAUSE_END = re.compile(r"[,，;；:：。!！?？\n]|\.(?=\s|$)")


async def llm(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """The model's intents, when its answer holds; one more try when it does not."""
    if model is None:
        return StrategyResult((), "there is no model")
    answers: list[str] = []
    limits = _limits(context)
    briefing = await context.brief() if context.brief else ()

    def read(answer: str) -> tuple[PlacedPiece, ...] | AnswerFaults:
        answers.append(answer)
        return read_pieces(answer, text, limits, last=len(answers) >= ATTEMPTS)

    task = ModelTask(
        purpose="route",
        opening=lambda: sorting_messages(text, context, briefing),
        read=read,
        schema=answer_schema(route_names(context)),
        max_tokens=LEAST_TOKENS + len(text) // CHARS_PER_TOKEN,
        correction=_lesson,
        cut_off=CUT_OFF,
        max_faulty=ATTEMPTS,
    )
    try:
        outcome = await run_dialogue(task, model)
    except ModelError as error:
        away = error if isinstance(error, ModelUnavailable) else None
        return StrategyResult((), f"{NO_ANSWER}: {error}", tuple(answers), away)
    if isinstance(outcome, DialogueFailure):
        why = f"the model's answer does not hold: {'; '.join(outcome.faults)}"
        return StrategyResult((), why, tuple(answers))
    intents = _Reading(text, context, outcome.value).intents()
    return StrategyResult(intents, "the model's answer holds", tuple(answers))


def _lesson(faults: AnswerFaults) -> str:
    listed = fence_data("\n".join(f"- {fault}" for fault in faults))
    return f"That answer does not hold:\n{listed}\nSend the whole object again."


def _limits(context: RouteContext) -> PieceLimits:
    cards = shown_cards(context.open_cards)
    return PieceLimits(
        routes=frozenset(route_names(context)),
        options=tuple(len(card.choices) for card in cards),
        is_link=is_link,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The model's pieces of a message, made into intents."""

    text: str
    context: RouteContext
    placed: Sequence[PlacedPiece]

    def intents(self) -> tuple[Intent, ...]:
        """One for each piece in its order; small talk beside others needs no answer."""
        matter = [n for n, each in enumerate(self.placed) if each.piece.kind != "smalltalk"]
        kept = matter or [0]
        made, places = list[Intent](), dict[int, int]()
        for number in kept:
            depends_on = self.placed[number].piece.depends_on
            after = tuple(sorted({places[n] for n in depends_on if n in places}))
            intent = self._intent(self.placed[number], after)
            if check := self._condition_check(intent):
                made.append(check)
                intent = intent.model_copy(update={"depends_on": (len(made) - 1,)})
            places[number] = len(made)
            made.append(intent)
        return tuple(made)

    def _condition_check(self, intent: Intent) -> Intent | None:
        """The question whether a condition holds that no earlier piece asks; a person decides."""
        name = f"{intent.playbook}/{intent.request}"
        can_begin = any(n == name and not request.not_yet for n, request in self.context.requests)
        if not intent.condition or intent.depends_on or not can_begin:
            return None
        asked = say("choose.condition_check", self.context.lang, condition=intent.condition)
        why = f"the condition of {name}, which nothing else in the message asks after"
        return Intent(kind="qa_query", text=asked, confidence=CONFIDENCE, why=why)

    def _intent(self, placed: PlacedPiece, after: tuple[int, ...]) -> Intent:
        piece, said = placed.piece, self._said(placed)
        why = f"{BY_MODEL}'s answer"
        match piece.kind:
            case "workflow":
                return self._work(placed, after)
            case "card_reply":
                return self._card_reply(placed)
            case "not_possible":
                return self._unclear(said, f"{why}: nobody here does it", note="not_possible")
            case "unclear":
                offered = judge(said, self.context).candidates
                return self._unclear(said, why, *offered)
            case "about_case" | "smalltalk" | "qa_query":
                found = self._look_up(said) if piece.kind == "qa_query" else None
                asks_after_run = piece.kind == "about_case" and judge(said, self.context).about_run
                return Intent(
                    kind="smalltalk" if piece.kind == "smalltalk" else "qa_query",
                    text=said,
                    depends_on=after,
                    confidence=CONFIDENCE,
                    why=f"{why}; {found[1]}" if found else why,
                    lookup=found[0] if found else None,
                    about_run=asks_after_run,
                )

    def _said(self, placed: PlacedPiece) -> str:
        """The words of the piece, without what sets it apart from the one before it."""
        return self.text[placed.start : placed.end].strip().lstrip(_SEPARATORS)

    def _look_up(self, said: str) -> Answer | None:
        """A look-up that accounts for every word of it; else it is the model's to answer.

        Politeness and what only says when it is asked ("first", "by the way") are left out.
        """
        context = self.context
        core = GRAMMAR.core(level(context.mark(said)))
        for text in dict.fromkeys((said, said[core.start : core.end])):
            found = find(
                text,
                context.tools,
                entities=context.entities,
                today=context.today,
                recent=context.recent,
            )
            if found and is_whole_look_up(text, found[0], context):
                return found
        return None

    def _work(self, placed: PlacedPiece, after: tuple[int, ...]) -> Intent:
        """The work; offered only, where it is cut out of words that may change it."""
        piece, said = placed.piece, self._said(placed)
        playbook, _, request = piece.route.partition("/")
        meant = Candidate(kind="workflow", playbook=playbook, request=request)
        if note := self._objection(placed):
            why = f"{BY_MODEL} takes it for a request, but its words are {note}"
            return self._unclear(said, why, meant, note=note)
        condition = piece.condition
        if condition is None:
            condition = self._read_condition(placed)
            if condition and not after:
                why = (
                    f"{BY_MODEL} takes it for a request; nothing tells whether its condition holds"
                )
                return self._unclear(said, why, meant, note="hangs")
        return Intent(
            kind="workflow",
            text=said,
            playbook=playbook,
            request=request,
            condition=condition.strip(),
            depends_on=after,
            confidence=CONFIDENCE,
            why=f"{BY_MODEL}'s answer",
        )

    def _objection(self, placed: PlacedPiece) -> IntentNote:
        """Why a workflow is offered and not started; "" when it is."""
        if any(
            start < placed.start and placed.end < end
            for start, end in wording.quotations(self.text)
        ):
            return "quoted"
        if placed.cut_from:
            return "left_out"
        beside = [each for each in self.placed if each.piece.kind == "unclear"]
        return "in_doubt" if any(self._same_clause(placed, each) for each in beside) else ""

    def _same_clause(self, one: PlacedPiece, other: PlacedPiece) -> bool:
        first, second = sorted((one, other), key=lambda each: each.start)
        between = self.text[first.end - 1 : second.start + 1]
        return not (
            _CLAUSE_END.search(between) or is_connective(self.text[first.end : second.start])
        )

    def _read_condition(self, placed: PlacedPiece) -> str:
        """The condition that rules see, where the model said nothing of one."""
        said = self._said(placed)
        if not wording.hinged(self.context.plain(said)):
            return ""
        heads = self.context.table.request_verbs
        return next((c for c, _ in split_condition(said, heads)), said)

    def _card_reply(self, placed: PlacedPiece) -> Intent:
        """Values for a form; for a button the person is told which to tap (design §7)."""
        piece, said, lang = placed.piece, self._said(placed), self.context.lang
        card = shown_cards(self.context.open_cards)[(piece.card or 1) - 1]
        why = f"{BY_MODEL}'s answer: it is for the card {card.title!r}"
        if any(each.token == card.token for each in open_forms(self.context)) and not piece.option:
            return Intent(kind="card_reply", text=said, card=card.token, choice=SUBMIT, why=why)
        told = _unchanged_text(card, self.context)
        if piece.option:
            label = literal(card.choices[int(piece.option) - 1].label)
            told = say("choose.tap", lang, choice=label, title=literal(card.title))
        return Intent(kind="unclear", text=said, told=told, why=why)

    def _unclear(self, said: str, why: str, *meant: Candidate, note: IntentNote = "") -> Intent:
        return Intent(
            kind="unclear",
            text=said,
            sure=not meant or not note,
            confidence=CONFIDENCE if not note else 0.0,
            why=why,
            candidates=meant,
            note=note,
        )


def _unchanged_text(card: Card, context: RouteContext) -> str:
    """That a text changes nothing of the card; to whoever asked for its review, what does."""
    lang = context.lang
    if card.review is None or not card.is_requested_by(context.principal):
        return say("review.button", lang)
    who, form = literal(card.waiting_for), literal(card.title)
    return say("review.waiting", lang, form=form, who=who)
