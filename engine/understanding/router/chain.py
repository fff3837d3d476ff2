"""The router: strategies in a fixed order, the first that is sure wins (design §6)."""

from engine.errors import ModelUnavailable
from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.understanding.context import RouteContext, RoutedMessage, Strategy, StrategyVerdict
from engine.understanding.router.command import command
from engine.understanding.router.explained import card_reply_explained, explained
from engine.understanding.router.last_resort import unclear_or_asked
from engine.understanding.router.llm import llm
from engine.understanding.router.own_work import own_work
from engine.understanding.router.rules import add_help
from engine.understanding.router.spoken import explain_buttons

STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("command", command),
    ("card_reply", card_reply_explained),
    ("spoken", explain_buttons),
    ("own_work", own_work),
    ("deterministic", explained),
    ("model", llm),
    ("unclear", unclear_or_asked),
)


async def route(text: str, context: RouteContext, model: Model | None) -> RoutedMessage:
    """The person's intents in order, at least one, and why; raises nothing of ours.

    Without a model, or when it is away, what rules are sure of stands and the rest is unclear.
    """
    trace: list[StrategyVerdict] = []
    away: ModelUnavailable | None = None
    for name, strategy in STRATEGIES:
        tried = await strategy(text, context, model)
        trace.append(StrategyVerdict(name, bool(tried.intents), tried.why, tried.answers))
        away = away or tried.away
        if tried.intents:
            found = tuple(
                add_help(intent, context) if model is None or intent.kind == "unclear" else intent
                for intent in tried.intents
            )
            return RoutedMessage(_note_asides(found), tuple(trace), away)
    raise AssertionError("the last strategy always answers")


def _note_asides(intents: tuple[Intent, ...]) -> tuple[Intent, ...]:
    """The intents, those noted that are like nothing, beside what a look-up answers."""
    if not any(intent.lookup for intent in intents):
        return intents
    return tuple(
        intent.model_copy(update={"note": "beside"}) if _is_aside(intent) else intent
        for intent in intents
    )


def _is_aside(intent: Intent) -> bool:
    known = intent.candidates or intent.told or intent.work or intent.condition or intent.note
    return intent.kind == "unclear" and not (known or intent.about_run)
