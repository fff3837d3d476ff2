"""Forms of cards, asked field by field; the service judges the values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.terminal.client import ChatClient, Response
from bot.terminal.html_text import strip_controls
from bot.terminal.output import paint
from bot.terminal.screen import TerminalScreen
from cards.fields.table import FIELD_TYPES
from cards.forms import range_text
from cards.model import Lang
from cards.texts import say

FieldData = Mapping[str, Any]
_BACK, _LEAVE, _EMPTY = "/back", "/cancel", "-"


@dataclass(frozen=True, slots=True)
class Form:
    """A form: its button, title, introduction and fields. One that `edits` takes names of files."""

    button: str
    title: str
    intro: str
    fields: tuple[FieldData, ...]
    lang: Lang
    edits: bool = False


class FormLeft(Exception):
    """The person leaves the form; nothing is sent."""


async def fill_form(form: Form, chat: ChatClient, screen: TerminalScreen) -> Response | None:
    """Ask for the values, send them, and ask again for faulty ones; None when the person leaves."""
    screen.show(
        paint(strip_controls(form.title), "bold"), *(filter(None, [strip_controls(form.intro)]))
    )
    screen.show(paint(say("terminal.form", form.lang), "dim"))
    values = {str(field["name"]): str(field["value"]) for field in form.fields}
    wanted: Sequence[FieldData] = form.fields
    while True:
        try:
            await _ask_fields(wanted, values, form.lang, screen)
        except FormLeft:
            screen.show(say("terminal.form_left", form.lang))
            return None
        files, faults = await _send_files(form, values, chat)
        if not faults:
            names = {name: file["name"] for name, file in files.items()}
            answer = await chat.fill(form.button, {**values, **names}, files)
            if answer.status != 422:
                return answer
            faults = answer.body.get("errors", {})
        screen.show(*_faults(faults, form))
        # A fault of an unknown field: ask for all of them again.
        wanted = [field for field in form.fields if field["name"] in faults] or form.fields


async def _send_files(
    form: Form, values: dict[str, str], chat: ChatClient
) -> tuple[dict[str, Mapping[str, str]], dict[str, str]]:
    """Send the files whose paths stand among the values; a sentence for each that cannot be sent.

    What has no slash is the name of a file that was sent before.
    """
    sent: dict[str, Mapping[str, str]] = {}
    faults: dict[str, str] = {}
    asked = [str(f["name"]) for f in form.fields if f["type"] == "file" and not form.edits]
    for name in asked:
        if "/" not in values[name]:
            continue
        path = _path_of(values[name])
        try:
            answer = await chat.upload(path)
        except OSError:
            faults[name] = say("terminal.no_file", form.lang, path=values[name])
            continue
        if answer.status == 201:
            sent[name] = {"id": str(answer.body["id"]), "name": path.name}
        else:
            why = answer.body.get("error", answer.status)
            faults[name] = say("terminal.refused", form.lang, why=why)
    return sent, faults


def _path_of(text: str) -> Path:
    return Path(text).expanduser() if text.startswith("~/") else Path(text)


async def _ask_fields(
    fields: Sequence[FieldData], values: dict[str, str], lang: Lang, screen: TerminalScreen
) -> None:
    at = 0
    while at < len(fields):
        name = str(fields[at]["name"])
        given = await _ask_field(fields[at], values[name], lang, screen)
        if given is None:
            at = max(at - 1, 0)
            continue
        values[name] = given
        at += 1


async def _ask_field(
    field: FieldData, value: str, lang: Lang, screen: TerminalScreen
) -> str | None:
    """The value that is typed for the field; None to go back. Raises FormLeft."""
    while True:
        line = await screen.line(_prompt(field, value, lang))
        if line is None or line.strip() == _LEAVE:
            raise FormLeft
        text = line.strip()
        if text == _BACK:
            return None
        given = value if not text else "" if text == _EMPTY else _resolve_option(field, text)
        if given or not field["required"]:
            return given
        screen.show(paint(say("terminal.needed", lang), "red"))


def _resolve_option(field: FieldData, text: str) -> str:
    """The option of a typed number, unless the number itself is an option; else the text."""
    options = _options(field)
    if text not in options and _numbered(options) and text.isdecimal():
        at = int(text) - 1
        return list(options)[at] if 0 <= at < len(options) else text
    return text


def _options(field: FieldData) -> dict[str, str]:
    """What people read for each option."""
    labels = field.get("labels", {})
    return {str(each): strip_controls(str(labels.get(each, each))) for each in field["options"]}


def _prompt(field: FieldData, value: str, lang: Lang) -> str:
    about = [strip_controls(str(field["label"]))]
    if field["unit"]:
        about.append(f"({strip_controls(str(field['unit']))})")
    if limited := range_text(field["minimum"], field["maximum"], lang):
        about.append(f"({limited})")
    if options := _options(field):
        numbers = enumerate(options.values(), 1)
        told = [f"{n}) {label}" for n, label in numbers] if _numbered(options) else options.values()
        about.append("– " + say("terminal.options", lang, options=", ".join(told)))
    if not field["required"]:
        about.append(f"({say('terminal.optional', lang)})")
    written = say("terminal.file", lang) if field["type"] == "file" else ""
    if hint := field["hint"] or written or FIELD_TYPES[field["type"]].form:
        about.append(f"– {strip_controls(str(hint))}")
    stood = strip_controls(_options(field).get(value, value))
    kept = f" [{' '.join(stood.split())}]" if value else ""
    return f"{' '.join(about)}{kept}: "


def _numbered(options: Collection[str]) -> bool:
    return bool(options) and not any(option.isdecimal() for option in options)


def _faults(faults: Mapping[str, Any], form: Form) -> list[str]:
    labels = {str(field["name"]): str(field["label"]) for field in form.fields}
    told = [
        f"  {strip_controls(labels[name])}: {strip_controls(str(why))}"
        if name in labels
        else f"  {why}"
        for name, why in faults.items()
    ]
    return [paint(say("terminal.fix", form.lang), "red"), *told]
