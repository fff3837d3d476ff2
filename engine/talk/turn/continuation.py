"""A part of an earlier reply goes on: its run has ended, its card is decided or has expired."""

from engine.frames.replies import Part, ReplyHead, late_posts, read_parts
from engine.mail import CardDecided, CardExpired, PartReady
from engine.ports.storage.store import Effects, PartWrite, Refresh
from engine.reviews.clocks import close_card, close_replaced, stop_timers
from engine.services import Services
from engine.talk.mine.facts import work_loader
from engine.talk.turn.answers import ModelQuestions, ask_model
from engine.talk.turn.choice_cards import (
    MORE,
    chosen_intent,
    is_choice_card,
    part_without_choice,
    with_others,
)
from engine.talk.turn.forms import answer_form
from engine.talk.turn.parts import Turn, ask_which, begin_part, skip_part, with_answer
from engine.talk.turn.session import Session
from engine.talk.turn.traces import lookup_trace, react_trace
from engine.text.entities import fold
from engine.understanding.context import RouteContext
from engine.understanding.learned.table import RouteTable
from engine.understanding.pieces.within import rank_requests


async def continue_part(mail: PartReady, session: Session, services: Services) -> Effects:
    """The run that a part waited for has ended: begin the part now, or say why not."""
    found = await load_part(mail.reply, mail.index, services)
    if found is None:
        return Effects()
    head, part = found
    again = mail.retried and part.state == "failed" and not part.run
    if part.state != "waiting" and not again:
        return Effects()
    if mail.completed:
        return await _begin_now(part, head, session, services)
    return _part_effects(skip_part(part, part.intent.depends_on[0], head), head, services)


async def settle_choice(
    mail: CardDecided | CardExpired, session: Session, services: Services, table: RouteTable
) -> Effects:
    """A card of this conversation's talk was decided, or its time is over.

    What was chosen is begun; a part that nobody chose anything for says so. Whoever means something
    else is asked again, about what is nearest by the router's `table`.
    """
    card = await services.decisions.card(mail.card)
    found = await load_part(card.card.reply, card.card.part, services) if card else None
    # Set aside and retried, the part says that it failed.
    if card is None or found is None or found[1].state not in ("needs_you", "failed"):
        return Effects()
    asked, (head, part) = card.card, found
    if isinstance(mail, CardExpired):
        if asked.status != "open":
            return Effects()
        effects = _part_effects(
            part_without_choice(part, "choose.expired", head.lang), head, services
        )
        return effects.plus(Effects(cards=(close_card(asked, "expired"),)))
    intent = chosen_intent(part.intent, mail.decision.choice)
    if mail.decision.choice == MORE:
        effects = _ask_again(part, head, session, services, table)
    elif intent is None:
        effects = _part_effects(part_without_choice(part, "choose.left", head.lang), head, services)
    else:
        part = part.model_copy(update={"intent": intent})
        effects = await _begin_now(part, head, session, services)
    return effects.plus(Effects(timers=stop_timers(asked.token, asked.lane)))


async def close_repeated_choices(turn: Turn) -> None:
    """Close what a person was asked about a text that they send again here.

    Its part says so; what it means is asked, or begun, in the new reply.
    """
    head, services = turn.head, turn.services
    texts = {fold(part.intent.text).strip() for part in turn.parts} - {""}
    for card in await services.decisions.open_cards(head.conversation):
        if not is_choice_card(card) or card.requester != head.principal.id:
            continue
        found = await load_part(card.reply, card.part, services)
        if found is None or fold(found[1].intent.text).strip() not in texts:
            continue
        part = part_without_choice(found[1], "choose.again", found[0].lang)
        turn.add(
            Effects(
                parts=(PartWrite(card.reply, card.part, part.stored()),),
                touches=(Refresh(card.reply),),
            ).plus(close_replaced((card,), services.now))
        )


async def load_part(reply: str, index: int, services: Services) -> tuple[ReplyHead, Part] | None:
    """A reply's head and one of its parts; None when the reply is gone."""
    stored = await services.decisions.reply(reply)
    if stored is None:
        return None
    head = ReplyHead.model_validate_json(stored[0])
    return head, Part.model_validate_json(stored[1][index])


async def load_parts(reply: str, services: Services) -> tuple[Part, ...]:
    """All parts of a reply; none when it is gone."""
    stored = await services.decisions.reply(reply)
    return read_parts(stored[1]) if stored else ()


def _late_turn(head: ReplyHead, session: Session, services: Services) -> Turn:
    """A turn for one part alone and now, for the person as they are by now."""
    head = head.model_copy(update={"principal": services.people.refresh(head.principal)})
    services = services.limited_to(head.principal, head.conversation)
    return Turn(head, session, services, slot=False)


def _ask_again(
    part: Part, head: ReplyHead, session: Session, services: Services, table: RouteTable
) -> Effects:
    """A further card for the part, of what earlier ones did not offer."""
    turn = _late_turn(head, session, services)
    head, services = turn.head, turn.services
    context = RouteContext(
        table=table,
        tools=services.tools,
        open_cards=(),
        principal=head.principal,
        today=services.today,
        recent=(),
        lang=head.lang,
        barred=services.barred,
        entities=services.entities(head.conversation, head.principal),
    )
    intent = with_others(part.intent, rank_requests(part.intent.text, context), services)
    asked = ask_which(part.model_copy(update={"intent": intent}), turn)
    return _part_effects(asked, head, services).plus(turn.all_effects())


async def _begin_now(part: Part, head: ReplyHead, session: Session, services: Services) -> Effects:
    """Begin the part, alone and now."""
    turn = _late_turn(head, session, services)
    head, services = turn.head, turn.services
    intent = part.intent.model_copy(update={"depends_on": ()})
    # A question that was chosen instead is answered, and no longer that another could not be.
    before = "" if intent.lookup else part.answer
    begun = await begin_part(part.index, intent, turn, answer=before)
    traces = Effects(traces=lookup_trace(head, turn.calls, services.tracing))
    if begun.state == "working" and not begun.run:
        if intent.kind == "card_reply":
            begun = await answer_form(begun, turn)
            return _part_effects(begun, head, services).plus(turn.all_effects()).plus(traces)
        parts = await load_parts(head.id, services)
        beside = [begun if each.index == part.index else each for each in parts] or [begun]
        (answer,) = await ask_model(
            ModelQuestions((begun,), beside, head, session, services, work_loader(head, services))
        )
        begun = with_answer(begun, answer, turn)
        if answer.result:
            traces = Effects(traces=react_trace(head, part, answer.result, services.tracing))
    return _part_effects(begun, head, services).plus(turn.all_effects()).plus(traces)


def _part_effects(part: Part, head: ReplyHead, services: Services) -> Effects:
    """The part as it is now, in its reply and, long after the message, as a message of its own."""
    return Effects(
        parts=(PartWrite(head.id, part.index, part.stored()),),
        posts=late_posts(
            part,
            head.lang,
            reply=head.id,
            conversation=head.place,
            since=head.at,
            now=services.now,
        ),
        touches=(Refresh(head.id),),
    )
