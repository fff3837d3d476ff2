"""Handles forms that are filled in field by field: keeps them in the store, shows each step."""

from collections.abc import Callable
from contextlib import suppress
from typing import assert_never

import structlog
from pydantic import ValidationError

from adapters.telegram.forms.progress import (
    FormButton,
    FormProgress,
    Step,
    begin_form,
    check_all,
    parse_form_button,
    return_to_fault,
    step_of_button,
    step_of_file,
    step_of_reply,
    step_of_word,
)
from adapters.telegram.forms.prompts import Prompt
from adapters.telegram.forms.screens import closing_html, form_screen
from adapters.telegram.inbound.receive import (
    BotIdentity,
    actor_of,
    command_entity,
    files_of,
    prompt_answered,
)
from adapters.telegram.outbound.answers import Answers, Interaction
from adapters.telegram.payload import Payload, TelegramMessage
from cards.showing.view import FormView
from cards.texts import say
from engine.errors import StoreUnavailable
from engine.events import (
    Accepted,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotForUs,
    NotRecorded,
)
from engine.ports.platform import CheckFields, Intake
from engine.ports.storage.platform_texts import ExpiringTexts

KEEP_S = 14 * 24 * 3600.0
"""How long an unfinished form is kept, in seconds."""

REPEAT_S = 24 * 3600.0
"""How long Telegram may repeat an update, in seconds."""

_TRIES = 8
_log = structlog.get_logger(__name__)


