"""Telegram's payloads to updates; pure (design §3)."""

from dataclasses import dataclass
from typing import Any

from adapters.telegram.forms.confirmation import parse_confirmation, user_key
from adapters.telegram.forms.prompts import Prompt, parse_prompt_link, parse_reply
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
        """Whether `name` (without @) is the bot's; any bot's while our name is not known."""
        if not self.username:
            return name.casefold().endswith("bot")
        return name.casefold() == self.username.casefold()


def receive(raw: Any, me: BotIdentity) -> Update | None:
    """Return the update in a payload, None for one that is not for us. Raises BadPayload."""
    return update_of(parse(raw), me)


def update_of(payload: Payload, me: BotIdentity) -> Update | None:
    """Return the update in a parsed payload, None for one that is not for us."""
    update_id = f"telegram:{me.id}:update:{payload.update_id}"
    if payload.callback_query is not None:
        return _read_tap(payload.callback_query, update_id, me)
    message = payload.message
    if message is None or message.sender is None or message.sender.is_bot:
        return None
    if not message.text and message.file is None:
        return None
    if payload.edited:
        return _read_edit(message, message.sender, payload.update_id, me)
    if message.text and (prompt := prompt_answered(message, me)):
        if prompt.form_id:
            # One field of a form that is not complete yet; the form handler takes it.
            return None
        return FormSubmitted(
            id=update_id,
            conversation=message.place.conversation(me.id),
            actor=actor_of(message.sender, me),
            button=prompt.data,
            values=parse_reply(prompt, message.text),
            files=files_of(message),
        )
    return _read_command(message, message.sender, update_id, me) or _read_message(
        message, message.sender, update_id, me
    )


def _read_edit(
    message: TelegramMessage, sender: TelegramUser, number: int, me: BotIdentity
) -> MessageEdited | None:
    """Return an edit by the writer; Telegram reports others too, without a date."""
    update_id = f"telegram:{me.id}:update:{number}"
    to = _read_command(message, sender, update_id, me) or _read_message(
        message, sender, update_id, me
    )
    if to is None or not message.edit_date:
        return None
    # Edits within one second follow one another by their number.
    at = f"{message.edit_date:012d}{number:012d}"
    form = prompt_answered(message, me) is not None
    in_group = message.chat.type != "private"
    return MessageEdited(id=update_id, to=to, at=at, answers_form=form, only_addressed=in_group)


def prompt_answered(message: TelegramMessage, me: BotIdentity) -> Prompt | None:
    """Return the prompt that this message replies to, which must be the bot's own message."""
    replied = message.reply_to_message
    if replied is None or replied.sender is None or replied.sender.id != me.id:
        return None
    links = (entity.url for entity in replied.entities if entity.type == "text_link")
    return next((prompt for link in links if (prompt := parse_prompt_link(link))), None)


def _read_tap(callback: Callback, update_id: str, me: BotIdentity) -> CardTapped | None:
    message = callback.message
    if message is None or not callback.data:
        return None
    confirms = parse_confirmation(callback.data)
    return CardTapped(
        id=update_id,
        conversation=message.place.conversation(me.id),
        actor=actor_of(callback.sender, me),
        button=confirms.button if confirms else callback.data,
        message_id="" if message.chat.left else message.place.message_id(message.message_id),
        # From somebody else it is a first tap: they were not asked.
        confirmed=confirms is not None and confirms.asked_key == user_key(callback.sender.id),
    )


def _read_command(
    message: TelegramMessage, sender: TelegramUser, update_id: str, me: BotIdentity
) -> CommandGiven | None:
    entity = command_entity(message)
    if entity is None:
        return None
    name, _, addressed = message.entity_text(entity).removeprefix("/").partition("@")
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
        message=message_name(message, me),
    )


def _read_message(
    message: TelegramMessage, sender: TelegramUser, update_id: str, me: BotIdentity
) -> MessageReceived | None:
    called = next((e for e in message.entities if _mentions(message, e, me)), None)
    in_private = message.chat.type == "private"
    if command_entity(message) or not (in_private or called or _replies_to(message, me)):
        return None
    text = message.without(called) if called else message.text
    return MessageReceived(
        id=update_id,
        conversation=message.place.conversation(me.id),
        actor=actor_of(sender, me),
        text=text.strip(),
        files=files_of(message),
        aside=message.place.is_group,
        message=message_name(message, me),
    )


def message_name(message: TelegramMessage, me: BotIdentity) -> str:
    """Return our name of a message, with the chat: a migrated group numbers messages anew."""
    return f"telegram:{me.id}:message:{message.chat.id}:{message.message_id}"


def files_of(message: TelegramMessage) -> tuple[SharedFile, ...]:
    """Return the file that came with a message, if any."""
    return (message.file,) if message.file else ()


def command_entity(message: TelegramMessage) -> Entity | None:
    """Return the command that a message begins with, if any."""
    return next((e for e in message.entities if e.type == "bot_command" and e.offset == 0), None)


def _mentions(message: TelegramMessage, entity: Entity, me: BotIdentity) -> bool:
    if entity.type == "text_mention":
        return entity.user is not None and entity.user.id == me.id
    return entity.type == "mention" and me.is_called(message.entity_text(entity).removeprefix("@"))


def _replies_to(message: TelegramMessage, me: BotIdentity) -> bool:
    """Whether it replies to the bot; in a topic, other messages point to the topic's first one."""
    answered = message.reply_to_message
    if answered is None or answered.sender is None or answered.sender.id != me.id:
        return False
    return not (message.is_topic_message and answered.message_id == message.message_thread_id)


def actor_of(person: TelegramUser, me: BotIdentity) -> Actor:
    """The person as the service names them."""
    return Actor(platform="telegram", workspace=str(me.id), user=str(person.id), name=person.name)
