"""Words of a card's buttons as text: free text is never a decision (design §7)."""

import re
from collections.abc import Sequence

from cards.markdown import literal
from cards.model import REJECT, Card, Lang
from cards.texts import say
from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.text import wording
from engine.text.claims.corrections import lead_end
from engine.text.entities import fold
from engine.text.values import states_number
from engine.understanding.context import RouteContext, StrategyResult
from engine.understanding.learned.lessons import tokens
from engine.understanding.open_forms import (
    answerable_fields,
    form_names,
    missing_labels,
    noted_values,
    open_forms,
)
from engine.understanding.pieces.message import read_message
from engine.understanding.smalltalk import is_smalltalk

MAX_CHARS = 30
_SMALL_WORD = 3
_ENDS = r"\s|吧|了|啊|please|it|this|that|thanks|一下|这个|它|[,.!。~]"
_UNDO = (
    r"withdraw|never ?mind|forget it|drop|discard|give up|abandon"
    r"|算了|放弃|撤回|不录|不填|不要|不办|不用"
)
_WITHDRAW = re.compile(
    rf"[,，\s]*(?:please |i |let's |我要|我想)?(?:{_UNDO})(?:{_UNDO}|，|{_ENDS})*"
)
_SUBMIT = re.compile(
    r"[,，\s]*(?:please |now |ok,? |i |请|现在|帮我)?(?:submit|send|提交|发送)"
    rf"(?:{_ENDS}|now|everything|form|the|表单|表)*"
)
_VERDICT = re.compile(
    r"(?:please |i |we |我|我们|ok,? |okay,? |yes,? |好的?[,，]? ?)?"
    r"(?:approved?|reject(?:ed)?|declined?|lgtm"
    rf"|不?同意|不?批准|不?通过|驳回|拒绝|退回|可以通过)(?:{_ENDS})*"
)
_DECIDE = re.compile(
    r"(?:please |i |we |我|我们|ok,? )?(?:approved?|reject(?:ed)?|declined?|lgtm"
    r"|looks (?:good|fine|ok)|不?同意|不?批准|不?通过|驳回|拒绝|退回|可以通过|没问题)"
    rf"(?:{_ENDS})*"
)
_STATUS = re.compile(
    r"(?:(?:what(?:'s| is)|how(?:'s| is)|and|so|the|my|its|any|is|it|has|been|review|request"
    r"|status|news|updates?|progress|going|approved|reviewed|done|yet|now|far|along|of|on|who)\b|[\s,.!?。]"
    r"|进度|状态|进展|审核|批准|通过|怎么样|到哪|一步|如何|什么|现在|目前|我的|请求|流程|谁"
    r"|查看|[的了吗没呢完好审批是在得过呀啊])+"
)
_OF_IT = re.compile(r"status|news|update|progress|approved|reviewed|进度|状态|进展|审|批|到哪")


async def explain_buttons(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """What to do instead, for a text that says what only a button does, or asks after a review.

    With a model it has to say nothing else.
    """
    told = _button_reply(fold(text).strip(), text, context, whole=model is not None)
    if not told:
        return StrategyResult((), "it says no button")
    why = "only the card's buttons do that"
    return StrategyResult((Intent(kind="unclear", text=text.strip(), told=told, why=why),), why)


def _button_reply(said: str, text: str, context: RouteContext, *, whole: bool) -> str:
    lang, mine = context.lang, open_forms(context)
    reviews = [c for c in context.open_cards if c.signs_off and c.status == "open"]
    own = [c for c in reviews if c.is_requested_by(context.principal)]
    if own and own[-1].is_own_confirmation and not (mine or whole) and _corrects(text, context):
        return own_confirmation_text(own[-1], lang)
    if len(said) > MAX_CHARS:
        return ""
    said = _without_titles(said, context)
    if mine and _WITHDRAW.fullmatch(said):
        titles = say("list.items", lang).join(form_names(mine))
        return say("clarify.withdraw", lang, form=titles)
    if mine and _SUBMIT.fullmatch(said):
        return _submit_reply(mine, lang)
    numbered = not mine and said.isdecimal() and any(c.kind == "select" for c in reviews)
    if reviews and (numbered or _DECIDE.fullmatch(said)):
        return say("review.button", lang)
    if not (mine or reviews) and _VERDICT.fullmatch(said):
        return say("review.elsewhere", lang)
    states = not whole and bool(own) and _states_change(text, own[-1], context)
    if mine or not own or not (states or _asks_after(said)):
        return ""
    card = own[-1]
    if card.is_own_confirmation:
        return own_confirmation_text(card, lang)
    key = "review.waiting" if states else "review.asked"
    return say(key, lang, form=literal(card.title), who=literal(card.waiting_for))


def own_confirmations(context: RouteContext) -> tuple[Card, ...]:
    """The open cards here on which this person only confirms what they asked for."""
    own = (c for c in context.open_cards if c.status == "open" and c.is_own_confirmation)
    return tuple(c for c in own if c.is_requested_by(context.principal))


def own_confirmation_text(card: Card, lang: Lang) -> str:
    """That who asked only has to confirm it, and what they do where it is not right (Markdown)."""
    cancel = card.choice(REJECT)
    label = literal(cancel.label) if cancel else say("choice.cancel", lang)
    return say("review.own", lang, form=literal(card.title), cancel=label)


def _submit_reply(mine: Sequence[Card], lang: str) -> str:
    """Which button sends the forms, and what stands in the only one."""
    titles = say("list.items", lang).join(form_names(mine))
    told = say("clarify.submit", lang, form=titles)
    if len(mine) > 1:
        return told
    noted, lacking = noted_values(answerable_fields(mine[0]), lang), missing_labels(mine[0])
    stands = say("clarify.noted", lang, noted=noted) if noted else ""
    stands += say("clarify.missing", lang, missing=lacking) if lacking else ""
    return "\n\n".join(filter(None, (stands.strip(), told)))


def _without_titles(said: str, context: RouteContext) -> str:
    """The folded text without what the titles of the open cards name."""
    titles = {word for card in context.open_cards for word in tokens(fold(card.title))}
    own = {word for word in titles if not word.isascii() or len(word) > _SMALL_WORD}
    for word in sorted(word for word in own if not word.isascii()):
        said = said.replace(word, "")
    return " ".join(word for word in said.split() if word.strip(",.!?~") not in own)


def _asks_after(said: str) -> bool:
    """The whole text asks how far the review is."""
    return bool(_STATUS.fullmatch(said) and _OF_IT.search(said))


def _corrects(text: str, context: RouteContext) -> bool:
    """Whether the text begins as a correction does, and neither asks nor asks for work."""
    if not (lead_end(text) or wording.changes(context.plain(text))) or is_smalltalk(text):
        return False
    return not any(piece.kind in ("workflow", "qa_query") for piece in read_message(text, context))


def _states_change(text: str, card: Card, context: RouteContext) -> bool:
    """The text states a value of something that the card shows, and asks for nothing else."""
    if wording.asks(context.plain(text)):
        return False
    if any(piece.kind in ("workflow", "qa_query") for piece in read_message(text, context)):
        return False
    return states_number(text, [w for row in card.rows for w in {row.label, row.label.split()[0]}])
