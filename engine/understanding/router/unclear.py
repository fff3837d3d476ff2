"""What is left when nothing is sure of the whole: the sure pieces stand, the rest is unclear."""

from cards.texts import say
from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.text import wording
from engine.text.entities import fold
from engine.text.language import suits
from engine.understanding.context import RouteContext, Tried
from engine.understanding.lookup import cue_found
from engine.understanding.open_forms import forms, missing, named
from engine.understanding.router.deterministic import intents, read


def explained(intent: Intent, context: RouteContext) -> Intent:
    """The intent with what helps: how to ask for work, or which form is open.

    How work is done a model may answer better; `explained` is for when there is none.
    """
    asked = intent.kind == "qa_query" and not intent.lookup
    if intent.told or not (asked or intent.kind == "unclear"):
        return intent
    told = _how(intent.text, context)
    if not told and not asked:
        told = _open(context)
    return intent.model_copy(update={"told": told})


def _how(text: str, context: RouteContext) -> str:
    """How to ask for a playbook, for a text that asks how its work is done."""
    said = fold(wording.unquoted(text))
    route = next((r for r in context.table.routes if cue_found(said, r.cues)), None)
    if route is None or not wording.asks_how(said) or wording.why(said):
        return ""
    able = [
        example
        for name, request in context.work
        if name.partition("/")[0] == route.playbook and not request.not_yet
        for example in request.examples
    ]
    example = next((e for e in able if suits(e, context.lang)), "")
    if not example:
        return ""
    name = route.names[0] if context.lang == "zh" else route.names[-1]
    return say("answer.how", context.lang, name=name, example=example)


def _open(context: RouteContext) -> str:
    cards = forms(context)
    if not cards:
        return ""
    if len(cards) > 1:
        titles = say("list.items", context.lang).join(named(card) for card in cards)
        return say("clarify.which", context.lang, forms=titles)
    form, lacking = named(cards[0]), missing(cards[0])
    key = "clarify.open" if lacking else "clarify.open_full"
    return say(key, context.lang, form=form, missing=lacking)


async def unclear(text: str, context: RouteContext, model: Model | None) -> Tried:
    """Always an answer: at least one intent, the unsure ones of kind `unclear`."""
    found = intents(read(text, context))
    sure = sum(intent.kind != "unclear" for intent in found)
    return Tried(found, f"{sure} of {len(found)} pieces are sure")
