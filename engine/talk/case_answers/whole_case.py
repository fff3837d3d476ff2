"""All that the case of a conversation has: what short answers offer, and `/case` tells."""

from typing import Final

from cards.buttons import WHOLE_CASE, BadButton, Button
from cards.model import Lang
from cards.showing.view import ButtonView
from cards.texts import say
from engine.errors import StoreError
from engine.frames.replies import Part, ReplyHead
from engine.mail import CommandArrived
from engine.services import Services
from engine.talk.case_answers.answering import tell_case

COMMAND: Final = "case"


def with_offer(part: Part, head: ReplyHead) -> Part:
    """The part, with a button for all that the case has where its text offers that."""
    if say("case.whole", head.lang) not in part.full_text():
        return part
    try:
        data = Button(token=head.id, choice=WHOLE_CASE, revision=0).pack()
    except BadButton:
        return part  # the words of the offer work all the same
    label = say("case.whole_button", head.lang)
    return part.model_copy(update={"buttons": (ButtonView(data=data, label=label),)})


async def whole_case_text(
    mail: CommandArrived, services: Services, *, lang: Lang, last: str, runs: tuple[str, ...]
) -> str:
    """What the case has that the last question was about, or that the command names (Markdown).

    A button names the reply below which it stands; `last` is the one to what the person wrote last,
    `runs` are the newest of the conversation. Who may not see the case is told nothing of it.
    """
    head = _head(mail, services, lang, runs)
    asked = await _asked(head.text or last, head, services)
    if asked is not None:
        named = {"text": asked.text, "entities": asked.entities, "runs": asked.runs or runs}
        head = head.model_copy(update=named)
    return await tell_case(head, services) or say("case.none", lang)


def _head(mail: CommandArrived, services: Services, lang: Lang, runs: tuple[str, ...]) -> ReplyHead:
    """Who asks, where, and what the command itself names."""
    update, typed = mail.update, mail.update.text.strip()
    entities = services.entities(update.conversation, mail.principal)
    return ReplyHead(
        id=services.derived_id(update.conversation, "reply", update.id),
        conversation=update.conversation,
        lang=lang,
        principal=mail.principal,
        text=typed,
        at=services.now,
        asker=update.actor.user,
        thread=update.thread,
        entities=entities.record(typed),
        runs=runs,
    )


async def _asked(reply: str, head: ReplyHead, services: Services) -> ReplyHead | None:
    """The question that this reply answers; None where it is of another conversation."""
    if not reply or head.entities:
        return None
    try:
        stored = await services.decisions.reply(reply)
    except (StoreError, ValueError):
        return None  # it was typed, and is the name of no reply
    found = ReplyHead.model_validate_json(stored[0]) if stored else None
    return found if found and found.conversation == head.conversation else None
