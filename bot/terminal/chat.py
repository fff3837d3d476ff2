"""`signoff chat`: a conversation in the terminal; cards are numbered choices."""

from collections.abc import Mapping
from typing import Any

from bot.terminal.client import (
    NO_REPLY,
    ChatClient,
    Entry,
    NoService,
    RequestRefused,
    Response,
    Speaker,
    enter_room,
)
from bot.terminal.formatting import (
    AnswerPrinter,
    NumberedButton,
    NumberedChoices,
    card_lines,
    lang_of,
    part_lines,
)
from bot.terminal.forms import Form, fill_form
from bot.terminal.html_text import strip_controls
from bot.terminal.output import paint
from bot.terminal.room import Room, View, is_open, part_states
from bot.terminal.screen import TerminalScreen, restored_terminal
from cards.model import Lang
from cards.texts import say

PROMPT = "> "
SILENT_S = 0.4
"""Without an entry for so long, the history or the outcome of a line is complete."""
CATCH_UP_S = 5.0
SETTLES_S = 60.0
_YES = ("y", "yes", "是")
HISTORY = 10
"""How many earlier messages are shown at the start."""


async def hold_chat(me: Speaker, *, link: str, lang: Lang) -> int:
    """Chat until the end of the input. Raises NoService, RequestRefused."""
    with restored_terminal():
        async with enter_room(me, link=link) as client:
            await _Chat(client, lang).go_on()
    return 0


class _Chat:
    def __init__(self, client: ChatClient, lang: Lang) -> None:
        self._client = client
        self._lang = lang
        self._screen = TerminalScreen()
        self._choices = NumberedChoices()
        self._printer = AnswerPrinter()
        self._room = Room(self._on_entry)
        self._is_live = False
        self._own_replies: set[str] = set()
        self._history: list[Entry] = []

    async def go_on(self) -> None:
        async with self._room.followed(self._client):
            await self._room.silent(SILENT_S, CATCH_UP_S)
            self._show_history()
            me = self._client.me
            told = say("terminal.here", self._lang, name=strip_controls(me.name), room=me.room)
            self._screen.show(paint(told, "dim"))
            while (line := await self._screen.line(PROMPT)) is not None:
                if line.strip():
                    await self._handle_line(line.strip())
            if self._screen.typed:
                self._screen.show("")
            else:
                await self._room.silent(SILENT_S, CATCH_UP_S)

    async def _handle_line(self, line: str) -> None:
        try:
            number = int(line) if line.isdecimal() and len(line) < 6 else 0
            if choice := self._choices.find(number):
                await self._choose(choice)
            elif self._choices.is_known(number):
                self._screen.show(say("terminal.gone", self._lang, number=number))
            else:
                self._own_replies.add(await self._client.say(line))
        except RequestRefused as refused:
            if refused.status in (401, NO_REPLY):
                raise
            self._screen.show(paint(say("terminal.refused", self._lang, why=refused), "red"))
        except NoService:
            self._screen.show(paint(say("terminal.not_sent", self._lang), "red"))
        if not self._screen.typed:
            await self._wait_for_answer()

    async def _choose(self, choice: NumberedButton) -> None:
        button = choice.button
        if button["form"]:
            own = Form(
                str(button["data"]), str(button["label"]), str(button["intro"]),
                tuple(button["form"]), choice.lang, bool(button.get("edits")),
            )  # fmt: skip
            answer = await fill_form(own, self._client, self._screen)
        else:
            answer = await self._tap(str(button["data"]), choice.lang)
            if form := answer.body.get("form"):
                asked = _form(form)
                answer = await fill_form(asked, self._client, self._screen) or Response(0, {})
        if answer and answer.status:
            self._show_outcome(answer, choice.lang)

    async def _tap(self, button: str, lang: Lang) -> Response:
        """Tap; a person who types is asked to confirm what cannot be taken back."""
        answer = await self._client.tap(button, confirmed=not self._screen.typed)
        asked = answer.body.get("confirm")
        if not asked:
            return answer
        told = (
            f"{strip_controls(str(asked['text']))} {strip_controls(str(asked['confirm']))} [y/N] "
        )
        line = await self._screen.line(told)
        if (line or "").strip().lower() not in _YES:
            self._screen.show(say("terminal.form_left", lang))
            return Response(0, {})
        return await self._client.tap(button)

    def _show_outcome(self, answer: Response, lang: Lang) -> None:
        told = answer.body.get("text") or answer.body.get("error")
        if answer.status == 202:
            self._screen.show(say("terminal.received", lang))
        elif answer.status == 200 and answer.body.get("ok"):
            self._screen.show(paint(strip_controls(str(told)), "green"))
        else:
            self._screen.show(paint(strip_controls(str(told or answer.status)), "red"))

    async def _wait_for_answer(self) -> None:
        """Without a terminal, wait for the answer to a line before the next is read."""
        await self._room.until(self._settled, SETTLES_S)
        await self._room.silent(SILENT_S, CATCH_UP_S)

    def _settled(self) -> bool:
        views = [self._room.shown.get(reply) for reply in self._own_replies]
        return all(view is not None and "working" not in part_states(view) for view in views)

    # ---- entries of the room

    def _on_entry(self, entry: Entry, before: View | None) -> None:
        if not self._is_live:
            if entry["op"] == "said":
                self._history.append(entry)
                self._room.shown[f"said {entry['id']}"] = _as_view(entry)
            return
        if entry["op"] == "said":
            if entry["person"] != self._client.me.id:
                self._screen.show(_format_message(entry, self._lang))
            return
        if entry["op"] == "draft":
            self._screen.show(*self._printer.next_lines(entry))
            return
        self._show(entry["view"], before, str(entry["id"]))

    def _show(self, view: View, before: View | None, message_id: str = "") -> None:
        text = "\n".join(part_lines(view, before))
        lines = self._printer.remaining_lines(message_id, text.split("\n")) if text else []
        card = view["card"]
        if card:
            numbered = self._choices.number_buttons(card, view["lang"])
            if before is None or before["card"] != card:
                lines += card_lines(card, lang_of(view), numbered)
        self._screen.show(*lines)

    def _show_history(self) -> None:
        """Show the latest messages, and every card that is still open."""
        said = {f"said {entry['id']}": entry for entry in self._history}
        earlier = list(self._room.shown.items())
        left_out = max(len(earlier) - HISTORY, 0)
        if left_out:
            told = say("terminal.earlier", self._lang, count=left_out)
            self._screen.show(paint(told, "dim"))
        for at, (name, view) in enumerate(earlier):
            if name in said:
                self._room.shown.pop(name)
                if at >= left_out:
                    self._screen.show(_format_message(said[name], self._lang))
            elif at >= left_out or is_open(view["card"]):
                self._show(view, None)
        self._is_live = True


def _form(form: Mapping[str, Any]) -> Form:
    return Form(
        str(form["data"]),
        str(form["title"]),
        str(form["intro"]),
        tuple(form["fields"]),
        str(form["lang"]),
        bool(form.get("edits")),
    )


def _format_message(entry: Entry, lang: Lang) -> str:
    name, text = strip_controls(str(entry["name"])), strip_controls(str(entry["text"]))
    return paint(say("terminal.said", lang, name=name, text=text), "cyan")


def _as_view(entry: Entry) -> View:
    return {"lang": "en", "parts": (), "card": None, "chart": None}
