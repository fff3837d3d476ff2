"""What stands where no strategy is sure, or the model has no answer: there is always an answer."""

from dataclasses import replace

from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.text import wording
from engine.understanding.context import RouteContext, Strategy, StrategyResult
from engine.understanding.router.own_work import own_work
from engine.understanding.router.rules import card_reply, free_text, name_left, unclear
from engine.understanding.router.spoken import explain_buttons


async def unclear_or_asked(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """Always an answer, as `unclear`; with a model, what surely asks is a question for it.

    The model that sorts messages had no answer: the one that answers questions may have one. What
    rules read of cards and of own work stands then, as it does without a model. A text in which
    nothing is understood may be what the one open form still needs.
    """
    by_rules: tuple[Strategy, ...] = (card_reply, explain_buttons, own_work)
    for strategy in (*(by_rules if model is not None else ()), free_text):
        tried = await strategy(text, context, None)
        if tried.intents:
            return tried
    found = await unclear(text, context, model)
    if model is None:
        return found
    intents = tuple(_as_question(intent, context) for intent in found.intents)
    return replace(found, intents=intents)


def _as_question(intent: Intent, context: RouteContext) -> Intent:
    intent = name_left(intent, context)
    likely_work = any(each.playbook for each in intent.candidates[:1])
    if intent.kind != "unclear" or intent.told or intent.condition or likely_work:
        return intent
    if not wording.asks(context.plain(intent.text)):
        return intent
    why = f"{intent.why}; it asks, and nothing else reads it"
    return intent.model_copy(update={"kind": "qa_query", "candidates": (), "why": why})
