"""A small project folder of one's own, out of a few answers: every file of it teaches."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cards.model import Lang
from cards.texts import say
from engine.text.language import detect_language

_TEMPLATES: Final = Path(__file__).parent / "templates"
_IN: Final = ("en", "zh")
_RENAMED: Final = {"gitignore": ".gitignore", "env.example": ".env.example"}
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z-]{1,40}")
_SMALL: Final = frozenset(
    {
        *("a", "an", "the", "my", "our", "your", "some", "any", "new", "for", "of", "to", "in"),
        *("on", "at", "by", "with", "from", "and", "or", "please", "me", "us"),
    }
)
_REVIEWERS: Final = {"robin": "init.robin", "sam": "init.sam"}
"""Who reviews, and the text with the name; the second is for a namesake of the first."""
_NAME_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Starter:
    """What somebody wants to start with: who they are, and the first thing that people ask for.

    `request_also` is that in the other language of a folder with both; "" where it is not known.
    """

    folder: str
    person: str
    languages: tuple[Lang, ...]
    zone: str
    request: str
    request_also: str = ""

    @property
    def lang(self) -> Lang:
        """The language of the comments and texts."""
        return usual_language(self.languages)

    @property
    def other(self) -> Lang:
        """The other language that texts are written in, "" for none."""
        return other_language(self.languages)

    @property
    def project(self) -> str:
        """The name of the project that conversations belong to."""
        return project_name(self.folder)


def usual_language(languages: Sequence[Lang]) -> Lang:
    """The first of these that the templates have, else English."""
    return next((each for each in languages if each in _IN), "en")


def other_language(languages: Sequence[Lang]) -> Lang:
    """The second of these that the templates have; "" where there is none."""
    return next(
        (each for each in languages if each in _IN and each != usual_language(languages)), ""
    )


def project_name(folder: str) -> str:
    """The name of a project by that of its folder."""
    return _slug(folder).upper() or "HOME"


def write_starter(starter: Starter) -> dict[str, str]:
    """The texts of the folder's files by their place in it."""
    pages, values = _pages(starter.lang), _values(starter)
    pages.filters["also"] = partial(_in_both, lang=starter.lang, other=starter.other)
    folder = f"playbooks/{values['id']}/"
    return {
        _RENAMED.get(name, name).replace("playbook/", folder, 1): pages.get_template(name).render(
            values
        )
        for name in sorted(pages.list_templates())
    }


def write_usual(lang: Lang) -> dict[str, str]:
    """The texts of the files that every folder has, whatever its playbooks do."""
    pages = _pages(lang)
    return {place: pages.get_template(name).render() for name, place in _RENAMED.items()}


def _pages(lang: Lang) -> Environment:
    pages = Environment(
        loader=FileSystemLoader(_TEMPLATES / lang),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - these are YAML, not HTML
    )
    pages.filters |= {"yaml": _as_yaml, "line": _as_line, "text": _without_names}
    return pages


def _values(starter: Starter) -> dict[str, Any]:
    request, also = starter.request, starter.request_also or starter.request
    person_id = _slug(starter.person.split()[0]) or "me"
    reviewer_id = next(each for each in _REVIEWERS if each != person_id)
    return {
        "folder": starter.folder,
        "languages": starter.languages,
        "both": bool(starter.other),
        "zone": starter.zone,
        "person": starter.person,
        "person_id": person_id,
        "reviewer_id": reviewer_id,
        "reviewer": say(_REVIEWERS[reviewer_id], starter.lang),
        "project": starter.project,
        "id": _slug(request) or "requests",
        "title": request[:1].upper() + request[1:],
        "title_also": also[:1].upper() + also[1:],
        "phrase": request[:1].lower() + request[1:],
        "phrase_also": also[:1].lower() + also[1:],
        "is_said_in_both": bool(starter.request_also),
        "cues": list(dict.fromkeys([*_cues(request), *_cues(also)])),
    }


def _cues(request: str) -> list[str]:
    """The words that such requests have: in Chinese the verb, mostly of two characters, and all."""
    if detect_language(request) == "zh":
        return list(dict.fromkeys((request[:2], request[2:] or request)))
    words = [word.lower() for word in _WORD.findall(request)]
    return list(dict.fromkeys(word for word in words if word not in _SMALL)) or words[:1]


def _slug(text: str) -> str:
    """The text as a name of lower-case letters, digits and -; "" where it has no such letters."""
    words = "-".join(re.findall(r"[a-z0-9]+", text.lower()))
    return words.lstrip("0123456789-")[:_NAME_CHARS].rstrip("-")


def _as_yaml(value: Any) -> str:
    """A scalar or a list as YAML on one line; JSON's quotes are YAML's."""
    if isinstance(value, list):
        return f"[{', '.join(map(_as_yaml, value))}]"
    letters = value[:1].isalpha() and value[-1:].isalpha()
    plain = letters and all(char.isalpha() or char in " '-" for char in value)
    reserved = value.lower() in ("true", "false", "null", "yes", "no", "on", "off")
    return value if plain and not reserved else json.dumps(value, ensure_ascii=False)


def _in_both(text: str, translated: str, *, lang: Lang, other: Lang) -> str:
    """A text as YAML in one language, or in both where the folder has an `other` one."""
    if not other or text == translated:
        return _as_yaml(text)
    return f"{{{lang}: {_as_yaml(text)}, {other}: {_as_yaml(translated)}}}"


def _without_names(value: str) -> str:
    """The words for a text in which names in braces stand for something."""
    return value.replace("{", "{{").replace("}", "}}")


def _as_line(value: str) -> str:
    return " ".join(value.split())