class FormHandler:
    """Takes the updates that belong to unfinished forms."""

    def __init__(self, answers: Answers, texts: ExpiringTexts) -> None:
        self._answers = answers
        self._texts = texts
        self._check: CheckFields | None = None

    def check_fields_by(self, check: CheckFields) -> None:
        """Have each field judged so, as soon as it is given."""
        self._check = check

    async def begin(self, interaction: Interaction, form: FormView, me: BotIdentity) -> None:
        """Show the form's first step, or the one that this person had reached.

        Raises StoreUnavailable, TelegramError.
        """

        def step(old: FormProgress | None) -> FormProgress:
            if old is not None and old.form == form:
                return old
            return begin_form(form, f"{interaction.update_id:x}")

        await self._show(interaction, await self._update(interaction, me, step))

    async def take(self, interaction: Interaction, me: BotIdentity, intake: Intake) -> bool | None:
        """Handle an update; None when it belongs to no form, False when it has to come again.

        Raises TelegramError, PlatformError.
        """
        try:
            taken: bool | None = None
            if interaction.callback is None:
                taken = await self._take_message(interaction, me, intake)
            elif button := parse_form_button(interaction.callback.data):
                taken = await self._take_tap(interaction, button, me, intake)
            if taken:
                await self._note_answered(interaction, me)
            return taken
        except StoreUnavailable as error:
            _log.warning("telegram_form_not_recorded", error=str(error))
            if interaction.callback is None:
                return False
            await self._answers.answer_tap(
                interaction, say("card.not_recorded", interaction.person.lang), alert=True
            )
            return True

    async def _take_message(
        self, interaction: Interaction, me: BotIdentity, intake: Intake
    ) -> bool | None:
        """Take a reply to a prompt, or a command that steers a form."""
        prompt, word = (
            prompt_answered(interaction.message, me),
            _command_word(interaction.message, me),
        )
        if prompt is not None and not prompt.form_id:
            return None
        progress = await self._read(interaction, me) if interaction.message.file else None
        asked = _file_field(interaction, prompt, progress)
        if asked and interaction.message.file:
            step: Step | None = step_of_file(asked, interaction.message.file)
        elif interaction.message.file and not interaction.message.text:
            # Any other file alone is no value of a field: it goes to intake as a message.
            return True if await self._was_answered(interaction, me) else None
        else:
            step = step_of_word(word) or (
                step_of_reply(prompt, interaction.message.text) if prompt else None
            )
        if step and progress is None:
            progress = await self._read(interaction, me)
        if step is None or (prompt is None and progress is None):
            return None
        if await self._was_answered(interaction, me):
            return True
        if (interaction.message.file and not asked) and isinstance(
            await intake(_file_alone(interaction, me)), NotRecorded
        ):
            return False
        if progress is None or (prompt is not None and progress.id != prompt.form_id):
            await self._answers.say(interaction, say("telegram.form_gone", interaction.person.lang))
        elif word == "cancel":
            result = say("telegram.dropped", progress.form.lang)
            await self._forget(interaction, me, progress)
            await self._answers.post(
                interaction, closing_html(progress, result, interaction.mention)
            )
        else:
            step = await self._with_check(interaction, me, progress, step)
            await self._show(interaction, await self._take_step(interaction, me, progress.id, step))
        return True

    async def _with_check(
        self, interaction: Interaction, me: BotIdentity, progress: FormProgress, step: Step
    ) -> Step:
        """Return the step, which stays at a field whose new value the service refuses."""
        after = step(progress)
        stood = (progress.values, progress.uploads)
        new = {
            name: value
            for name, value in after.values.items()
            if value and (value, after.uploads.get(name)) != tuple(each.get(name) for each in stood)
        }
        if self._check is None or not new:
            return step
        given = self._submitted(interaction, me, after)
        uploads = {name: file for name, file in after.uploads.items() if name in new}
        given = given.model_copy(update={"values": new, "uploads": uploads})
        faults = dict(await self._check(given))
        return (lambda form: return_to_fault(step(form), faults)) if faults else step

    async def _take_tap(
        self, interaction: Interaction, button: FormButton, me: BotIdentity, intake: Intake
    ) -> bool:
        progress = await self._read(interaction, me)
        if await self._was_answered(interaction, me):
            await self._answers.answer_tap(interaction)
        elif progress is None or progress.id != button.form_id:
            await self._answers.answer_tap(
                interaction, say("telegram.form_gone", interaction.person.lang), alert=True
            )
        elif button.verb == "x":
            await self._answers.answer_tap(interaction)
            await self._forget(interaction, me, progress)
            await self._close(interaction, progress, say("telegram.dropped", progress.form.lang))
        elif button.verb == "s" and check_all(progress).at is None:
            await self._send(interaction, progress, me, intake)
        else:
            after = await self._take_step(interaction, me, progress.id, step_of_button(button))
            await self._answers.answer_tap(interaction)
            await self._show(interaction, after)
        return True

    async def _send(
        self, interaction: Interaction, progress: FormProgress, me: BotIdentity, intake: Intake
    ) -> None:
        """Hand the whole form to intake; fields with faults are asked for again."""
        outcome = await intake(self._submitted(interaction, me, progress))
        match outcome:
            case NotRecorded(text=text):
                await self._answers.answer_tap(interaction, text, alert=True)
            case FormRefused(errors=errors):
                after = await self._take_step(
                    interaction, me, progress.id, lambda form: return_to_fault(form, errors)
                )
                await self._answers.answer_tap(interaction)
                await self._show(interaction, after)
            case DirectAnswer(text=text, ok=ok):
                await self._finish(interaction, progress, me, text, ok=ok)
            case Accepted() | NotForUs() | FormWanted() | ConfirmWanted():
                await self._finish(interaction, progress, me, "", ok=True)
            case _:
                assert_never(outcome)

    def _submitted(
        self, interaction: Interaction, me: BotIdentity, progress: FormProgress
    ) -> FormSubmitted:
        return FormSubmitted(
            id=f"telegram:{me.id}:update:{interaction.update_id}",
            conversation=interaction.message.place.conversation(me.id),
            actor=actor_of(interaction.person, me),
            button=progress.form.data,
            values=progress.values,
            uploads=progress.uploads,
        )

    async def _finish(
        self,
        interaction: Interaction,
        progress: FormProgress,
        me: BotIdentity,
        text: str,
        *,
        ok: bool,
    ) -> None:
        await self._answers.answer_tap(interaction, text, alert=not ok)
        await self._forget(interaction, me, progress)
        result = text or say("telegram.sent", progress.form.lang)
        await self._close(interaction, progress, result)

    async def _close(self, interaction: Interaction, progress: FormProgress, result: str) -> None:
        await self._answers.replace(
            interaction, closing_html(progress, result, interaction.mention)
        )

    async def _show(self, interaction: Interaction, progress: FormProgress) -> None:
        """Show the step in place of the one whose button was tapped, else as a new message."""
        shown = form_screen(progress, interaction.mention)
        if interaction.callback is None or parse_form_button(interaction.callback.data) is None:
            await self._answers.post(interaction, shown.html, shown.markup)
        elif shown.keyboard is not None:
            await self._answers.replace(interaction, shown.html, shown.keyboard)
        else:
            await self._answers.replace_buttons(interaction)
            await self._answers.post(interaction, shown.html, shown.markup)

    async def _take_step(
        self, interaction: Interaction, me: BotIdentity, name: str, step: Step
    ) -> FormProgress:
        """Return the form of that id after a step. Raises StoreUnavailable when it is gone."""

        def take_step(old: FormProgress | None) -> FormProgress:
            if old is None or old.id != name:
                raise StoreUnavailable("the form has gone meanwhile")
            return step(old)

        return await self._update(interaction, me, take_step)

    async def _update(
        self,
        interaction: Interaction,
        me: BotIdentity,
        step: Callable[[FormProgress | None], FormProgress],
    ) -> FormProgress:
        """Store and return the form after a step; an update that comes again changes nothing."""
        name = _progress_key(interaction, me)
        for _ in range(_TRIES):
            was = await self._texts.read(name)
            old = _parse_progress(was)
            if old is not None and interaction.update_id in old.seen:
                return old
            new = step(old).with_seen(interaction.update_id)
            if await self._texts.write(name, new.model_dump_json(), was=was, keep_s=KEEP_S):
                return new
        raise StoreUnavailable(f"{name} kept changing")

    async def _was_answered(self, interaction: Interaction, me: BotIdentity) -> bool:
        """Whether this update came before and its answer was shown."""
        return bool(await self._texts.read(_answered_key(interaction, me)))

    async def _note_answered(self, interaction: Interaction, me: BotIdentity) -> None:
        with suppress(StoreUnavailable):
            await self._texts.write(_answered_key(interaction, me), "1", was="", keep_s=REPEAT_S)

    async def _read(self, interaction: Interaction, me: BotIdentity) -> FormProgress | None:
        return _parse_progress(await self._texts.read(_progress_key(interaction, me)))

    async def _forget(
        self, interaction: Interaction, me: BotIdentity, progress: FormProgress
    ) -> None:
        """Delete the form, unless a step came in between; then it expires."""
        was = progress.model_dump_json()
        await self._texts.write(_progress_key(interaction, me), "", was=was, keep_s=KEEP_S)


