"""How a text says that something is to be another: what leads in to it, and verbs of change."""

import re

from engine.text.claims.form_text import NEAR

_LEAD = re.compile(
    r"\s{0,9}(?:(?:oh|ah|oops|well|actually|sorry|no|nope|wait|i mean"
    r"|不好意思|抱歉|对不起|不对|不是|错了|哦|不)\s{0,3}[,:，]\s{0,3}){1,4}(?=[^\s.!?。])",
    re.IGNORECASE,
)
_IT_IS = re.compile(
    r"(?:(?:it|that|this)(?:'s|\s(?:is|was|should be))\s{1,3}|(?:这|那|应该)?是\s{0,3})(?=\S)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?:(?<![a-z])(?:chang|correct|updat|mov|switch|set|mak|put)(?:e|es|ed|ing)?(?![a-z])|改|换|更)"
    r"[^,;.!?。]{0,60}$",
    re.IGNORECASE,
)
_TO = re.compile(r"(?:in)?to\s{1,3}", re.IGNORECASE)
_ZH_TO = re.compile(r"(?:改成|改为|改到|换成|换为|换到|变成|更正为|更改为|修改为|设为)\s{0,3}")


def lead_end(text: str) -> int:
    """Where what leads in to a correction ends ("sorry, …", "不对，…"); 0 for none."""
    match = _LEAD.match(text)
    return match.end() if match else 0


def without_lead(text: str) -> str:
    """What a correction puts in the place of something: "stairwell C" of "sorry, it is …"."""
    end = lead_end(text)
    return text[_after_it_is(text, end) :].strip() if end else text


def _after_it_is(text: str, at: int) -> int:
    match = _IT_IS.match(text, at)
    return match.end() if match else at


def value_begins(text: str, named: int, begin: int) -> int:
    """Where the value begins behind a field's name that stands at `named`.

    A verb of change has a "to" before its value, which is no word of it.
    """
    if match := _ZH_TO.match(text, begin):
        return match.end()
    changed = _VERB.search(text[max(0, named - NEAR) : named])
    match = _TO.match(text, begin) if changed else None
    return match.end() if match else begin
