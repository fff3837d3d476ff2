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
"""History has been told, and what a line led to, when nothing has come for so long."""
CATCH_UP_S = 5.0
SETTLES_S = 60.0
_YES = ("y", "yes", "是")
HISTORY = 10
"""So many earlier messages are shown at the start."""


async def hold_chat(me: Speaker, *, link: str, lang: Lang) -> int:
    """Talks until the end of the input. Raises NoService, Refused."""
    with restored_terminal():
        async with enter_room(me, link=link) as talking:
            await _Chat(talking, lang).go_on()
    return 0


class _Chat:
    def __init__(self, talking: ChatClient, lang: Lang) -> None:
        self._chat = talking
        self._lang = lang
        self._screen = TerminalScreen()
        self._choices = NumberedChoices()
        self._growing = AnswerPrinter()
        self._room = Room(self._changed)
        self._live = False
        self._mine: set[str] = set()
        self._said: list[Entry] = []

    async def go_on(self) -> None:
        async with self._room.followed(self._chat):
            await self._room.silent(SILENT_S, CATCH_UP_S)
            self._show_history()
            me = self._chat.me
            told = say("terminal.here", self._lang, name=strip_controls(me.name), room=me.room)
            self._screen.show(paint(told, "dim"))
            while (line := await self._screen.line(PROMPT)) is not None:
                if line.strip():
                    await self._take(line.strip())
            if self._screen.typed:
                self._screen.show("")
            else:
                await self._room.silent(SILENT_S, CATCH_UP_S)

    async def _take(self, line: str) -> None:
        try:
            number = int(line) if line.isdecimal() and len(line) < 6 else 0
            if choice := self._choices.find(number):
                await self._choose(choice)
            elif self._choices.was(number):
                self._screen.show(say("terminal.gone", self._lang, number=number))
            else:
                self._mine.add(await self._chat.say(line))
        except RequestRefused as refused:
            if refused.status in (401, NO_REPLY):
                raise
            self._screen.show(paint(say("terminal.refused", self._lang, why=refused), "red"))
        except NoService:
            self._screen.show(paint(say("terminal.not_sent", self._lang), "red"))
        if not self._screen.typed:
            await self._quiet()

    async def _choose(self, choice: NumberedButton) -> None:
        button = choice.button
        if button["form"]:
            own = Form(
                str(button["data"]), str(button["label"]), str(button["intro"]),
                tuple(button["form"]), choice.lang,
            )  # fmt: skip
            answer = await fill_form(own, self._chat, self._screen)
        else:
            answer = await self._tapped(str(button["data"]), choice.lang)
            if form := answer.body.get("form"):
                asked = _form(form)
                answer = await fill_form(asked, self._chat, self._screen) or Response(0, {})
        if answer and answer.status:
            self._tell(answer, choice.lang)

    async def _tapped(self, button: str, lang: Lang) -> Response:
        """Who types is asked before what cannot be taken back; what is piped in is meant."""
        answer = await self._chat.tap(button, confirmed=not self._screen.typed)
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
        return await self._chat.tap(button)

    def _tell(self, answer: Response, lang: Lang) -> None:
        told = answer.body.get("text") or answer.body.get("error")
        if answer.status == 202:
            self._screen.show(say("terminal.received", lang))
        elif answer.status == 200 and answer.body.get("ok"):
            self._screen.show(paint(strip_controls(str(told)), "green"))
        else:
            self._screen.show(paint(strip_controls(str(told or answer.status)), "red"))

    async def _quiet(self) -> None:
        """Without a terminal: nothing more is read before what was read has its answer."""
        await self._room.until(self._settled, SETTLES_S)
        await self._room.silent(SILENT_S, CATCH_UP_S)

    def _settled(self) -> bool:
        views = [self._room.shown.get(reply) for reply in self._mine]
        return all(view is not None and "working" not in part_states(view) for view in views)

    # ---- what comes

    def _changed(self, entry: Entry, before: View | None) -> None:
        if not self._live:
            if entry["op"] == "said":
                self._said.append(entry)
                self._room.shown[f"said {entry['id']}"] = _as_view(entry)
            return
        if entry["op"] == "said":
            if entry["person"] != self._chat.me.id:
                self._screen.show(_format_message(entry, self._lang))
            return
        if entry["op"] == "draft":
            self._screen.show(*self._growing.more(entry))
            return
        self._show(entry["view"], before, str(entry["id"]))

    def _show(self, view: View, before: View | None, message_id: str = "") -> None:
        text = "\n".join(part_lines(view, before))
        lines = self._growing.rest(message_id, text.split("\n")) if text else []
        card = view["card"]
        if card:
            numbered = self._choices.see(card, view["lang"])
            if before is None or before["card"] != card:
                lines += card_lines(card, lang_of(view), numbered)
        self._screen.show(*lines)

    def _show_history(self) -> None:
        """The latest messages, and every card that is open still."""
        said = {f"said {entry['id']}": entry for entry in self._said}
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
        self._live = True


def _form(form: Mapping[str, Any]) -> Form:
    return Form(
        str(form["data"]),
        str(form["title"]),
        str(form["intro"]),
        tuple(form["fields"]),
        str(form["lang"]),
    )


def _format_message(entry: Entry, lang: Lang) -> str:
    name, text = strip_controls(str(entry["name"])), strip_controls(str(entry["text"]))
    return paint(say("terminal.said", lang, name=name, text=text), "cyan")


def _as_view(entry: Entry) -> View:
    return {"lang": "en", "parts": (), "card": None, "chart": None}
