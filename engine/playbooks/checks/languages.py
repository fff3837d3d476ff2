"""Texts of a playbook that lack a language of the service."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from cards.model import Lang
from engine.text.language import LocalizedText
from engine.yaml.faults import Path
from engine.yaml.source import Problems, Source


def check_languages(
    read: Any, source: Source, languages: Sequence[Lang], problems: Problems, at: Path = ()
) -> None:
    """Add a problem for each text of what was read that is by language and lacks one of these."""
    for path, text in _texts_in(read, at):
        if lacks := text.lacks(languages):
            told = f"lacks {' and '.join(lacks)}; a plain text is for every language"
            problems.add(source.problem(path, told))


def _texts_in(read: Any, at: Path) -> Iterator[tuple[Path, LocalizedText]]:
    match read:
        case str() | int() | float() | None:  # most are, and the others take longer to tell
            return
        case LocalizedText():
            yield at, read
        case BaseModel():
            for name in type(read).model_fields:
                yield from _texts_in(getattr(read, name), (*at, name))
        case Mapping():
            for name, each in read.items():
                yield from _texts_in(each, (*at, str(name)))
        case tuple() | list():
            for number, each in enumerate(read):
                yield from _texts_in(each, (*at, number))
