"""A form that is filled in one field at a time: its state, and each step.

Pure; the form handler keeps the state in the store between two steps (design §7).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Literal

from adapters.telegram.forms.prompts import Prompt, PromptField, label_of, parse_reply
from cards.fields.table import options_of
from cards.forms import FormFacts, check_form
from cards.frozen import Frozen
from cards.model import Field
from cards.shared_file import SharedFile
from cards.showing.view import FormView
from cards.texts import say
from cards.values import BadValue
from cards.visible import visible
from engine.ports.inbox_files import FILE_KINDS, check_upload, kind_of_name

Move = Literal["back", "skip", "clear"]
_SEEN = 8
_NO_FILES: Final[Mapping[str, SharedFile]] = MappingProxyType({})
LARGEST_MB = 20
"""The Bot API hands out no larger file (platform-facts B)."""

_DATA = re.compile(r"f1:([0-9a-f]{1,16}):([a-z])(?::(\d{1,3}))?(?::(\d{1,3}))?")


class FormProgress(Frozen):
    """A form that one person fills in; `id` names it on buttons, its key in the store the person.

    `at` is the field that is asked for, None when all is shown to be confirmed; `fault` is what is
    wrong with its last value. `uploads` are the files that were sent for fields. `passed` are
    fields left out on purpose. `seen` are the newest updates that were taken: one that comes again
    changes nothing.
    """

    id: str
    form: FormView
    values: dict[str, str] = {}
    uploads: dict[str, SharedFile] = {}
    passed: tuple[str, ...] = ()
    at: int | None = None
    fault: str = ""
    page: int = 0
    seen: tuple[int, ...] = ()

    @property
    def field(self) -> Field | None:
        """The field that is asked for, None at the end."""
        return None if self.at is None else self.form.fields[self.at]

    def value(self, field: Field) -> str:
        """The value entered for a field, "" for none."""
        return self.values.get(field.name, "")

    def with_seen(self, update_id: int) -> "FormProgress":
        """Return the same form, which has taken this update."""
        return self.model_copy(update={"seen": (*self.seen, update_id)[-_SEEN:]})


def begin_form(form: FormView, name: str) -> FormProgress:
    """Return a new form at its first field without a value."""
    values = {field.name: field.value for field in form.fields if field.value}
    return _go_on(FormProgress(id=name, form=form, values=values))


def enter_values(
    progress: FormProgress, values: dict[str, str], uploads: Mapping[str, SharedFile] = _NO_FILES
) -> FormProgress:
    """Enter values of one field or more; the first one with a fault is asked for again.

    A file is entered by its name, and is one of the `uploads` or was sent before.
    """
    form = progress.form
    named = [field for field in form.fields if field.name in values]
    facts = FormFacts(file=partial(_file_name, uploads))
    typed, faults = check_form(named, values, form.lang, facts)
    good = {f.name: values[f.name].strip() for f in named if f.name not in faults}
    passed = (*progress.passed, *(name for name in good if name not in typed))
    kept = {name: file for name, file in progress.uploads.items() if name not in values}
    new = {name: file for name, file in uploads.items() if name in good}
    entered = {"values": {**progress.values, **good}, "uploads": {**kept, **new}}
    after = progress.model_copy(update={**entered, "passed": passed, "fault": "", "page": 0})
    return return_to_fault(after, faults) if faults else _go_on(after)


def _file_name(uploads: Mapping[str, SharedFile], field: Field, text: str) -> str:
    """Return the name of a file as it is sent. Raises BadValue for what names none."""
    if file := uploads.get(field.name):
        check_upload(file, field.kinds or FILE_KINDS, LARGEST_MB)
    elif not kind_of_name(text):
        raise BadValue("telegram.send_file")
    return text


def return_to_fault(progress: FormProgress, faults: dict[str, str]) -> FormProgress:
    """Return to the first field with a fault; the others follow once it is right."""
    names = [field.name for field in progress.form.fields]
    first = next((name for name in names if name in faults), names[0])
    fault = faults.get(first) or " ".join(faults.values())
    left = {name: value for name, value in progress.values.items() if name not in faults}
    uploads = {name: file for name, file in progress.uploads.items() if name not in faults}
    stay = {"values": left, "uploads": uploads}
    return progress.model_copy(update={**stay, "at": names.index(first), "fault": fault, "page": 0})


def go_to_field(progress: FormProgress, index: int) -> FormProgress:
    """Go to the field of that number; nothing changes where there is none."""
    if not 0 <= index < len(progress.form.fields):
        return progress
    return progress.model_copy(update={"at": index, "fault": "", "page": 0})


def turn_page(progress: FormProgress, page: int) -> FormProgress:
    """Turn to another page of options or fields."""
    return progress.model_copy(update={"page": max(0, page)})


def move(progress: FormProgress, direction: Move) -> FormProgress:
    """Go back to the field before, on without a change, or on with this field emptied."""
    last, lang = len(progress.form.fields) - 1, progress.form.lang
    field = progress.field
    match direction:
        case "back" if progress.at == 0:
            return progress.model_copy(update={"fault": say("telegram.first", lang)})
        case "back":
            return go_to_field(progress, last if progress.at is None else progress.at - 1)
        case _ if field is None:
            return progress
        case "clear" if not field.required:
            return enter_values(progress, {field.name: ""})
        case "skip" if progress.value(field):
            return _go_on(progress)
        case "skip" if not field.required:
            return enter_values(progress, {field.name: ""})
        case _:
            return progress.model_copy(update={"fault": say("telegram.needed", lang)})


def check_all(progress: FormProgress) -> FormProgress:
    """Return the form as it is when it may be sent, else at the first field with a fault."""
    _, faults = check_form(progress.form.fields, progress.values, progress.form.lang)
    return return_to_fault(progress, faults) if faults else progress


def _go_on(progress: FormProgress) -> FormProgress:
    """Go to the first field without a value that was not passed, or to the end."""
    open_ = (
        number
        for number, field in enumerate(progress.form.fields)
        if not progress.value(field) and field.name not in progress.passed
    )
    return progress.model_copy(update={"at": next(open_, None), "fault": "", "page": 0})


Step = Callable[[FormProgress], FormProgress]


@dataclass(frozen=True, slots=True)
class FormButton:
    """What a button of ours means: the form's id, what to do, and the numbers that it needs."""

    form_id: str
    verb: str
    numbers: tuple[int, ...] = ()


