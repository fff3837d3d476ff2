"""Arguments checked against a tool's JSON schema: what is missing, and what has a wrong type."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from engine.frames.llm_plan import ArgumentFault, FaultKind
from engine.text.answer import DECODER, repeated_key
from engine.tool_plan.references import is_reference
from engine.yaml.faults import key_text, short_repr

FAULT_CHARS = 200
MOST_WANTED = 12
_KINDS: Mapping[str, FaultKind] = {
    "type": "type",
    "enum": "options",
    "minimum": "least",
    "maximum": "most",
    "minLength": "longer",
    "minItems": "longer",
    "maxLength": "shorter",
    "maxItems": "shorter",
}
# Only what is written back as it was; more digits than these a float does not keep.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,14}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?")


def _anything(validator: Any, keyword: Any, value: Any, schema: Any) -> Iterator[Any]:
    return iter(())


# Unknown arguments are the tool's own to refuse (004 §8); an outside schema's regular expressions
# could run for ever; what is required and missing is checked apart.
_SKIPPED = ("required", "additionalProperties", "unevaluatedProperties")
_PATTERNS = ("pattern", "patternProperties")


@cache
def _checker() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(Draft202012Validator, dict.fromkeys((*_SKIPPED, *_PATTERNS), _anything))


def properties(schema: Any) -> Mapping[str, Any]:
    """The schema of each argument, by name."""
    named = schema.get("properties") if isinstance(schema, Mapping) else None
    return named if isinstance(named, Mapping) else {}


def required_names(schema: Any) -> list[str]:
    """The arguments that must be given."""
    names = schema.get("required") if isinstance(schema, Mapping) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def missing_names(schema: Any, arguments: Mapping[str, Any]) -> list[str]:
    """Required arguments that are absent, null or blank."""
    return [name for name in required_names(schema) if _is_blank(arguments.get(name))]


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def fault_of(schema: Any, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments' types, "" for nothing. References may have any type."""
    error = _find_error(schema, arguments)
    return f"{_where(error)}: {error.message}"[:FAULT_CHARS] if error else ""


def describe_fault(schema: Any, arguments: Mapping[str, Any]) -> ArgumentFault | None:
    """What `fault_of` says, as data, for people of any language."""
    error = _find_error(schema, arguments)
    if error is None:
        return None
    wanted, value = error.validator_value, error.instance
    listed = wanted if isinstance(wanted, list | tuple) else (wanted,)
    plain = [str(each) for each in listed if isinstance(each, str | int | float)]
    shown = "{…}" if isinstance(value, dict) else "[…]" if isinstance(value, list) else None
    shown = shown or short_repr(value)
    kind = _KINDS.get(error.validator, "other")
    return ArgumentFault(
        where=_where(error),
        kind=kind,
        value=shown or short_repr(value),
        wanted=tuple(plain[:MOST_WANTED]),
    )


def _where(error: Any) -> str:
    return ".".join(key_text(part) for part in error.absolute_path)


def _find_error(schema: Any, arguments: Mapping[str, Any]) -> Any:
    """The worst fault that the checker has, None for none."""
    if not isinstance(schema, Mapping):
        return None
    # Loaded by the first plan of a model: nothing else here checks a schema.
    from jsonschema.exceptions import SchemaError, UnknownType, best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    known = {name: value for name, value in arguments.items() if not is_reference(value)}
    checker = _checker()
    try:
        checker.check_schema(schema)
        # An empty registry: nothing is fetched because a schema points to it.
        return best_match(checker(schema, registry=Registry()).iter_errors(known))
    except (SchemaError, UnknownType, Unresolvable, RecursionError):
        # The tool itself checks what the schema cannot.
        return None


def cast_arguments(schema: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, where one of another JSON type says the same in the one that is asked for."""
    known = properties(schema)
    return {name: _cast(value, known.get(name)) for name, value in arguments.items()}


def _cast(value: Any, schema: Any) -> Any:
    if not isinstance(schema, Mapping) or is_reference(value):
        return value
    if alternatives := _alternatives(schema):
        if any(_has_type(value, each) for each in alternatives):
            return value
        made = (_cast(value, each) for each in alternatives)
        pairs = zip(made, alternatives, strict=True)
        return next((cast for cast, each in pairs if _has_type(cast, each)), value)
    match schema.get("type"), value:
        case "integer", float() if value.is_integer():
            return int(value)
        case "integer", str() if _INTEGER.fullmatch(value):
            return int(value)
        case "number", str() if _NUMBER.fullmatch(value):
            return float(value) if "." in value else int(value)
        case "boolean", "true" | "false":
            return value == "true"
        case "string", int() | float() if not isinstance(value, bool):
            return str(value)
        case "array", list():
            return [_cast(each, schema.get("items")) for each in value]
        case "object", dict():
            return cast_arguments(schema, value)
        case "array" | "object", str():
            return _parsed(value, schema)
    return value


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas of which one has to hold: those of `anyOf`, or one for each of several types."""
    listed = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(listed, list):
        return [each for each in listed if isinstance(each, Mapping)]
    types = schema.get("type")
    return [{**schema, "type": each} for each in types] if isinstance(types, list) else []


def _has_type(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether the value is of the one JSON type that the schema names."""
    match schema.get("type"), value:
        case "boolean", bool():
            return True
        case (_, bool()) | (None, _):
            return False
        case ("integer", int()) | ("number", int() | float()) | ("string", str()):
            return True
        case ("array", list()) | ("object", dict()) | ("null", None):
            return True
    return False


def _parsed(text: str, schema: Mapping[str, Any]) -> Any:
    """A list or an object that stands in a text; the text where it is another."""
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return text
    wanted = list if schema["type"] == "array" else dict
    return _cast(value, schema) if isinstance(value, wanted) and not repeated_key(value) else text
