"""The arguments of a tool, taken from a question by what each of them is declared to be."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

from engine.text.entities import fold, fold_cue
from engine.text.readers.periods import Period
from engine.tools.model import Tool
from engine.understanding.lookups.text import LookupText, find_numbers, says

MAX_MESSAGE = 500
"""So many characters of a question are handed to a tool that takes it whole."""

ArgumentType = Literal[
    "entity", "date", "integer", "number", "choice", "boolean", "file", "message", "other"
]
_READS: dict[str, ArgumentType] = {"file": "file", "message": "message", "position": "other"}
_TYPES: dict[str, ArgumentType] = {"integer": "integer", "number": "number", "boolean": "boolean"}
_BEGINS = frozenset({"from", "since", "start", "starts", "after", "begin", "begins"})
_ENDS = frozenset({"to", "until", "till", "end", "ends", "before", "by"})
_SINCE = re.compile(r"(?:\b(?:since|from|after|starting|between)|自|从|自从)\s*(?:on\s+)?$")
_UNTIL = re.compile(r"(?:\b(?:until|till|to|before|through|by)|[到至]|截[至止])\s*$")
_ONWARDS = re.compile(r"\s*(?:以来|之后|以后|起|onwards?\b)")
_BACKWARDS = re.compile(r"\s*(?:之前|以前|为止|前)")

_LETTER = re.compile(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9'])")
_WORD_LETTERS = frozenset("ai")
_SINCE_THEN = re.compile(r"(?:\bsince|自|从|自从)\s*$")
_ON_SINCE_THEN = re.compile(r"\s*(?:以来|起)")
_BESIDE = re.compile(r"\s*(?:[之以]?[前后]|为止|onwards?\b)")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as its JSON schema has it; an `entity` is of that kind, `many` take a list."""

    name: str
    type: ArgumentType
    entity: str
    many: bool
    options: tuple[str, ...]
    option_words: tuple[tuple[str, str], ...]
    required: bool
    said: tuple[str, ...]


def arguments_of(tool: Tool[Any]) -> tuple[Argument, ...]:
    """A tool's arguments, in their order.

    Its fields say in their `json_schema_extra` what the type does not: `entity`, the kind of which
    it names one; `reads: file` for a file's name; `reads: message` for the question as it is.
    """
    model: type[BaseModel] = tool.arguments
    return _arguments_of(model)


@lru_cache(maxsize=512)
def _arguments_of(model: type[BaseModel]) -> tuple[Argument, ...]:
    schema = model.model_json_schema()
    required, defined = schema.get("required", ()), schema.get("$defs", {})
    return tuple(
        _argument(name, _resolved(each, defined), defined, is_required=name in required)
        for name, each in schema.get("properties", {}).items()
    )