def _file_field(
    interaction: Interaction, prompt: Prompt | None, progress: FormProgress | None
) -> str:
    """Return the name of the field that a message's file is for; "" for none.

    It replies to the field's question, or comes alone while that is asked, in private.
    """
    message = interaction.message
    if progress is None or message.file is None:
        return ""
    if prompt is not None:
        name = prompt.fields[0].name if prompt.form_id == progress.id else ""
        field = next((each for each in progress.form.fields if each.name == name), None)
    else:
        alone = message.chat.type == "private" and not message.text
        # One that comes again is past its question.
        again = interaction.update_id in progress.seen
        files = (each for each in progress.form.fields if each.type == "file")
        field = (next(files, None) if again else progress.field) if alone else None
    return field.name if field is not None and field.type == "file" else ""


def _file_alone(interaction: Interaction, me: BotIdentity) -> MessageReceived:
    """Return the file that came with a form's reply as a message of its own."""
    return MessageReceived(
        id=f"telegram:{me.id}:update:{interaction.update_id}/files",
        conversation=interaction.message.place.conversation(me.id),
        actor=actor_of(interaction.person, me),
        text="",
        files=files_of(interaction.message),
    )


def interaction_of(payload: Payload) -> Interaction | None:
    """Return who sent this update and where; None where there is nobody to answer."""
    callback, message = payload.callback_query, payload.message
    if callback is not None and callback.message is not None:
        return Interaction(payload.update_id, callback.sender, callback.message, callback)
    if message is None or message.sender is None or message.sender.is_bot:
        return None
    return Interaction(payload.update_id, message.sender, message)


def needs_steps(form: FormView) -> bool:
    """Whether the form is filled in field by field, and not by one reply."""
    choice = any(field.type in ("choice", "file") for field in form.fields)
    return not form.edits and (len(form.fields) > 1 or choice)


def _progress_key(interaction: Interaction, me: BotIdentity) -> str:
    """Return the key of the one form of a person in a place."""
    return f"form:{interaction.message.place.conversation(me.id)}/{interaction.person.id}"


def _answered_key(interaction: Interaction, me: BotIdentity) -> str:
    return f"answered:{me.id}/{interaction.update_id}"


def _parse_progress(text: str) -> FormProgress | None:
    """Return the stored form; None for none, and for one of another version."""
    try:
        return FormProgress.model_validate_json(text) if text else None
    except ValidationError:
        return None


def _command_word(message: TelegramMessage, me: BotIdentity) -> str:
    """Return the name of the command for us that begins the message, "" for none."""
    entity = command_entity(message)
    if entity is None:
        return ""
    name, _, addressed = message.entity_text(entity).removeprefix("/").partition("@")
    return "" if addressed and not me.is_called(addressed) else name.lower()
