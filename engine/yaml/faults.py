"""What is wrong with a definition, in plain words: pydantic's errors translated (design §3.6)."""

import difflib
import json
import re
import types
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

Path = tuple[str | int, ...]
Fault = tuple[Path, str]

_WANTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "mapping_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "date_type": "a date like 2026-01-31",
    "date_parsing": "a date like 2026-01-31",
    "date_from_datetime_parsing": "a date like 2026-01-31",
    "date_from_datetime_inexact": "a date like 2026-01-31",
    "datetime_type": "a time like 2026-01-31T09:30:00Z",
    "datetime_parsing": "a time like 2026-01-31T09:30:00Z",
    "datetime_from_date_parsing": "a time like 2026-01-31T09:30:00Z",
    "none_required": "empty",
}
_LIMITS = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "string_too_short": "text of at least {min_length} characters",
    "string_too_long": "text of at most {max_length} characters",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_short": "of at least {min_length} entries",
    "too_long": "of at most {max_length} entries",
}


class InnerFaults(ValueError):
    """Raised by a validator that knows where inside its value each fault lies."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(_inline(path, message) for path, message in faults))
        self.faults = tuple(faults)


def suggestion(word: str, known: Collection[str]) -> str:
    """`did you mean 'x'?`, or the known words when none is near, or "" when there are none."""
    near = difflib.get_close_matches(word, sorted(known), n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known here: {', '.join(sorted(known))}" if known else ""


def short_repr(value: object) -> str:
    """A value as short text on one line, for a message."""
    match value:
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case str():
            return repr(value if len(value) <= 40 else value[:39] + "…")
        case bool() | int() | float() | None:
            return json.dumps(value)
    return repr(value)


def key_text(key: str | int) -> str:
    """A key or an index as part of a dotted path, always short and on one line."""
    text = str(key)
    return text if text.isprintable() and len(text) <= 60 else ascii(text[:60])


def describe_errors(model: type[BaseModel], error: ValidationError) -> list[Fault]:
    """Every fault with its path in the data; of a union only the member that was likely meant."""
    errors = error.errors(include_url=False)
    found = [_to_schema_error(model, details) for details in errors if not _is_echo(details)]
    return [fault for each in _drop_union_noise(found, 0) for fault in each.faults]


@dataclass(frozen=True, slots=True)
class _SchemaError:
    """One error; `members` are the union members on its way, `wanted` a bare mismatch of type.

    `shape` when a key is missing or unknown: the sign of a union member that was not meant.
    """

    faults: tuple[Fault, ...]
    members: tuple[tuple[Path, str], ...]
    path: Path
    wanted: str = ""
    value: object = None
    shape: bool = False


def _to_schema_error(model: type[BaseModel], details: ErrorDetails) -> _SchemaError:
    path, members, known = _trail(model, details["loc"])
    kind, value = details["type"], details["input"]
    context: dict[str, Any] = details.get("ctx", {})
    wanted = _WANTED.get(kind, "")
    if kind == "literal_error":
        wanted = context["expected"]
    if wanted:
        told = _mismatch(wanted, value) + _nearest(value, wanted)
        return _SchemaError(((path, told),), members, path, wanted, value)
    inner = context.get("error")
    if isinstance(inner, InnerFaults):
        faults = tuple(((*path, *deeper), message) for deeper, message in inner.faults)
        return _SchemaError(faults, members, path)
    if kind.startswith("union_tag"):
        path = (*path, str(context["discriminator"]).strip("'"))
    faults = ((path, _message(details, context, path, known)),)
    return _SchemaError(faults, members, path, shape=kind in ("missing", "extra_forbidden"))


def _is_echo(details: ErrorDetails) -> bool:
    """Whether a list is called too short only because its faulty entries were not counted."""
    value = details["input"]
    return (
        details["type"] == "too_short"
        and isinstance(value, list)
        and len(value) >= details["ctx"]["min_length"]
    )


def _message(
    details: ErrorDetails, context: dict[str, Any], path: Path, known: Collection[str]
) -> str:
    kind, value = details["type"], details["input"]
    match kind:
        case "missing" | "union_tag_not_found":
            return "is required"
        case "extra_forbidden" if path[-1] in known:
            return "does not go together with the other keys here"
        case "extra_forbidden":
            return "; ".join(filter(None, ("unknown key", suggestion(str(path[-1]), known))))
        case "union_tag_invalid":
            tags, tag = context["expected_tags"], context["tag"]
            return f"should be one of {tags}, not {short_repr(tag)}{_nearest(tag, tags)}"
        case "value_error" | "assertion_error":
            return str(context["error"])
        case "string_too_short" | "too_short" if context["min_length"] == 1:
            return "should not be empty"
        case _ if kind in _LIMITS:
            limits = {name: _number(limit) for name, limit in context.items()}
            return _mismatch(_LIMITS[kind].format(**limits), value)
    return details["msg"].removeprefix("Input ")


def _mismatch(wanted: str, value: object) -> str:
    return f"should be {wanted}, not {short_repr(value)}"


def _nearest(value: object, wanted: str) -> str:
    """`; did you mean 'x'?` where one of the quoted words is near."""
    near = difflib.get_close_matches(str(value), re.findall(r"'([^']*)'", wanted), n=1)
    return f"; did you mean {near[0]!r}?" if near and isinstance(value, str) else ""


def _number(limit: object) -> object:
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


def _inline(path: Path, message: str) -> str:
    return f"{'.'.join(map(key_text, path))}: {message}" if path else message


def _drop_union_noise(found: Iterable[_SchemaError], level: int) -> list[_SchemaError]:
    """Without the noise of union members that nobody meant; `level` is how many are settled."""
    kept: list[_SchemaError] = []
    unions: dict[Path, dict[str, list[_SchemaError]]] = {}
    for each in found:
        if len(each.members) <= level:
            kept.append(each)
        else:
            at, label = each.members[level]
            unions.setdefault(at, {}).setdefault(label, []).append(each)
    for at, members in unions.items():
        kept += _likely_member(
            at, [_drop_union_noise(member, level + 1) for member in members.values()]
        )
    return kept


def _likely_member(at: Path, members: list[list[_SchemaError]]) -> list[_SchemaError]:
    fitting = [m for m in members if not all(e.wanted and e.path == at for e in m)]
    if not fitting:
        first = members[0][0]
        wanted = " or ".join(dict.fromkeys(e.wanted for m in members for e in m))
        return [_SchemaError(((at, _mismatch(wanted, first.value)),), (), at, wanted, first.value)]
    misfits = [sum(e.shape and len(e.path) == len(at) + 1 for e in m) for m in fitting]
    near = [m for m, misfit in zip(fitting, misfits, strict=True) if misfit == min(misfits)]
    common = [e for e in near[0] if all(e.faults in [o.faults for o in m] for m in near)]
    return common or near[0]


def _trail(
    model: type[BaseModel], location: tuple[str | int, ...]
) -> tuple[Path, tuple[tuple[Path, str], ...], Collection[str]]:
    """The data path of an error's location, the union members in it, and the keys known there."""
    path: list[str | int] = []
    members: list[tuple[Path, str]] = []
    annotation: Any = model
    siblings: list[Any] = [model]
    for step in location:
        options = _options(annotation)
        # Of a mapping's key, not of what stands under it; a model may be given such a key.
        if step == "[key]" and not any(map(_is_model, options)):
            continue
        if len(options) > 1:
            members.append((tuple(path), str(step)))
            annotation, siblings = _member(options, str(step))
            continue
        annotation = options[0]
        if annotation not in siblings:
            siblings = [annotation]
        known = {name for sibling in siblings for name in _keys(sibling)}
        path.append(step)
        annotation, siblings = _child(annotation, step), []
    return tuple(path), tuple(members), known if path else ()


