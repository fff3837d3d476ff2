"""What is said when a message could not be handled; it is set aside for an operator."""

from cards.texts import say
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.mail import GIVEN_UP, CardDecided, CardExpired, MessageArrived, PartReady
from engine.ports.storage.store import AsideWrite, Effects, PartWrite, Post, Refresh, ReplyWrite
from engine.services import Services
from engine.talk.turn.continuation import load_part
from engine.talk.turn.message import is_unanswered, reply_head
from engine.talk.turn.session import Session


async def fail_message(mail: MessageArrived, session: Session, services: Services) -> Effects:
    """What is said when a message could not be handled after several attempts.

    What is left of it is set aside, as messages of its own that an operator may have handled.
    """
    head = reply_head(mail, session, services)
    stored = await services.decisions.reply(head.id)
    if stored is None:
        intent = Intent(kind="unclear", text=head.text, why="handling failed")
        parts = [Part(index=0, intent=intent, state="working", text="")]
    else:
        parts = [Part.model_validate_json(body) for body in stored[1]]
    failed = {"state": "failed", "text": say("part.error", head.lang)}
    after = [part.model_copy(update=failed) for part in parts if is_unanswered(part, parts)]
    bodies = tuple(part.stored() for part in after)
    new = stored is None
    return Effects(
        reply=ReplyWrite(id=head.id, head=head.model_dump_json(), parts=bodies) if new else None,
        parts=tuple(PartWrite(head.id, p.index, p.stored()) for p in after),
        touches=(Refresh(head.id),),
        posts=(Post(row=head.id, conversation=head.place, kind="reply", ref=head.id),),
        aside=tuple(_retry_of(mail, part) for part in after),
    )


def _retry_of(mail: MessageArrived, part: Part) -> AsideWrite:
    update = mail.update.model_copy(
        update={"id": f"{mail.update.id}/{part.index}/again", "text": part.intent.text}
    )
    left = mail.model_copy(update={"update": update})
    return AsideWrite(f"talk:{update.conversation}", left.stored(), GIVEN_UP)


async def fail_part(mail: PartReady, services: Services) -> Effects:
    """What a part says when it could not be handled after several attempts; it is set aside."""
    found = await load_part(mail.reply, mail.index, services)
    if found is None:
        return Effects()
    head, part = found
    again = mail.model_copy(update={"retried": True}).stored()
    return _fail(head, part, f"talk:{head.conversation}", again)


async def fail_choice(lane: str, mail: CardDecided | CardExpired, services: Services) -> Effects:
    """The same for a part that a card asked about; the card's answer is set aside."""
    card = await services.decisions.card(mail.card)
    found = await load_part(card.card.reply, card.card.part, services) if card else None
    if found is None:
        return Effects()
    head, part = found
    return _fail(head, part, lane, mail.stored())


def _fail(head: ReplyHead, part: Part, lane: str, again: str) -> Effects:
    failed = {"state": "failed", "text": say("part.error", head.lang)}
    after = part.model_copy(update=failed)
    return Effects(
        parts=(PartWrite(head.id, after.index, after.stored()),),
        touches=(Refresh(head.id),),
        aside=(AsideWrite(lane, again, GIVEN_UP),),
    )
