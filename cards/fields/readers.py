"""How a text is read as a value of each type; all raise BadValue, with a sentence for people."""

import re
import unicodedata
from datetime import date, time
from typing import Final
from urllib.parse import urlsplit

from cards.clipping import units
from cards.fields.money import read_currency_amount
from cards.texts import say
from cards.values import NO, YES, BadValue, Value, ValueRules

MAX_TEXT = 2_000
"""The longest text, in UTF-16 units as platforms count; a line break is one."""

MAX_LIST = 20_000
"""The longest text of a list's rows, counted alike."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,15}(\.[0-9]{0,15})?|\.[0-9]{1,15})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_YES: Final = frozenset({"yes", "y", "true", "是", "对"})
_NO: Final = frozenset({"no", "n", "false", "否", "不"})


def is_storable(text: str) -> bool:
    """Whether the text can be stored and sent: no half characters, no NUL."""
    return not _UNSTORABLE.search(text)


def option_label(spec: ValueRules, option: str, lang: str) -> str:
    """Return what people read for an option."""
    if spec.type == "boolean":
        return say("choice.yes" if option == YES else "choice.no", lang)
    return spec.label_of(option, lang)


def _plain(text: str) -> str:
    # A typographic minus is what phones put in place of a hyphen; NFKC leaves it alone.
    cut = unicodedata.normalize("NFKC", text[:100])
    return cut.replace("\N{MINUS SIGN}", "-").strip()


def _match(form: re.Pattern[str], text: str, key: str) -> str:
    plain = _plain(text)
    if not form.fullmatch(plain):
        raise BadValue(key)
    return plain


def read_text(spec: ValueRules, text: str, lang: str) -> str:
    """A text as it stands, its line breaks alike."""
    return read_lines(text, MAX_TEXT)


def read_lines(text: str, limit: int) -> str:
    """Return a text of at most so many units, its line breaks alike. Raises BadValue."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if units(text) > limit:
        raise BadValue("form.long", limit=limit)
    if not is_storable(text):
        raise BadValue("form.unstorable")
    return text


def read_integer(spec: ValueRules, text: str, lang: str) -> int:
    """A whole number, also in full width."""
    return int(_match(_WHOLE, text, "form.integer"))


def read_number(spec: ValueRules, text: str, lang: str) -> float:
    """A number with a decimal point, also in full width."""
    return float(_match(_NUMBER, text, "form.number"))


def read_money(spec: ValueRules, text: str, lang: str) -> Value:
    """An amount in a currency."""
    return read_currency_amount(text, spec.currencies, lang)


def read_date(spec: ValueRules, text: str, lang: str) -> str:
    """A day, as ISO text."""
    return parse_date(text)


def read_time(spec: ValueRules, text: str, lang: str) -> str:
    """A time of day: hours and minutes in two digits each, seconds if there are any."""
    return parse_time(text)


def parse_date(text: str) -> str:
    """Return a day as ISO text; days sort as texts do."""
    try:
        return date.fromisoformat(_match(_DATE, text, "form.date")).isoformat()
    except ValueError:
        raise BadValue("form.date") from None


def parse_time(text: str) -> str:
    """Return a time of day as ISO text; times sort as texts do."""
    match = _TIME.fullmatch(_plain(text))
    try:
        hour, minute, second = (int(part or 0) for part in match.groups()) if match else (24, 0, 0)
        read = time(hour, minute, second)
    except ValueError:
        raise BadValue("form.time") from None
    return read.isoformat("seconds" if read.second else "minutes")


def read_choice(spec: ValueRules, text: str, lang: str) -> Value:
    """The option that the text is, or that has it as its label."""
    if text in spec.options:
        return text
    said = _plain(text).casefold()
    meant = [o for o in spec.options if said == option_label(spec, o, lang).casefold()]
    if len(meant) != 1:
        labels = [option_label(spec, option, lang) for option in spec.options]
        raise BadValue("form.choice", options=say("list.items", lang).join(labels))
    return meant[0]


def read_boolean(spec: ValueRules, text: str, lang: str) -> bool:
    """Yes or no, in either language."""
    said = _plain(text).casefold().rstrip(".!。！")
    if said in _YES or said == option_label(spec, YES, lang).casefold():
        return True
    if said in _NO or said == option_label(spec, NO, lang).casefold():
        return False
    raise BadValue("form.boolean")


def read_email(spec: ValueRules, text: str, lang: str) -> str:
    """An address as mail is sent to it; nobody looks it up."""
    # Loaded by the first address: it brings the rules of the whole world.
    from email_validator import EmailNotValidError, validate_email

    try:
        return validate_email(text[:400], check_deliverability=False).normalized
    except EmailNotValidError:
        raise BadValue("form.email") from None


def read_url(spec: ValueRules, text: str, lang: str) -> str:
    """An http or https address with a host, and nobody's name before it."""
    text = read_text(spec, text, lang)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    # A name before the host makes an address look like one of somebody else's.
    if not host or parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise BadValue("form.url")
    if _BLANK.search(text):
        raise BadValue("form.url")
    return text


def read_entity(spec: ValueRules, text: str, lang: str) -> Value:
    """An id: one of the options, where there are some."""
    return read_choice(spec, text, lang) if spec.options else read_text(spec, text, lang)
