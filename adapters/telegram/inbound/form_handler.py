"""Who has forms filled in field by field: keeps them in the store, and shows each step."""

from collections.abc import Callable
from contextlib import suppress

import structlog
from pydantic import ValidationError

from adapters.telegram.forms.progress import (
    Filling,
    Pressed,
    Step,
    begun,
    checked,
    faulty,
    pressed,
    steered,
    tapped,
    typed,
)
from adapters.telegram.forms.screens import closing, screen
from adapters.telegram.inbound.receive import (
    BotIdentity,
    actor_of,
    command_mark,
    files_of,
    prompt_answered,
)
from adapters.telegram.outbound.answers import Answers, Interaction
from adapters.telegram.payload import Payload, TelegramMessage
from cards.showing.view import FormView
from cards.texts import say
from engine.errors import StoreUnavailable
from engine.events import DirectAnswer, FormRefused, FormSubmitted, MessageReceived, NotRecorded
from engine.ports.platform import Intake
from engine.ports.storage.platform_texts import ExpiringTexts

KEEP_S = 14 * 24 * 3600.0
"""How long a form that nobody goes on with is kept, in seconds."""

REPEATED_S = 24 * 3600.0
"""How long Telegram may bring an update again, in seconds."""

_TRIES = 8
_log = structlog.get_logger(__name__)


class Clerk:
    """Takes the updates that belong to forms which are being filled in."""

    def __init__(self, answers: Answers, slate: ExpiringTexts) -> None:
        self._answers = answers
        self._slate = slate

    async def begin(self, visit: Interaction, form: FormView, me: BotIdentity) -> None:
        """Show the form's first step, or the one where this person had got to.

        Raises StoreUnavailable, TelegramError.
        """

        def step(old: Filling | None) -> Filling:
            if old is not None and old.form == form:
                return old
            return begun(form, f"{visit.update:x}")

        await self._show(visit, await self._changed(visit, me, step))

    async def take(self, visit: Interaction, me: BotIdentity, intake: Intake) -> bool | None:
        """None for what belongs to no form; False when it has to come again, as not recorded.

        Raises TelegramError, PlatformError.
        """
        try:
            taken: bool | None = None
            if visit.callback is None:
                taken = await self._written(visit, me, intake)
            elif button := pressed(visit.callback.data):
                taken = await self._tapped(visit, button, me, intake)
            if taken:
                await self._note_answered(visit, me)
            return taken
        except StoreUnavailable as error:
            _log.warning("telegram_form_not_recorded", error=str(error))
            if visit.callback is None:
                return False
            await self._answers.tap(visit, say("card.not_recorded", visit.person.lang), alert=True)
            return True

    async def _written(self, visit: Interaction, me: BotIdentity, intake: Intake) -> bool | None:
        """A reply to a prompt, or one of the words that lead through a form."""
        prompt, word = prompt_answered(visit.at, me), _word(visit.at, me)
        if prompt is not None and not prompt.filling:
            return None
        if visit.at.file and not visit.at.text:
            # It says nothing for a field, and must not be lost.
            return None
        step = steered(word) or (typed(prompt, visit.at.text) if prompt else None)
        filling = await self._read(visit, me) if step else None
        if step is None or (prompt is None and filling is None):
            return None
        if await self._was_answered(visit, me):
            return True
        if visit.at.file and isinstance(await intake(_file_alone(visit, me)), NotRecorded):
            return False
        if filling is None or (prompt is not None and filling.id != prompt.filling):
            await self._answers.say(visit, say("telegram.form_gone", visit.person.lang))
        elif word == "cancel":
            told = say("telegram.dropped", filling.form.lang)
            await self._forget(visit, me, filling)
            await self._answers.post(visit, closing(filling, told, visit.mention))
        else:
            await self._show(visit, await self._stepped(visit, me, filling.id, step))
        return True

    async def _tapped(
        self, visit: Interaction, button: Pressed, me: BotIdentity, intake: Intake
    ) -> bool:
        filling = await self._read(visit, me)
        if await self._was_answered(visit, me):
            await self._answers.tap(visit)
        elif filling is None or filling.id != button.filling:
            await self._answers.tap(visit, say("telegram.form_gone", visit.person.lang), alert=True)
        elif button.verb == "x":
            await self._answers.tap(visit)
            await self._forget(visit, me, filling)
            await self._close(visit, filling, say("telegram.dropped", filling.form.lang))
        elif button.verb == "s" and checked(filling).at is None:
            await self._send(visit, filling, me, intake)
        else:
            after = await self._stepped(visit, me, filling.id, tapped(button))
            await self._answers.tap(visit)
            await self._show(visit, after)
        return True

    async def _send(
        self, visit: Interaction, filling: Filling, me: BotIdentity, intake: Intake
    ) -> None:
        """The whole form goes the way of every form; what is wrong with it is asked again."""
        submitted = FormSubmitted(
            id=f"telegram:{me.id}:update:{visit.update}",
            conversation=visit.at.place.conversation(me.id),
            actor=actor_of(visit.person, me),
            button=filling.form.data,
            values=filling.values,
        )
        match await intake(submitted):
            case NotRecorded(text=text):
                await self._answers.tap(visit, text, alert=True)
            case FormRefused(errors=errors):
                after = await self._stepped(visit, me, filling.id, lambda now: faulty(now, errors))
                await self._answers.tap(visit)
                await self._show(visit, after)
            case outcome:
                judged = outcome if isinstance(outcome, DirectAnswer) else DirectAnswer("", ok=True)
                await self._answers.tap(visit, judged.text, alert=not judged.ok)
                await self._forget(visit, me, filling)
                told = judged.text or say("telegram.sent", filling.form.lang)
                await self._close(visit, filling, told)

    async def _close(self, visit: Interaction, filling: Filling, told: str) -> None:
        await self._answers.replace(visit, closing(filling, told, visit.mention))

    async def _show(self, visit: Interaction, filling: Filling) -> None:
        """The step: in place of the one whose button was tapped, else as a new message."""
        shown = screen(filling, visit.mention)
        if visit.callback is None or pressed(visit.callback.data) is None:
            await self._answers.post(visit, shown.html, shown.markup)
        elif shown.keyboard is not None:
            await self._answers.replace(visit, shown.html, shown.keyboard)
        else:
            await self._answers.buttons(visit)
            await self._answers.post(visit, shown.html, shown.markup)

    async def _stepped(self, visit: Interaction, me: BotIdentity, name: str, step: Step) -> Filling:
        """The form of that id after a step; raises StoreUnavailable when it has just gone."""

        def stepped(old: Filling | None) -> Filling:
            if old is None or old.id != name:
                raise StoreUnavailable("the form has gone meanwhile")
            return step(old)

        return await self._changed(visit, me, stepped)

    async def _changed(
        self, visit: Interaction, me: BotIdentity, step: Callable[[Filling | None], Filling]
    ) -> Filling:
        """What stands after this update, which counts once, however often it comes."""
        name = _name(visit, me)
        for _ in range(_TRIES):
            was = await self._slate.read(name)
            old = _parsed(was)
            if old is not None and visit.update in old.seen:
                return old
            new = step(old).after(visit.update)
            if await self._slate.write(name, new.model_dump_json(), was=was, keep_s=KEEP_S):
                return new
        raise StoreUnavailable(f"{name} kept changing")

    async def _was_answered(self, visit: Interaction, me: BotIdentity) -> bool:
        """Whether this update's answer was shown, when Telegram brought it before."""
        return bool(await self._slate.read(_answered(visit, me)))

    async def _note_answered(self, visit: Interaction, me: BotIdentity) -> None:
        with suppress(StoreUnavailable):
            await self._slate.write(_answered(visit, me), "1", was="", keep_s=REPEATED_S)

    async def _read(self, visit: Interaction, me: BotIdentity) -> Filling | None:
        return _parsed(await self._slate.read(_name(visit, me)))

    async def _forget(self, visit: Interaction, me: BotIdentity, filling: Filling) -> None:
        """Unless a step came in between; then it is forgotten in time."""
        was = filling.model_dump_json()
        await self._slate.write(_name(visit, me), "", was=was, keep_s=KEEP_S)


