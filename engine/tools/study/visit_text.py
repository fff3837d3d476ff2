"""Fields of a visit as Markdown, and an unknown subject, for the tools of the study."""

from typing import Any

from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say


def field_name(name: str, lang: Lang) -> str:
    """What people call a field of a visit."""
    return say(f"tool.field.{name}", lang)


def tell_value(name: str, visit: dict[str, Any], lang: Lang) -> str:
    """One field of a visit as Markdown, in bold; what was not recorded is said to be so."""
    missing = "tool.none_recorded" if name == "adverse_event" else "tool.not_recorded"
    return f"**{_shown(name, visit) or say(missing, lang)}**"


def tell_unknown(result: dict[str, Any], lang: Lang) -> str:
    """That a subject is not in the study, and who is close to what was asked."""
    who, nearest = literal(result["subject_id"]), map(literal, result["nearest"])
    if not result["nearest"]:
        return say("tool.no_subject", lang, who=who)
    ids = say("list.items", lang).join(nearest)
    return say("tool.no_subject_near", lang, who=who, ids=ids)


def _shown(name: str, visit: dict[str, Any]) -> str:
    """The value with its unit, "" for none."""
    if name == "blood_pressure":
        pair = visit["systolic"], visit["diastolic"]
        return "" if pair == (None, None) else f"{'/'.join(map(_or_dash, pair))} mmHg"
    value = visit[name]
    if value is None:
        return ""
    if name == "weight_kg":
        return f"{format_value(value)} kg"
    return literal(value) if name == "adverse_event" else str(value)


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)
