"""An answer to a form that asks for one thing alone: its value, whatever small words it has."""

import re
from typing import Final

from cards.model import Field
from engine.text.claims.amounts import bare_number
from engine.text.claims.form_text import FormText
from engine.text.claims.words import option_words
from engine.text.claims.yes_or_no import answer_alone
from engine.text.values import is_other_unit

MAX_CHARS: Final = 60
"""Longer texts say more than one value."""
_AROUND: Final = " .。!！,，"
_LEAD: Final = re.compile(
    r"(?:(?:it|that|there)(?:['’]?s| is| are| was| were| will be| would be)"
    r"|we(?:['’]?re| are| have| need)|i(?:['’]?d| would)? (?:take|like|say|prefer|choose|need)"
    r"|make (?:it|that)|let(?:['’]?s| us) (?:say|take)|the|on|just|only|well|ok(?:ay)?"
    r"|so|please|then)(?![a-z])[\s,]*"
    r"|一共|总共|应该是|那就|我们有|我选|就[是选要用]?|那|嗯|是|选|要",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"(?<![a-z])(?:please|thanks|thank you|then|i (?:think|guess)|in total|altogether|ones?"
    r"|of (?:us|them)|will do|is fine)$|(?:谢谢|就行|就好|就可以|即可|[吧啊呢哦了])$",
    re.IGNORECASE,
)
_VAGUE: Final = re.compile(
    r"\?|吗|么$|(?<![a-z])(?:about|around|roughly|approx[a-z]*|or|not|no|maybe|perhaps|between"
    r"|except|but)(?![a-z])|大约|大概|左右|或|可能|不|没",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"[a-z][a-z-]{2,19}(?: of [a-z]{2,6})?|[个位名人件台份张只本条项套间次]{1,2}"
)
_COUNTS: Final = re.compile(
    r"(?<![a-z])(?:how many|number of|count)(?![a-z])|[a-z](?<!s)s$|几|多少|数量?$"
)
"""Labels that ask how many there are: what is counted may be called otherwise in the answer."""
_WORD: Final = re.compile(r"[a-z0-9]+")


def core_of(text: str) -> str:
    """The text without small words before and behind a value; "" for one that is too long."""
    said = text.strip(_AROUND)
    if len(said) > MAX_CHARS:
        return ""
    while (lead := _LEAD.match(said)) and lead.end() < len(said):
        said = said[lead.end() :]
    while (tail := _TAIL.search(said)) and tail.start():
        said = said[: tail.start()].rstrip(_AROUND)
    return said.strip(_AROUND)


def only_value(said: FormText, field: Field) -> str:
    """The field's value in a text that answers it alone; "" where none can surely be read."""
    text = said.text.strip(" .。!").lower()
    match field.type:
        case "boolean":
            return answer_alone(said.text, field)
        case _ if len(text) > MAX_CHARS or _VAGUE.search(text):
            return ""
        case "integer" | "number":
            return _number(said, field)
        case "choice":
            return _option(text, field)
    return ""


def _number(said: FormText, field: Field) -> str:
    """A number and what is counted, where the field has no unit that would have to stand there."""
    reading = said.reading_at(0)
    if reading is None or reading.kind != "number" or field.unit:
        return ""
    rest = said.text[reading.end :].strip(" .。!").lower()
    is_counted = bool(_COUNTED.fullmatch(rest)) and bool(_COUNTS.search(field.label.lower()))
    if not is_counted or (rest.isascii() and is_other_unit(rest, field.unit)):
        return ""
    alone = FormText(said.text[: reading.end].strip(), said.fields, said.today, said.entities)
    return bare_number(alone, field)


def _option(text: str, field: Field) -> str:
    """The one option that has all the words of the text."""
    words = {*_WORD.findall(text)}
    if not words or len(words) > len(text.split()):
        return ""
    having = {o for word, o in option_words(field) if words <= {*_WORD.findall(word.lower())}}
    return having.pop() if len(having) == 1 else ""
