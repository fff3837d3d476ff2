"""What libyaml reads beyond doubt: many times as fast as the parser that words what is wrong."""

import re
from typing import Any

import yaml

from engine.yaml.faults import Path
from engine.yaml.scalars import is_no_number, parse_scalar

_PARSER: Any = getattr(yaml, "CSafeLoader", None)
# Tabs, byte-order marks, and block scalars with a comment too near.
_DOUBTFUL = re.compile("[\t\ufeff]|[|>][-+0-9]*#")

_ENDS_NO_NUMBER = frozenset("fFnN")

PlainData = tuple[Any, dict[Path, int]]


def parse(text: str, *, max_depth: int) -> PlainData | None:
    """The data of the text's one document and the line of each piece of it; None when unsure.

    None is for whatever is faulty or not allowed, for what PyYAML's own parser might read in
    another way, and always where PyYAML was built without libyaml.
    """
    if _PARSER is None or _DOUBTFUL.search(text):
        return None
    try:
        parser = _PARSER(text)
        try:
            return _EventReader(parser.get_event, max_depth).document()
        finally:
            parser.dispose()
    except (_Unsure, yaml.YAMLError, ValueError):
        return None


class _Unsure(Exception):
    pass


class _EventReader:
    """One pass over the events of a document without faults."""

    def __init__(self, following: Any, max_depth: int) -> None:
        self._next = following
        self._max_depth = max_depth
        self._lines: dict[Path, int] = {}

    def document(self) -> PlainData:
        self._next()
        if type(self._next()) is yaml.StreamEndEvent:
            return None, {}
        event = self._next()
        if type(event) is yaml.ScalarEvent:
            # Where nothing follows `---`, the parsers give it different lines.
            raise _Unsure
        self._lines[()] = _line(event)
        data = self._value(event, (), flow=False)
        self._next()
        if type(self._next()) is not yaml.StreamEndEvent:
            raise _Unsure
        return data, self._lines

    def _value(self, event: Any, path: Path, *, flow: bool) -> Any:
        kind = type(event)
        if len(path) > self._max_depth:
            raise _Unsure
        if kind is yaml.ScalarEvent:
            return _scalar(event, flow=flow)
        if event.anchor is not None or event.tag is not None:
            # An alias names its anchor too.
            raise _Unsure
        if kind is yaml.MappingStartEvent:
            return self._mapping(path, flow=event.flow_style)
        return self._sequence(path, flow=event.flow_style)

    def _mapping(self, path: Path, *, flow: bool) -> dict[str, Any]:
        data: dict[str, Any] = {}
        event = self._next()
        while type(event) is yaml.ScalarEvent:
            key = _scalar(event, flow=flow)
            if not isinstance(key, str) or key in data:
                raise _Unsure
            here = (*path, key)
            self._lines[here] = _line(event)
            data[key] = self._value(self._next(), here, flow=flow)
            event = self._next()
        if type(event) is not yaml.MappingEndEvent:
            raise _Unsure
        return data

    def _sequence(self, path: Path, *, flow: bool) -> list[Any]:
        data: list[Any] = []
        event: Any = self._next()
        while type(event) is not yaml.SequenceEndEvent:
            here = (*path, len(data))
            self._lines[here] = _line(event)
            data.append(self._value(event, here, flow=flow))
            event = self._next()
        return data


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _scalar(event: Any, *, flow: bool) -> str | int | float | bool | None:
    if event.anchor is not None or event.tag is not None:
        raise _Unsure
    text, quoted = event.value, bool(event.style)
    if flow and not quoted and "?" in text:
        # libyaml takes question marks in [plain?] for text, PyYAML for the begin of a key.
        raise _Unsure
    if text[-1:] in _ENDS_NO_NUMBER and is_no_number(text, quoted=quoted):
        raise _Unsure
    return parse_scalar(text, quoted=quoted)