def _file_alone(visit: Interaction, me: BotIdentity) -> MessageReceived:
    """The file that came with what was typed into a form: no field takes it."""
    return MessageReceived(
        id=f"telegram:{me.id}:update:{visit.update}/files",
        conversation=visit.at.place.conversation(me.id),
        actor=actor_of(visit.person, me),
        text="",
        files=files_of(visit.at),
    )


def visit_of(payload: Payload) -> Interaction | None:
    """Who came with this update and where; None where no person can be answered."""
    callback, message = payload.callback_query, payload.message
    if callback is not None and callback.message is not None:
        return Interaction(payload.update_id, callback.sender, callback.message, callback)
    if message is None or message.sender is None or message.sender.is_bot:
        return None
    return Interaction(payload.update_id, message.sender, message)


def fills(form: FormView) -> bool:
    """Whether the form is better filled in field by field than by one reply."""
    choice = any(field.type == "choice" for field in form.fields)
    return not form.edits and (len(form.fields) > 1 or choice)


def _name(visit: Interaction, me: BotIdentity) -> str:
    """One form at a time for each person and place."""
    return f"form:{visit.at.place.conversation(me.id)}/{visit.person.id}"


def _answered(visit: Interaction, me: BotIdentity) -> str:
    return f"answered:{me.id}/{visit.update}"


def _parsed(text: str) -> Filling | None:
    """What is kept; None for nothing, and for what another version of us wrote."""
    try:
        return Filling.model_validate_json(text) if text else None
    except ValidationError:
        return None


def _word(message: TelegramMessage, me: BotIdentity) -> str:
    """The command that the message is, if it is one for us."""
    entity = command_mark(message)
    if entity is None:
        return ""
    name, _, addressed = message.marked(entity).removeprefix("/").partition("@")
    return "" if addressed and not me.is_called(addressed) else name.lower()
