"""Templates of project folders: `{name}`, `{name.part}`, `{name|filter}`; no loops, no code."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

MAX_CHARS = 4000
"""No template is longer."""

_HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
_TEXT_HOLE = re.compile(r"\{\{|\}\}|\{(" + _NAME.pattern + r")\}")

CONTEXT_NAMES: Final = ("requester", "approver", "approvers", "project", "case", "today")
"""What texts, documents and calls may name besides fields: who asked, who approved last, all who
approved it, where, of which case, on which day. In texts people are called by their names, in
calls by their ids."""
PLAN_NAMES: Final = ("requester", "project", "case")
"""What an argument of a call names as `$name` besides fields: it is the same for a whole run."""
READ_NAMES: Final = (*PLAN_NAMES, "today")
"""As PLAN_NAMES, in arguments of calls that only read."""


class BadTemplate(ValueError):
    """A template cannot be read; the text says where and how to mend it."""


class NoValue(LookupError):
    """A template names a value that is not there; `name` is the one."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a template, and the filters that its value passes, in order."""

    name: str
    filters: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The argument or column of which it is a part."""
        return self.name.partition(".")[0]

    def value(self, values: Mapping[str, JsonValue]) -> JsonValue:
        """What stands at the name, filtered. Raises NoValue, BadTemplate for a value unfit."""
        found: Any = values
        for part in self.name.split("."):
            # Only mappings are entered: an attribute of an object is nobody's value.
            if not isinstance(found, Mapping) or found.get(part) is None:
                raise NoValue(self.name)
            found = found[part]
        for name in self.filters:
            found = FILTERS[name](found)
        return found  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Template:
    """A text with holes for values."""

    parts: tuple[str | Hole, ...]

    @property
    def holes(self) -> tuple[Hole, ...]:
        """Its holes, in order."""
        return tuple(part for part in self.parts if isinstance(part, Hole))

    @property
    def whole(self) -> Hole | None:
        """The hole, where the template is nothing else: its value keeps its type."""
        return self.parts[0] if len(self.parts) == 1 and isinstance(self.parts[0], Hole) else None

    def fill(
        self, values: Mapping[str, JsonValue], write: Callable[[JsonValue], str] | None = None
    ) -> str:
        """The text; `write` makes a value text, by default as `written`. Raises NoValue."""
        put = write or written
        return "".join(
            part if isinstance(part, str) else put(part.value(values)) for part in self.parts
        )


@lru_cache(maxsize=4096)
def parse_template(text: str) -> Template:
    """The template of a text, in which `{{` and `}}` stand for braces. Raises BadTemplate."""
    if len(text) > MAX_CHARS:
        raise BadTemplate(f"a template has at most {MAX_CHARS} characters, not {len(text)}")
    parts: list[str | Hole] = []
    at = 0
    for match in _HOLE.finditer(text):
        _add(parts, text[at : match.start()])
        at = match.end()
        if match[0] in ("{{", "}}"):
            _add(parts, match[0][0])
        elif match[1] is None:
            raise BadTemplate(f"a {match[0]} stands alone in {text!r}; write {match[0] * 2} for it")
        else:
            parts.append(_hole(match[1]))
    _add(parts, text[at:])
    return Template(tuple(parts))


def _add(parts: list[str | Hole], text: str) -> None:
    if text and parts and isinstance(parts[-1], str):
        parts[-1] += text
    elif text:
        parts.append(text)


def _hole(text: str) -> Hole:
    name, *filters = (part.strip() for part in text.split("|"))
    if not _NAME.fullmatch(name):
        raise BadTemplate(f"{{{text}}} names nothing: a name is letters, digits, _ and dots")
    if unknown := [each for each in filters if each not in FILTERS]:
        known = ", ".join(FILTERS)
        raise BadTemplate(f"{{{text}}} has no filter {unknown[0]!r}; there are {known}")
    return Hole(name, tuple(filters))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text that people read, each once; other braces are braces."""
    return tuple(dict.fromkeys(match[1] for match in _TEXT_HOLE.finditer(text) if match[1]))


def fill_names(text: str, value: Callable[[str], str | None]) -> str:
    """A text that people read with what each `{name}` stands for; `{{` and `}}` are braces.

    A name of which there is no value stays as it stands. No value is read as a name itself.
    """

    def put(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0][0]
        found = value(match[1])
        return match[0] if found is None else found

    return _TEXT_HOLE.sub(put, text)


def written(value: JsonValue) -> str:
    """A value as a program writes it: numbers without exponents, yes and no as true and false."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return f"{Decimal(str(value)):f}"
        case list():
            return ",".join(written(each) for each in value)
        case dict():
            raise BadTemplate(f"a value of several parts ({', '.join(value)}) names one of them")
        case None:
            return ""


def _lower(value: JsonValue) -> str:
    return written(value).lower()


def _upper(value: JsonValue) -> str:
    return written(value).upper()


def _decimal(value: JsonValue) -> Decimal:
    try:
        number = Decimal(written(value))
    except InvalidOperation as error:
        raise BadTemplate(f"{value!r} is no number") from error
    if not number.is_finite():
        raise BadTemplate(f"{value!r} is no number")
    return number


def _number(value: JsonValue) -> int | float:
    number = _decimal(value)
    return int(number) if number == number.to_integral_value() else float(number)


def _cents(value: JsonValue) -> int:
    cents = _decimal(value) * 100
    if cents != cents.to_integral_value():
        raise BadTemplate(f"{value!r} has parts of a cent")
    return int(cents)


def _first(value: JsonValue) -> JsonValue:
    if not isinstance(value, list):
        return value
    if not value:
        raise BadTemplate("an empty list has no first")
    return value[0]


def _compact(value: JsonValue) -> str:
    """A date or time without its separators, as in 20260302."""
    return re.sub(r"[^0-9A-Za-z]", "", written(value))


FILTERS: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "text": written,
    "lower": _lower,
    "upper": _upper,
    "number": _number,
    "cents": _cents,
    "first": _first,
    "compact": _compact,
}
"""What a value may pass on its way into a template, by name."""


def templates_in(tree: Any) -> Any:
    """A JSON tree whose texts are templates; keys are plain. Raises BadTemplate."""
    match tree:
        case str():
            return parse_template(tree)
        case Mapping():
            return {key: templates_in(each) for key, each in tree.items()}
        case Sequence():
            return [templates_in(each) for each in tree]
        case _:
            return tree


def holes_in(tree: Any) -> tuple[Hole, ...]:
    """Every hole of a tree of templates."""
    match tree:
        case Template():
            return tree.holes
        case Mapping():
            return tuple(hole for each in tree.values() for hole in holes_in(each))
        case list():
            return tuple(hole for each in tree for hole in holes_in(each))
        case _:
            return ()


def fill_tree(tree: Any, values: Mapping[str, JsonValue]) -> JsonValue:
    """The tree with its values; what names a value that is not there is left out of it.

    A text that is one hole keeps the type of its value. Raises BadTemplate for an unfit value.
    """
    filled = _filled(tree, values)
    return None if filled is _MISSING else filled


_MISSING = object()


def _filled(tree: Any, values: Mapping[str, JsonValue]) -> Any:
    match tree:
        case Template():
            try:
                return tree.whole.value(values) if tree.whole else tree.fill(values)
            except NoValue:
                return _MISSING
        case Mapping():
            pairs = ((key, _filled(each, values)) for key, each in tree.items())
            return {key: each for key, each in pairs if each is not _MISSING}
        case list():
            return [each for part in tree if (each := _filled(part, values)) is not _MISSING]
        case _:
            return tree
