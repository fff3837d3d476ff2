"""Groups of fields: `sender.name` in paths and in the store, an object wherever JSON is shown."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source

MAX_DEPTH = 3
"""The most groups inside each other."""

SECTIONS = ("profile", "decisions")
NO_NAME = "is no name for a field; use letters, digits and _, as in due_date"

_FIELD_KEYS = ("profile_fields", "data_fields")


def split_path(path: str) -> tuple[str, str]:
    """Return the section of a path, "" for data, and the name of the leaf there."""
    section, _, name = path.partition(".")
    return (section, name) if section in SECTIONS and name else ("", path)


def nest(values: Mapping[str, Any], wrap: Callable[[dict[str, Any]], Any] = dict) -> dict[str, Any]:
    """Return values by dotted names as objects inside each other; `wrap` makes the inner ones."""
    if "." not in "".join(values):
        return dict(values)
    inside: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        group, dot, rest = name.partition(".")
        if dot:
            inside.setdefault(group, {})[rest] = value
    plain = {name: value for name, value in values.items() if "." not in name}
    return plain | {group: wrap(nest(each, wrap)) for group, each in inside.items()}


def flatten(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return what objects have in them by dotted names, as far as there are groups of that name."""
    groups = {name[:at] for name in names for at, char in enumerate(name) if char == "."}
    flat: dict[str, Any] = {}
    for name, value in given.items():
        if name in groups and isinstance(value, dict):
            inside = {f"{name}.{key}": each for key, each in value.items()}
            flat |= flatten(inside, names)
        else:
            flat[name] = value
    return flat


def flatten_groups(source: Source, problems: Problems) -> Source:
    """Return a playbook.yaml with the leaves of its groups by dotted names, lines as they were."""
    if not isinstance(source.data, dict):
        return source
    data, lines = dict(source.data), dict(source.lines)
    for key in _FIELD_KEYS:
        fields = data.get(key)
        if not isinstance(fields, dict):
            continue
        for name in fields:
            if "." in str(name):
                problems.add(source.problem((key, name), NO_NAME))
        if any(map(_is_group, fields.values())):
            data[key] = leaves = dict[Any, Any]()
            for name, at, leaf in _leaves(fields, (key,), source, problems):
                leaves[name] = leaf
                lines |= {
                    (key, name, *path[len(at) :]): line
                    for path, line in source.lines.items()
                    if path[: len(at)] == at
                }
    return Source(source.file, data, lines)


def _is_group(given: Any) -> bool:
    return isinstance(given, dict) and "fields" in given


def _leaves(
    fields: Mapping[Any, Any], at: Path, source: Source, problems: Problems, *, depth: int = 0
) -> Iterator[tuple[Any, Path, Any]]:
    """Each leaf's dotted name, where it stands, and what stands there, labelled by its groups."""
    for name, given in fields.items():
        if not _is_group(given):
            yield name, (*at, name), given
            continue
        fault = _group_fault(name, given, depth)
        if fault:
            problems.add(source.problem((*at, name), fault))
            continue
        inside = (*at, name, "fields")
        label = given.get("label")
        for last, path, leaf in _leaves(given["fields"], inside, source, problems, depth=depth + 1):
            yield f"{name}.{last}", path, _with_label(leaf, label)


def _group_fault(name: Any, given: Mapping[str, Any], depth: int) -> str:
    if depth >= MAX_DEPTH:
        return f"stands in more than {MAX_DEPTH} groups"
    if unknown := sorted(str(key) for key in given.keys() - {"label", "fields"}):
        return f"a group of fields has a label and fields, not {', '.join(unknown)}"
    fields = given["fields"]
    if not isinstance(fields, dict) or not fields:
        return "should have fields in it: a mapping"
    dotted = next((key for key in fields if not isinstance(key, str) or "." in key), None)
    return "" if dotted is None else f"{dotted!r} {NO_NAME}"


def _with_label(leaf: Any, label: Any) -> Any:
    """The leaf labelled with its group too, as in `Sender · Name`."""
    if label is None or not isinstance(leaf, dict) or "label" not in leaf:
        return leaf
    own = leaf["label"]
    if isinstance(label, dict) and isinstance(own, dict):
        whole: Any = {lang: f"{label.get(lang, '')} · {text}" for lang, text in own.items()}
    else:
        whole = f"{label} · {own}" if isinstance(label, str) and isinstance(own, str) else own
    return {**leaf, "label": whole}