def _options(annotation: Any) -> list[Any]:
    """The types that `annotation` stands for, without None and what only decorates them."""
    if get_origin(annotation) is Annotated:
        return _options(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [arg for arg in get_args(annotation) if arg is not type(None)]
        return [option for arg in rest for option in _options(arg)]
    return [annotation]


def _member(options: list[Any], label: str) -> tuple[Any, list[Any]]:
    """The union member that pydantic labels so, and all whose keys may have been meant."""
    models = [option for option in options if _is_model(option)]
    for option in models:
        if option.__name__ == label:
            return option, models
    for option in models:
        fields = option.model_fields.values()
        if any(label in map(str, _literals(field)) for field in fields):
            return option, [option]
    kind = label.partition("[")[0]
    for option in options:
        origin = get_origin(option) or option
        if getattr(origin, "__name__", "") == kind:
            return option, [option]
    return Any, []


def _literals(field: FieldInfo) -> tuple[Any, ...]:
    return get_args(field.annotation) if get_origin(field.annotation) is Literal else ()


def _child(annotation: Any, step: str | int) -> Any:
    if _is_model(annotation):
        return _keys(annotation).get(str(step), Any)
    args = get_args(annotation)
    if not args:
        return Any
    if isinstance(step, int) and get_origin(annotation) is tuple and args[-1] is not Ellipsis:
        return args[step] if step < len(args) else Any
    return args[0] if isinstance(step, int) else args[-1]


def _keys(annotation: Any) -> dict[str, Any]:
    """The keys a mapping of this type may have, and the type under each."""
    if not _is_model(annotation):
        return {}
    fields: dict[str, FieldInfo] = annotation.model_fields
    return {field.alias or name: field.annotation for name, field in fields.items()}


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
