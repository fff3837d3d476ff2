"""Strict YAML text to checked models, with `file:line` for every problem (design §10).

Plain scalars mean what they look like: `true`/`false`, `null` or nothing, and decimal numbers of
at most 15 digits; all else (`yes`, `2026-01-01`, `1:30`, `0o17`, `1_000`, `007`, `~`) is text.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from engine.errors import DefinitionError
from engine.yaml import libyaml
from engine.yaml.faults import Path, describe_errors, key_text
from engine.yaml.scalars import is_no_number, parse_scalar
from engine.yaml.syntax import explain_syntax

MAX_DEPTH = 32
MAX_BYTES = 1024 * 1024

_SURROGATE = re.compile("[\ud800-\udfff]")

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's plain data, and the line on which each piece of it stands."""

    file: str
    data: Any
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int:
        """The line (from 1) of the node at `path`, or of the nearest node around it that exists."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return self.lines.get((), 1)

    def problem(self, path: Path, message: str) -> str:
        """`file:line: dotted.path: message`, without the path part for the whole file."""
        where = f"{self.file}:{self.line(path)}: "
        return where + ("" if not path else ".".join(map(key_text, path)) + ": ") + message


class Problems(list[str]):
    """Problems gathered over many files, so that a person sees all of them at once."""

    def add(self, problem: str) -> None:
        """Keep one more problem, as `Source.problem` words it."""
        self.append(problem)

    def raise_if_any(self) -> None:
        """Raises DefinitionError with every problem, when there is one."""
        if self:
            raise DefinitionError(*self)


def read_yaml(text: str, *, file: str) -> Source:
    """The parsed text. Raises DefinitionError with every problem that could be found.

    Refused: syntax errors, duplicate or non-text keys, anchors, aliases, tags, a second document,
    `.nan` and `.inf`, nesting deeper than 32, more than 1 MiB.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise DefinitionError(f"{file}:1: is larger than {MAX_BYTES} bytes")
    if (plain := libyaml.parse(text, max_depth=MAX_DEPTH)) is not None:
        return Source(file, *plain)
    faults: list[tuple[int, str]] = []
    reader = _NodeReader(faults)
    root = _compose(text, faults)
    data = None if root is None else reader.plain(root, ())
    if faults:
        raise DefinitionError(*(f"{file}:{line}: {message}" for line, message in sorted(faults)))
    return Source(file, data, reader.lines)


def try_build(
    model: type[M],
    source: Source,
    problems: Problems,
    *,
    at: Path = (),
    context: Mapping[str, Any] | None = None,
) -> M | None:
    """The model of the data under `at`, strictly typed; None, and all its faults in `problems`.

    `context` is what the model's own checks may look at.
    """
    data = source.data
    for step in at:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            problems.add(source.problem(at, "is required"))
            return None
    try:
        # JSON mode: lists stand for tuples and text for dates, while all else stays strict.
        return model.model_validate_json(
            json.dumps(data), strict=True, extra="forbid", context=context
        )
    except ValidationError as error:
        found = [((*at, *path), message) for path, message in describe_errors(model, error)]
        for path, message in sorted(found, key=lambda fault: source.line(fault[0])):
            problems.add(source.problem(path, message))
        return None


def _compose(text: str, faults: list[tuple[int, str]]) -> yaml.Node | None:
    try:
        composer = _Composer(text, faults)
        try:
            root = composer.get_node() if composer.check_node() else None
            if composer.check_node():
                faults.append((composer.next_line(), "a second document begins; a file holds one"))
            return root
        finally:
            composer.dispose()
    except _TooDeep as error:
        faults.append((error.line, f"nested deeper than {MAX_DEPTH} levels"))
    except yaml.MarkedYAMLError as error:
        line, told = explain_syntax(text, error)
        faults.append((line, f"not valid YAML: {told}"))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        character = f"U+{ord(text[error.position]):04X}"
        faults.append((line, f"holds a character that YAML does not allow: {character}"))
    except (ValueError, OverflowError):
        # PyYAML lets these out for escapes beyond Unicode and for endless version numbers.
        faults.append((1, "not valid YAML: holds a number or an escape out of range"))
    return None


class _TooDeep(yaml.YAMLError):
    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


class _Composer(yaml.SafeLoader):
    """Composes nodes, notes what we refuse, and stops before the recursion gets deep."""

    def __init__(self, text: str, faults: list[tuple[int, str]]) -> None:
        super().__init__(text)
        self._faults = faults
        self._depth = 0

    def next_line(self) -> int:
        return int(self._next().start_mark.line) + 1

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event, line = self._next(), self.next_line()
        if isinstance(event, yaml.AliasEvent):
            self.get_event()  # type: ignore[no-untyped-call]
            self._faults.append((line, "aliases (*name) are not allowed; write it out"))
            mark: Any = event.start_mark
            return yaml.ScalarNode("", "", mark)
        if event.anchor is not None:
            self._faults.append((line, "anchors (&name) are not allowed"))
            event.anchor = None
        if event.tag is not None:
            self._faults.append((line, "tags (!name) are not allowed"))
        if self._depth > MAX_DEPTH:
            raise _TooDeep(line)
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def _next(self) -> Any:
        return self.peek_event()  # type: ignore[no-untyped-call]


class _NodeReader:
    """Turns nodes into plain data and keeps their lines."""

    def __init__(self, faults: list[tuple[int, str]]) -> None:
        self.lines: dict[Path, int] = {}
        self._faults = faults

    def plain(self, node: yaml.Node, path: Path) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(child, (*path, at)) for at, child in enumerate(node.value)]
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> str | int | float | bool | None:
        assert isinstance(node, yaml.ScalarNode)
        if _SURROGATE.search(node.value):
            line = node.start_mark.line + 1
            self._faults.append((line, "holds half a character (a lone surrogate)"))
        quoted = node.style is not None
        if is_no_number(node.value, quoted=quoted):
            line, message = node.start_mark.line + 1, f"{node.value} is no number; quote it as text"
            self._faults.append((line, message))
        return parse_scalar(str(node.value), quoted=quoted)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, child in node.value:
            line = key_node.start_mark.line + 1
            key = self._scalar(key_node) if _is_scalar(key_node) else None
            if not isinstance(key, str):
                shown = f"; quote {key_node.value}" if _is_scalar(key_node) else ""
                self._faults.append((line, f"a key must be text{shown}"))
            elif key in data:
                first = self.lines[(*path, key)]
                message = f"key {key_text(key)!r} stands twice, first on line {first}"
                self._faults.append((line, message))
            else:
                self.lines[(*path, key)] = line
                data[key] = None
                data[key] = self.plain(child, (*path, key))
        return data


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode)
