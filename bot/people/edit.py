"""people.yaml, changed as text: comments, order and all other entries stay as they are."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from engine.errors import DefinitionError
from engine.yaml.source import read_yaml

Values = Mapping[str, str | Sequence[str]]
"""What an entry says, by key: texts, and lists of texts."""

_PLAIN: Final = re.compile(r"[^\W\d_][\w ./()-]{0,200}")
_WORDS: Final = frozenset({"true", "false", "null"})
_BY_HAND: Final = "cannot be changed here without touching the rest; write it by hand"


def add_person(text: str, values: Values) -> str:
    """The text with one more person, after the last one and written as that one is."""
    people = _people(text)
    wanted = [*_plain_people(text), _as_data(values)]
    if people.flow_style or not people.value:
        at = people.end_mark.index - 1
        comma = ", " if people.value else ""
        return _checked(_insert(text, at, f"{comma}{_flow(values)}"), wanted)
    last, dash = people.value[-1], " " * people.start_mark.column + "- "
    lines = [_flow(values)] if last.flow_style else _lines(values)
    gap = "\n" if _is_apart(text, people) else ""
    indent = "\n" + " " * len(dash)
    return _checked(_insert_line(text, _end(last), f"{gap}{dash}{indent.join(lines)}"), wanted)


def change_person(text: str, person: str, changes: Values) -> str:
    """The text with these keys of a person's entry set to these values."""
    wanted = _plain_people(text)
    at = _index(wanted, person)
    wanted[at] = {**wanted[at], **_as_data(changes)}
    for key, value in changes.items():
        text = _set(text, _people(text).value[at], key, _value(value))
    return _checked(text, wanted)


def remove_person(text: str, person: str) -> str:
    """The text without that person's entry; comments between entries stay."""
    people, wanted = _people(text), _plain_people(text)
    at = _index(wanted, person)
    del wanted[at]
    item = people.value[at]
    if not wanted:
        start, end = people.start_mark.index, _end(people)
        return _checked(f"{text[:start].rstrip()} []{text[end:]}", wanted)
    if people.flow_style:
        start, end = item.start_mark.index, item.end_mark.index
        around = people.value
        start, end = (
            (start, around[at + 1].start_mark.index)
            if at + 1 < len(around)
            else (around[at - 1].end_mark.index, end)
        )
        return _checked(text[:start] + text[end:], wanted)
    start = text.rfind("\n", 0, text.rfind("-", 0, item.start_mark.index)) + 1
    end = _line_end(text, _end(item))
    return _checked(text[:start] + text[end:].removeprefix("\n"), wanted)


def _people(text: str) -> Any:
    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    found = next((v for k, v in root.value if k.value == "people"), None)
    if not isinstance(found, yaml.SequenceNode):
        raise DefinitionError(f"people: {_BY_HAND}")
    return found


def _plain_people(text: str) -> list[dict[str, Any]]:
    people: list[dict[str, Any]] = read_yaml(text, file="people.yaml").data["people"]
    return [*people]


def _index(people: Sequence[Mapping[str, Any]], person: str) -> int:
    return next(at for at, each in enumerate(people) if each.get("id") == person)


def _as_data(values: Values) -> dict[str, Any]:
    return {k: v if isinstance(v, str) else [*v] for k, v in values.items()}


def _checked(text: str, wanted: Sequence[Mapping[str, Any]]) -> str:
    """The text, which says just that. Raises DefinitionError."""
    try:
        is_right = _plain_people(text) == list(wanted)
    except DefinitionError:
        is_right = False
    if not is_right:
        raise DefinitionError(f"people.yaml: {_BY_HAND}")
    return text


def _set(text: str, item: Any, key: str, value: str) -> str:
    for name, node in item.value:
        if name.value == key:
            start, end = name.end_mark.index, max(_end(node), name.end_mark.index + 1)
            if "#" in text[start:end] and not isinstance(node, yaml.ScalarNode):
                raise DefinitionError(f"people.yaml: {key}: {_BY_HAND}")
            return f"{text[:start]}: {value}{text[end:]}"
    if item.flow_style:
        return _insert(text, item.end_mark.index - 1, f", {key}: {value}")
    return _insert_line(text, _end(item), f"{' ' * item.start_mark.column}{key}: {value}")


def _end(node: Any) -> int:
    """Where the last thing of a node ends: a block's own mark stands at what follows it."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last) if not isinstance(last, tuple) else max(_end(each) for each in last)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _insert(text: str, at: int, what: str) -> str:
    return text[:at] + what + text[at:]


def _insert_line(text: str, at: int, line: str) -> str:
    """The text with a line behind that in which `at` is."""
    end = _line_end(text, at)
    before = text[:end] if text[:end].endswith("\n") else f"{text[:end]}\n"
    return f"{before}{line}\n{text[end:]}"


def _is_apart(text: str, people: Any) -> bool:
    """Whether empty lines stand between the entries."""
    pairs = zip(people.value, people.value[1:], strict=False)
    return any(
        "\n\n" in text[_end(first) : second.start_mark.index].replace(" ", "")
        for first, second in pairs
    )


def _lines(values: Values) -> list[str]:
    return [f"{key}: {_value(value)}" for key, value in values.items()]


def _flow(values: Values) -> str:
    return f"{{{', '.join(_lines(values))}}}"


def _value(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return _scalar(value)
    return f"[{', '.join(map(_scalar, value))}]"


def _scalar(value: str) -> str:
    is_plain = _PLAIN.fullmatch(value) and value == value.strip() and value not in _WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)
