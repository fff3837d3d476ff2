"""What is likely wrong with a text that is not valid YAML, and on which line."""

import re
from collections.abc import Iterator

import yaml

_BREAKS = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_KEY = r"^\s*(?:- +)?(?P<key>[^\s:：\"'#{}\[\],]{1,60})"
_WIDE_COLON = re.compile(rf"{_KEY}\s*：")
_NO_SPACE = re.compile(rf"{_KEY}:(?P<rest>[^\s:/][^:]*)$")
_TEXT = re.compile(rf"{_KEY}: +(?P<text>[^ \"'\[{{|>#].*)$")
_CLOSES = {"sequence": ("[", "]"), "mapping": ("{", "}")}


def explain_syntax(text: str, error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """The line (from 1) and what is wrong there, in words for whoever wrote it if they are known.

    A line that is wrong is often noticed on the next.
    """
    mark = error.problem_mark or error.context_mark
    number = mark.line + 1 if mark else 1
    lines = _BREAKS.split(text)
    for at in _suspects(lines, number, error):
        if told := _line_fault(lines[at - 1]):
            return at, told
    if mark and "flow " in (error.context or "") and _is_question_mark(lines, mark):
        return number, "a text with `?` at a word's end has to stand in quotes inside of { } or [ ]"
    if "mapping values" in str(error.problem) and mark:
        return number, "is indented deeper than the line before it, whose text goes on here"
    if "<block end>" in str(error.problem):
        return number, "is not in the column where the keys or entries before it begin"
    opened = re.search(r"flow (sequence|mapping)", error.context or "")
    if opened and error.context_mark:
        first, last = _CLOSES[opened[1]]
        return error.context_mark.line + 1, f"a {first} is opened here and not closed by {last}"
    return number, f"{error.context}: {error.problem}" if error.context else str(error.problem)


def _is_question_mark(lines: list[str], mark: yaml.Mark) -> bool:
    """YAML takes it for a key's mark where a space or one of `,[]{}` is behind it."""
    line = lines[mark.line] if mark.line < len(lines) else ""
    return line[mark.column : mark.column + 1] == "?"


def _suspects(lines: list[str], number: int, error: yaml.MarkedYAMLError) -> Iterator[int]:
    """Lines that may be the wrong one, the likeliest first."""
    marks = (error.problem_mark, error.context_mark)
    before = [at for at in range(1, min(number, len(lines))) if lines[at - 1].strip()][-1:]
    for at in (*(mark.line + 1 for mark in marks if mark), *before):
        if 0 < at <= len(lines):
            yield at


def _line_fault(line: str) -> str:
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "begins with a tab; indent with spaces"
    if found := _WIDE_COLON.match(line):
        return f"after {found['key']!r} stands a Chinese colon; write `:` and a space"
    if found := _NO_SPACE.match(line):
        return f"after `{found['key']}:` a space is missing"
    if (found := _TEXT.match(line)) and ": " in f"{found['text']} ":
        return "a text with `: ` in it has to stand in quotes"
    return ""
