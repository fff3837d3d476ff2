"""The sentence of a violation: what a rule's message says, with the value it found."""

import re
from typing import Any

from cards.clipping import shorten
from cards.markdown import format_value
from cards.model import Lang
from cards.texts import say
from engine.rules.operators import kind_of
from engine.text.language import Bilingual
from engine.yaml.faults import InnerFaults, Path, suggestion

LONGEST_QUOTE = 80
"""Characters of a value that a message quotes; the rest becomes `…`."""

_PLACE = re.compile(r"\{([^{}]*)\}")
_KNOWN = ("field", "value")

Message = str | Bilingual


def checked_message(message: Message) -> Message:
    """The message itself; raises InnerFaults when it has a placeholder that nothing fills."""
    texts: dict[Path, str] = (
        {(): message}
        if isinstance(message, str)
        else {
            ("zh",): message.zh,
            ("en",): message.en,
        }
    )
    faults = [
        (path, f"nothing fills {{{name}}}; {suggestion(name, _KNOWN)}")
        for path, text in texts.items()
        for name in _PLACE.findall(text)
        if name not in _KNOWN
    ]
    if faults:
        raise InnerFaults(faults)
    return message


def filled(message: Message, *, label: str, value: Any, lang: Lang) -> str:
    """A checked message as plain text: what is quoted is never read as a placeholder itself."""

    def quote(place: re.Match[str]) -> str:
        return label if place[1] == "field" else _quoted(value, lang)

    return _PLACE.sub(quote, message if isinstance(message, str) else message(lang))


def general(message: Message, *, label: str, lang: Lang) -> str:
    """A checked message as plain text about no record in particular: `…` stands for the value."""
    given = {"field": label, "value": "…"}
    text = message if isinstance(message, str) else message(lang)
    return _PLACE.sub(lambda place: given[place[1]], text)


def _quoted(value: Any, lang: Lang) -> str:
    """A value on one line, as a person would write it; never a list or a mapping as code."""
    if isinstance(value, bool):
        return say("choice.yes" if value else "choice.no", lang)
    kind = kind_of(value)
    if kind in ("number", "text", "date"):
        try:
            text = " ".join(format_value(value).split())
        except ValueError:
            # Python writes no whole number of more than some thousand digits.
            return say("rule.kind.number", lang)
        return shorten(text, LONGEST_QUOTE) or "—"
    return "—" if value is None else say(f"rule.kind.{kind}", lang)
