"""Telegram's payloads → updates (design §3). Pure: what it needs to know is handed in."""

from dataclasses import dataclass
from typing import Any

from adapters.telegram.forms.confirmation import key_of, sure
from adapters.telegram.forms.prompts import Prompt, prompt_behind, values_of
from adapters.telegram.payload import (
    Callback,
    Entity,
    Payload,
    TelegramMessage,
    TelegramUser,
    parse,
)
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    FormSubmitted,
    MessageEdited,
    MessageReceived,
    SharedFile,
    Update,
)


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """The bot itself; `username` is "" until Telegram was asked for it."""

    id: int
    username: str = ""

    def is_called(self, name: str) -> bool:
        """True when `name` (without @) is the bot's; any bot's while our name is not known."""
        if not self.username:
            return name.casefold().endswith("bot")
        return name.casefold() == self.username.casefold()


def receive(raw: Any, me: BotIdentity) -> Update | None:
    """The update in a payload, or None for one that is not for us; raises BadPayload."""
    return update_of(parse(raw), me)


def update_of(payload: Payload, me: BotIdentity) -> Update | None:
    """The update in a parsed payload, or None for one that is not for us."""
    update_id = f"telegram:{me.id}:update:{payload.update_id}"
    if payload.callback_query is not None:
        return _tapped(payload.callback_query, update_id, me)
    message = payload.message
    if message is None or message.sender is None or message.sender.is_bot:
        return None
    if not message.text and message.file is None:
        return None
    if payload.edited:
        return _edited(message, message.sender, payload.update_id, me)
    if message.text and (prompt := prompt_answered(message, me)):
        if prompt.filling:
            # One field of a form that is not complete yet; the clerk takes it.
            return None
        return FormSubmitted(
            id=update_id,
            conversation=message.place.conversation(me.id),
            actor=actor_of(message.sender, me),
            button=prompt.data,
            values=values_of(prompt, message.text),
            files=files_of(message),
        )
    return _command(message, message.sender, update_id, me) or _written(
        message, message.sender, update_id, me
    )


def _edited(
    message: TelegramMessage, sender: TelegramUser, number: int, me: BotIdentity
) -> MessageEdited | None:
    """A change that its writer made; Telegram tells of others too, without saying when."""
    update_id = f"telegram:{me.id}:update:{number}"
    to = _command(message, sender, update_id, me) or _written(message, sender, update_id, me)
    if to is None or not message.edit_date:
        return None
    # Edits within one second follow one another by their number.
    at = f"{message.edit_date:012d}{number:012d}"
    form = prompt_answered(message, me) is not None
    in_group = message.chat.type != "private"
    return MessageEdited(id=update_id, to=to, at=at, answers_form=form, only_addressed=in_group)


def prompt_answered(message: TelegramMessage, me: BotIdentity) -> Prompt | None:
    """The prompt that this message answers: only the bot's own message counts as one."""
    asked = message.reply_to_message
    if asked is None or asked.sender is None or asked.sender.id != me.id:
        return None
    links = (entity.url for entity in asked.entities if entity.type == "text_link")
    return next((prompt for link in links if (prompt := prompt_behind(link))), None)


def _tapped(callback: Callback, update_id: str, me: BotIdentity) -> CardTapped | None:
    message = callback.message
    if message is None or not callback.data:
        return None
    confirms = sure(callback.data)
    return CardTapped(
        id=update_id,
        conversation=message.place.conversation(me.id),
        actor=actor_of(callback.sender, me),
        button=confirms.button if confirms else callback.data,
        message_id="" if message.chat.left else message.place.message_id(message.message_id),
        # Whoever else taps "really" has not been asked: it is their first tap.
        confirmed=confirms is not None and confirms.asked == key_of(callback.sender.id),
    )


def _command(
    message: TelegramMessage, sender: TelegramUser, update_id: str, me: BotIdentity
) -> CommandGiven | None:
    entity = command_mark(message)
    if entity is None:
        return None
    name, _, addressed = message.marked(entity).removeprefix("/").partition("@")
    if addressed and not me.is_called(addressed):
        return None
    return CommandGiven(
        id=update_id,
        conversation=message.place.conversation(me.id),
        actor=actor_of(sender, me),
        name=name.lower(),
        text=message.without(entity).strip(),
        files=files_of(message),
        aside=message.place.is_group,
        message=name_of(message, me),
    )


def _written(
    message: TelegramMessage, sender: TelegramUser, update_id: str, me: BotIdentity
) -> MessageReceived | None:
    called = next((e for e in message.entities if _mentions(message, e, me)), None)
    in_private = message.chat.type == "private"
    if command_mark(message) or not (in_private or called or _replies_to(message, me)):
        return None
    text = message.without(called) if called else message.text
    return MessageReceived(
        id=update_id,
        conversation=message.place.conversation(me.id),
        actor=actor_of(sender, me),
        text=text.strip(),
        files=files_of(message),
        aside=message.place.is_group,
        message=name_of(message, me),
    )


def name_of(message: TelegramMessage, me: BotIdentity) -> str:
    """What a message is called by us; a group that moved counts its messages anew."""
    return f"telegram:{me.id}:message:{message.chat.id}:{message.message_id}"


def files_of(message: TelegramMessage) -> tuple[SharedFile, ...]:
    """The file that came with a message, if one did."""
    return (message.file,) if message.file else ()


def command_mark(message: TelegramMessage) -> Entity | None:
    """The command that a message begins with, if it does."""
    return next((e for e in message.entities if e.type == "bot_command" and e.offset == 0), None)


def _mentions(message: TelegramMessage, entity: Entity, me: BotIdentity) -> bool:
    if entity.type == "text_mention":
        return entity.user is not None and entity.user.id == me.id
    return entity.type == "mention" and me.is_called(message.marked(entity).removeprefix("@"))


def _replies_to(message: TelegramMessage, me: BotIdentity) -> bool:
    """In a topic, every message that answers none points to the topic's first message."""
    answered = message.reply_to_message
    if answered is None or answered.sender is None or answered.sender.id != me.id:
        return False
    return not (message.is_topic_message and answered.message_id == message.message_thread_id)


def actor_of(person: TelegramUser, me: BotIdentity) -> Actor:
    """The person as the service names them."""
    return Actor(platform="telegram", workspace=str(me.id), user=str(person.id), name=person.name)
