"""`signoff init`: makes a project folder that is valid, can be served at once, and is one's own."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from babel.localtime import get_localzone
from pydantic import TypeAdapter, ValidationError

from bot.setting_rules import Languages, ZoneName
from bot.starting.samples import Sample, find_sample, first_words, read_sample
from bot.starting.schemas import add_schema_line, write_schemas
from bot.starting.starter import (
    Starter,
    other_language,
    project_name,
    write_starter,
    write_usual,
)
from cards.model import Lang
from cards.texts import languages, say
from engine.errors import DefinitionError

_LONGEST: Final = 80
_TRIES: Final = 5
_TRIED: Final = "try"
"""The token of a system that is only tried, which stands in the folder's `.env`."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What the command line says; None for what is to be asked, or to be as usual."""

    folder: Path
    sample: str | None = None
    name: str | None = None
    languages: str | None = None
    zone: str | None = None
    request: str | None = None
    request_also: str | None = None
    asks: bool = True


def make_folder(options: InitOptions) -> int:
    """Write the folder and print what comes next. Raises DefinitionError; then nothing is written.

    No file that is there already is written over.
    """
    sample = find_sample(options.sample) if options.sample else None
    lang: Lang
    if sample:
        # A sample is complete, so that nothing of it is asked.
        zone = _zone(replace(options, asks=False), "en")
        files = read_sample(sample, project_name(options.folder.resolve().name), zone)
        files |= write_usual("en")
        files |= {".env": f"{sample.secret}={_TRIED}\n"} if sample.secret else {}
        lang, phrase = "en", first_words(files)
    else:
        starter = _ask_all(options)
        files, lang, phrase = write_starter(starter), starter.lang, starter.request
    texts = {place: add_schema_line(place, text) for place, text in files.items()}
    _write_all(options.folder, {**texts, **write_schemas()})
    print(_next_steps(options.folder, sample, lang, phrase))
    if sample and options.zone is None:
        print(say("init.zone_taken", lang, zone=zone))
    return 0


def _ask_all(options: InitOptions) -> Starter:
    said = _answer(options, options.languages, "init.languages", "en", "en", _read_languages)
    lang = said[0]
    person = _answer(
        options, options.name, "init.name", lang, say("init.somebody", lang), _read_line
    )
    zone = _zone(options, lang)
    usual = say("init.usual_request", lang)
    request = _answer(options, options.request, "init.request", lang, usual, _read_line)
    also = ""
    if other := other_language(said):
        same = say("init.usual_request", other) if request == usual else request
        also = _answer(
            options, options.request_also, "init.request_also", lang, same, _read_line, other=other
        )
    elif options.request_also is not None:
        raise DefinitionError("--request-also: goes with --languages en,zh")
    also = "" if also == request else also
    return Starter(options.folder.resolve().name, person, said, zone, request, also)


def _zone(options: InitOptions, lang: Lang) -> str:
    return _answer(options, options.zone, "init.timezone", lang, machine_zone(), _read_zone)


def machine_zone() -> str:
    """The time zone of this machine, UTC where it has no name."""
    try:
        return _read_zone(str(getattr(get_localzone(), "key", None)))
    except (LookupError, ValueError):
        return "UTC"


def _answer(
    options: InitOptions,
    given: str | None,
    key: str,
    lang: Lang,
    usual: str,
    read: Callable[[str], T],
    *,
    other: Lang = "",
) -> T:
    """What an option says, else what is typed, else what is usual. Raises DefinitionError."""
    if given is not None or not options.asks:
        try:
            return read(usual if given is None else given)
        except ValueError as error:
            option = key.partition(".")[2].replace("_", "-")
            raise DefinitionError(f"--{option}: {error}") from None
    question = say(key, lang, language=say("pages.language.own", other or lang))
    for _ in range(_TRIES):
        try:
            typed = input(f"{question} [{usual}]: ").strip()
        except EOFError:
            raise DefinitionError("init: the input ended; with --yes nothing is asked") from None
        try:
            return read(typed or usual)
        except ValueError as error:
            print(error)
    raise DefinitionError(f"init: {question}: no answer that can be taken")


def _read_line(text: str) -> str:
    line = " ".join(text.split())
    if not line or len(line) > _LONGEST or not line.isprintable():
        raise ValueError(f"should be a line of at most {_LONGEST} characters")
    return line


def _read_languages(text: str) -> tuple[Lang, ...]:
    try:
        return TypeAdapter(Languages).validate_python(text)
    except ValidationError:
        raise ValueError(f"should be some of {', '.join(languages())}, with commas") from None


def _read_zone(text: str) -> str:
    try:
        return TypeAdapter(ZoneName).validate_python(text)
    except ValidationError as error:
        raise ValueError(str(error.errors()[0]["ctx"]["error"])) from None


def _write_all(folder: Path, files: Mapping[str, str]) -> None:
    taken = [place for place in files if (folder / place).exists()]
    if taken:
        more = f" and {len(taken) - 1} more" if taken[1:] else ""
        raise DefinitionError(
            f"{folder / taken[0]}{more}: is there already, and nothing is written over;"
            " name a new folder"
        )
    if folder.exists() and not folder.is_dir():
        raise DefinitionError(f"{folder}: is no folder")
    for place, text in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _next_steps(folder: Path, sample: Sample | None, lang: Lang, phrase: str) -> str:
    lines = [say("init.made", lang, folder=folder), ""]
    if sample and sample.server:
        lines.append(
            f"  {sample.secret}={_TRIED} {shlex.quote(sys.executable)} {folder / sample.server} &"
        )
    lines += [f"  signoff {command} {folder}" for command in ("validate", "test", "run")]
    return "\n".join([*lines, "", say("init.then", lang, phrase=phrase)])
