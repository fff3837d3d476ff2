"""What a typed answer, a word or a button makes of a form that is being filled in."""

from collections.abc import Callable

from adapters.telegram.filling.asking import Pressed
from adapters.telegram.filling.filling import Filling, asked, checked, given, turned, went
from adapters.telegram.filling.forms import Prompt, PromptField, values_of
from adapters.telegram.filling.labels import label_of
from cards.showing.view import FormView

Step = Callable[[Filling], Filling]


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