def parse_form_button(data: str) -> FormButton | None:
    """Return what a button of a form means; None for any other button."""
    match = _DATA.fullmatch(data)
    if match is None:
        return None
    return FormButton(match[1], match[2], tuple(int(n) for n in match.groups()[2:] if n))


def step_of_word(word: str) -> Step | None:
    """Return the step of /back, /skip and /clear; None for any other word."""
    match word:
        case "back" | "skip" | "clear":
            return lambda progress: move(progress, word)
        case _:
            return None


def step_of_file(name: str, file: SharedFile) -> Step:
    """Return the step of a file that was sent for the field of that name."""
    return lambda form: enter_values(form, {name: visible(file.name) or "file"}, {name: file})


def step_of_reply(prompt: Prompt, text: str) -> Step:
    """Return the step of a reply to a prompt: its field's value, or lines "name: value"."""
    name = prompt.fields[0].name

    def step(progress: FormProgress) -> FormProgress:
        field = next((field for field in progress.form.fields if field.name == name), None)
        if field is None:
            return progress
        several = {} if field.multiline else _values_by_line(progress.form, text)
        return enter_values(progress, several or {name: parse_reply(prompt, text).get(name, text)})

    return step


def step_of_button(button: FormButton) -> Step:
    """Return the step of a button; one that does not fit the form changes nothing."""

    def step(progress: FormProgress) -> FormProgress:
        fields = progress.form.fields
        match button.verb, button.numbers:
            case "o", (at, number) if at < len(fields) and number < len(options_of(fields[at])):
                option = options_of(fields[at])[number]
                return enter_values(progress, {fields[at].name: option})
            case "k", (at,):
                return move(go_to_field(progress, at), "skip")
            case "e", (at,) if at < len(fields):
                return move(go_to_field(progress, at), "clear")
            case "c", (at,):
                return go_to_field(progress, at)
            case "p", (page,):
                return turn_page(progress, page)
            case "b", ():
                return move(progress, "back")
            case "s", ():
                return check_all(progress)
            case _:
                return progress

    return step


def _values_by_line(form: FormView, text: str) -> dict[str, str]:
    """Return values by name when the reply gives several fields, each in a line; else nothing."""
    every = tuple(
        PromptField(f.name, label_of(f, form.lang), lines=f.multiline) for f in form.fields
    )
    values = parse_reply(Prompt(form.data, every, form.lang), text)
    names = {field.name for field in form.fields}
    return values if len(values) > 1 and values.keys() <= names else {}
