"""What a form's fields are called, and what may be given for them."""

from cards.forms import detailed, limits
from cards.model import Field, Lang
from cards.texts import say


def label_of(field: Field, lang: Lang) -> str:
    """What the field is called, with its unit."""
    return detailed(field.label, field.unit, lang)


def told_of(field: Field, lang: Lang, *, options: bool = True) -> str:
    """What may be given for the field, "" when nothing has to be said."""
    hints = [" / ".join(field.options) if options and field.type == "choice" else "", field.hint]
    hints.append(limits(field.minimum, field.maximum))
    hints += ["YYYY-MM-DD"] if field.type == "date" and not field.hint else []
    hints += [] if field.required else [say("telegram.optional", lang)]
    return say("list.clauses", lang).join(hint for hint in hints if hint)