def _resolved(schema: Mapping[str, Any], defined: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to, without the null that it may be as well."""
    found = dict(schema)
    for key in ("anyOf", "allOf", "oneOf"):
        parts = [each for each in found.pop(key, ()) if each.get("type") != "null"]
        if len(parts) == 1:
            found = {**_resolved(parts[0], defined), **found}
    name = str(found.pop("$ref", "")).removeprefix("#/$defs/")
    return {**_resolved(defined[name], defined), **found} if name in defined else found


def _argument(
    name: str, schema: Mapping[str, Any], defined: Mapping[str, Any], *, is_required: bool
) -> Argument:
    many = schema.get("type") == "array"
    item = _resolved(schema.get("items") or {}, defined) if many else schema
    options = item.get("enum", [item["const"]] if "const" in item else [])
    return Argument(
        name=name,
        type=_type_of({**item, **schema} if many else item),
        entity=str(schema.get("entity") or item.get("entity") or ""),
        many=many,
        options=tuple(option for option in options if isinstance(option, str)),
        option_words=tuple((str(o), str(word)) for o, word in schema.get("option_words", ())),
        required=is_required,
        said=tuple(map(str, schema.get("said", [schema.get("title", "")]))),
    )


def _type_of(schema: Mapping[str, Any]) -> ArgumentType:
    if schema.get("entity"):
        return "entity"
    if reads := _READS.get(str(schema.get("reads", ""))):
        return reads
    if schema.get("enum") or "const" in schema:
        return "choice"
    if schema.get("format") == "date":
        return "date"
    return _TYPES.get(str(schema.get("type", "")), "other")


def take_arguments(
    tool: Tool[Any], cues: Sequence[str], asked: LookupText, *, example: str = ""
) -> dict[str, Any] | None:
    """What the text gives for the tool: by its cues, and by what each argument is.

    None when it does not give what the tool needs, or names what no argument takes; numbers of the
    cues, and of the `example` that it is like, need none.
    """
    arguments = arguments_of(tool)
    implied = _implied(tool, cues)
    taken = {name: values[0] for name, values in implied.items() if _is_one(values)}
    if asked.numbers and not any(a.type in ("integer", "number") for a in arguments):
        spoken = find_numbers(" ".join((example, *cues)))
        asked = replace(asked, numbers=tuple(n for n in asked.numbers if n not in spoken))
    for take in (_entities, _files, _days, _numbers):
        found = take(arguments, asked)
        if found is None:
            return None
        taken |= found
    for argument in arguments:
        if argument.type == "message":
            taken.setdefault(argument.name, asked.text[:MAX_MESSAGE])
        elif argument.type == "choice" and argument.name not in implied:
            taken |= _choice(argument, asked)
    needed = {a.name for a in arguments if a.required} | set(tool.needs)
    return taken if needed <= taken.keys() else None


def take_what_fits(
    tool: Tool[Any], cues: Sequence[str], asked: LookupText
) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """What the text gives for the tool, and the numbers and days that a tool has no place for.

    Only one that needs nothing answers without these.
    """
    taken = take_arguments(tool, cues, asked)
    if taken is not None:
        return taken, ()
    if tool.needs or any(argument.required for argument in arguments_of(tool)):
        return None
    taken = take_arguments(tool, cues, replace(asked, numbers=(), days=()))
    if taken is None:
        return None
    return taken, (*asked.numbers, *(day.isoformat() for _, day, _ in asked.days))


def _implied(tool: Tool[Any], cues: Sequence[str]) -> dict[str, list[Any]]:
    """What the longest cues imply, each of them: where they disagree, it is nothing."""
    longest = [c for c in cues if not any(c != other and c in other for other in cues)]
    implied: dict[str, list[Any]] = {}
    for cue in longest:
        for name, value in tool.cues[cue].items():
            implied.setdefault(name, []).append(value)
    return implied


def _is_one(values: Sequence[Any]) -> bool:
    return all(value == values[0] for value in values)


def _entities(arguments: Sequence[Argument], asked: LookupText) -> dict[str, Any] | None:
    """What is named, in its order, for the arguments of its kind."""
    taken: dict[str, Any] = {}
    for kind in dict.fromkeys(match.kind for match in asked.named):
        ids = [match.id for match in asked.named if match.kind == kind]
        own = [a for a in arguments if a.type == "entity" and a.entity == kind]
        if many := next((a for a in own if a.many), None):
            taken[many.name] = ids
        elif len(ids) > len(own):
            return None
        else:
            taken |= {a.name: id_ for a, id_ in zip(own, ids, strict=False)}
    return taken


def _files(arguments: Sequence[Argument], asked: LookupText) -> dict[str, Any] | None:
    own = [a for a in arguments if a.type == "file"]
    if len(asked.files) > len(own):
        return None
    return {a.name: name for a, name in zip(own, asked.files, strict=False)}


def _days(arguments: Sequence[Argument], asked: LookupText) -> dict[str, Any] | None:
    """The days named; a tool without any is of today at most."""
    own = [a for a in arguments if a.type == "date"]
    if asked.period:
        return _whole_period(own, *asked.period)
    if not own:
        return {} if all(day == asked.today for _, day, _ in asked.days) else None
    if len(asked.days) > len(own):
        return None
    if not asked.days:
        return {}
    return {own[0].name: asked.days[0][1].isoformat()} if len(own) == 1 else _period(own, asked)


def _whole_period(
    own: Sequence[Argument], before: str, period: Period, behind: str
) -> dict[str, Any] | None:
    """All days of last month, or of since then; what is before or after it is no certain time."""
    begin, end = _ends(own)
    if not (begin and end) or len(own) != 2:
        return None
    first, last = period.first.isoformat(), period.last.isoformat()
    if _SINCE_THEN.search(before) or _ON_SINCE_THEN.match(behind):
        return {begin: first}
    if any((_SINCE.search(before), _UNTIL.search(before), _BESIDE.match(behind))):
        return None
    return {begin: first, end: last}


def _ends(own: Sequence[Argument]) -> tuple[str, str]:
    """Which of them is from when, and which until when; "" for none."""
    begin = next((a.name for a in own if _BEGINS & _words(a.name)), "")
    end = next((a.name for a in own if _ENDS & _words(a.name) and a.name != begin), "")
    return begin, end


def _period(own: Sequence[Argument], asked: LookupText) -> dict[str, Any] | None:
    """From when and until when; one day that neither "since" nor "until" stands by is both."""
    begin, end = _ends(own)
    if len(own) != 2 or not (begin and end):
        every = [day.isoformat() for _, day, _ in asked.days]
        return (
            dict(zip((a.name for a in own), every, strict=True)) if len(every) == len(own) else None
        )
    first, last = asked.days[0], asked.days[-1]
    if len(asked.days) == 2:
        days = sorted((first[1], last[1]))
        return {begin: days[0].isoformat(), end: days[1].isoformat()}
    before, day, behind = first
    if _SINCE.search(before) or _ONWARDS.match(behind):
        return {begin: day.isoformat()}
    if _UNTIL.search(before) or _BACKWARDS.match(behind):
        return {end: day.isoformat()}
    return {begin: day.isoformat(), end: day.isoformat()}


def _words(name: str) -> set[str]:
    return set(name.lower().split("_"))


def _numbers(arguments: Sequence[Argument], asked: LookupText) -> dict[str, Any] | None:
    """The one number for the one argument that is a number; others are none that the tool takes."""
    own = [a for a in arguments if a.type in ("integer", "number")]
    numbers = (*asked.numbers, *(asked.ordinals if own else ()))
    if any(a.type == "message" for a in arguments) or not numbers:
        return {}
    if len(own) != 1 or len(numbers) != 1:
        return None
    number = float(numbers[0])
    if own[0].type == "integer":
        return {own[0].name: int(number)} if number.is_integer() else None
    return {own[0].name: number}


def option_words(argument: Argument) -> Iterator[tuple[str, str]]:
    """How an option is said, and the option."""
    for option in argument.options:
        yield fold_cue(option.replace("_", " ")), option
    for option, word in argument.option_words:
        yield fold_cue(word), option


def _choice(argument: Argument, asked: LookupText) -> dict[str, Any]:
    """The one option that is said; of options that are a part of another, the longest."""
    found = {
        word: option
        for word, option in option_words(argument)
        if _says_option(asked, word, argument)
    }
    longest = [
        option
        for word, option in found.items()
        if not any(word != other and word in other for other in found)
    ]
    longest = list(dict.fromkeys(longest))
    if argument.many and longest:
        return {argument.name: longest}
    return {argument.name: longest[0]} if len(longest) == 1 else {}


def _says_option(asked: LookupText, word: str, argument: Argument) -> bool:
    """Whether the text has the option as a word of its own, a single letter as it is written.

    What may be a word of any sentence, as "a" is, stands behind the argument's name.
    """
    if not word.isascii() or not word[:1].isalnum():
        return says(asked.said, word)
    if len(word) > 1:
        return bool(_whole_word(word).search(asked.said))
    names = (argument.name.replace("_", " "), *map(fold, argument.said))
    if any(_named_letter(name, word).search(asked.said) for name in filter(None, names)):
        return True
    letters = _LETTER.findall(asked.text)
    return word not in _WORD_LETTERS and word.upper() in letters


@lru_cache(maxsize=4096)
def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9]){re.escape(word)}(?:e?s|e?d|ing)?(?![a-z0-9])")


@lru_cache(maxsize=1024)
def _named_letter(name: str, letter: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(name)}(?:s| is| of|[:=为是])?\s?{letter}(?![a-z0-9])")


def argument_words(tool: Tool[Any]) -> Iterator[str]:
    """What of the arguments people may say: names, words for them and options."""
    for argument in arguments_of(tool):
        yield from (argument.name.replace("_", " "), *map(fold, argument.said))
        yield from (word for word, _ in option_words(argument))
