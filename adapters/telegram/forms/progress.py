"""A form that is filled in one field at a time: what stands, and what each step makes of it.

Pure; the clerk keeps it in the store between two steps (design §7).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from adapters.telegram.forms.prompts import Prompt, PromptField, label_of, values_of
from cards.forms import check_form
from cards.frozen import Frozen
from cards.model import Field
from cards.showing.view import FormView
from cards.texts import say

Way = Literal["back", "skip", "clear"]
_SEEN = 8
_DATA = re.compile(r"f1:([0-9a-f]{1,16}):([a-z])(?::(\d{1,3}))?(?::(\d{1,3}))?")


class Filling(Frozen):
    """Who fills in is in its name in the store; `id` names it on buttons.

    `at` is the field that is asked for, None when all is shown to be confirmed; `fault` is what is
    wrong with what was last given for it. `passed` are fields left out on purpose. `seen` are the
    newest updates that were taken: one that comes again changes nothing.
    """

    id: str
    form: FormView
    values: dict[str, str] = {}
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
        """What was given for a field, "" for nothing."""
        return self.values.get(field.name, "")

    def after(self, update_id: int) -> "Filling":
        """The same, that has seen this update."""
        return self.model_copy(update={"seen": (*self.seen, update_id)[-_SEEN:]})


def begun(form: FormView, name: str) -> Filling:
    """A form as it is first shown: what stands in it is only shown at the end."""
    values = {field.name: field.value for field in form.fields if field.value}
    return _onwards(Filling(id=name, form=form, values=values))


def given(filling: Filling, values: dict[str, str]) -> Filling:
    """With what was typed for one field or more; the first of them with a fault is asked again."""
    form = filling.form
    named = [field for field in form.fields if field.name in values]
    typed, faults = check_form(named, values, form.lang)
    good = {f.name: values[f.name].strip() for f in named if f.name not in faults}
    passed = (*filling.passed, *(name for name in good if name not in typed))
    after = filling.model_copy(
        update={"values": {**filling.values, **good}, "passed": passed, "fault": "", "page": 0}
    )
    return faulty(after, faults) if faults else _onwards(after)


def faulty(filling: Filling, faults: dict[str, str]) -> Filling:
    """Asked again for the first field that has a fault; the others are in turn when it is well."""
    names = [field.name for field in filling.form.fields]
    first = next((name for name in names if name in faults), names[0])
    told = faults.get(first) or " ".join(faults.values())
    left = {name: value for name, value in filling.values.items() if name not in faults}
    return filling.model_copy(
        update={"values": left, "at": names.index(first), "fault": told, "page": 0}
    )


def asked(filling: Filling, index: int) -> Filling:
    """At the field of that number, to have it changed; unchanged for a number it has not."""
    if not 0 <= index < len(filling.form.fields):
        return filling
    return filling.model_copy(update={"at": index, "fault": "", "page": 0})


def turned(filling: Filling, page: int) -> Filling:
    """At another page of what is shown."""
    return filling.model_copy(update={"page": max(0, page)})


def went(filling: Filling, way: Way) -> Filling:
    """Back to the field before, on without a change, or on with nothing in this field."""
    last, lang = len(filling.form.fields) - 1, filling.form.lang
    field = filling.field
    match way:
        case "back" if filling.at == 0:
            return filling.model_copy(update={"fault": say("telegram.first", lang)})
        case "back":
            return asked(filling, last if filling.at is None else filling.at - 1)
        case _ if field is None:
            return filling
        case "clear" if not field.required:
            return given(filling, {field.name: ""})
        case "skip" if filling.value(field):
            return _onwards(filling)
        case "skip" if not field.required:
            return given(filling, {field.name: ""})
        case _:
            return filling.model_copy(update={"fault": say("telegram.needed", lang)})


def checked(filling: Filling) -> Filling:
    """As it may be sent (at the end), or at the first field that keeps it from being so."""
    _, faults = check_form(filling.form.fields, filling.values, filling.form.lang)
    return faulty(filling, faults) if faults else filling


def _onwards(filling: Filling) -> Filling:
    """At the first field that nothing was given for yet, or at the end."""
    open_ = (
        number
        for number, field in enumerate(filling.form.fields)
        if not filling.value(field) and field.name not in filling.passed
    )
    return filling.model_copy(update={"at": next(open_, None), "fault": "", "page": 0})


Step = Callable[[Filling], Filling]


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a button of ours means: the form's id, what to do, and the numbers it is done with."""

    filling: str
    verb: str
    numbers: tuple[int, ...] = ()


def pressed(data: str) -> Pressed | None:
    """What a button of a form means; None for any other button."""
    match = _DATA.fullmatch(data)
    if match is None:
        return None
    return Pressed(match[1], match[2], tuple(int(n) for n in match.groups()[2:] if n))


def steered(word: str) -> Step | None:
    """The step of /back, /skip and /clear; None for any other word."""
    match word:
        case "back" | "skip" | "clear":
            return lambda filling: went(filling, word)
        case _:
            return None


def typed(prompt: Prompt, text: str) -> Step:
    """The step of a reply to a prompt: its field's value, or several lines "name: value"."""
    name = prompt.fields[0].name

    def step(filling: Filling) -> Filling:
        field = next((field for field in filling.form.fields if field.name == name), None)
        if field is None:
            return filling
        several = {} if field.multiline else _several(filling.form, text)
        return given(filling, several or {name: values_of(prompt, text).get(name, text)})

    return step


def tapped(button: Pressed) -> Step:
    """The step of a button; one that does not fit the form changes nothing."""

    def step(filling: Filling) -> Filling:
        fields = filling.form.fields
        match button.verb, button.numbers:
            case "o", (at, option) if at < len(fields) and option < len(fields[at].options):
                return given(filling, {fields[at].name: fields[at].options[option]})
            case "k", (at,):
                return went(asked(filling, at), "skip")
            case "e", (at,) if at < len(fields):
                return went(asked(filling, at), "clear")
            case "c", (at,):
                return asked(filling, at)
            case "p", (page,):
                return turned(filling, page)
            case "b", ():
                return went(filling, "back")
            case "s", ():
                return checked(filling)
            case _:
                return filling

    return step


def _several(form: FormView, text: str) -> dict[str, str]:
    """Values by name when the reply gives more than one of the fields, each in its line."""
    every = tuple(
        PromptField(f.name, label_of(f, form.lang), lines=f.multiline) for f in form.fields
    )
    values = values_of(Prompt(form.data, every, form.lang), text)
    names = {field.name for field in form.fields}
    return values if len(values) > 1 and values.keys() <= names else {}
