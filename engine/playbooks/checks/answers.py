"""A playbook's answers: read, and checked against its tools and documents (design §11)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cards.model import Lang
from engine.playbooks.answer import MAX_ANSWERS, AnswerDefinition
from engine.playbooks.leaf import value_faults
from engine.playbooks.tool import ToolDefinition
from engine.text.entities import fold
from engine.yaml.faults import Path, suggestion
from engine.yaml.source import Problems, Source, try_build

Headings = Mapping[str, Collection[str] | None]
"""The headings of each document, by its file; None where the file itself has faults."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


@dataclass(frozen=True, slots=True)
class AnswerNames:
    """What answers may refer to; None is not known, and not checked."""

    tools: Mapping[str, ToolDefinition]
    documents: Headings | None
    roles: Collection[str] | None
    languages: Sequence[Lang]


def read_answers(
    source: Source, problems: Problems, names: AnswerNames
) -> dict[str, AnswerDefinition]:
    """The answers of an `answers.yaml` as far as they stand; what is wrong goes to `problems`."""
    answers: dict[str, AnswerDefinition] = {}
    data = source.data if source.data is not None else {}
    if not isinstance(data, dict):
        problems.add(source.problem((), "should be a mapping from names to answers"))
        return answers
    if len(data) > MAX_ANSWERS:
        problems.add(source.problem((), f"has more than {MAX_ANSWERS} answers"))
        return answers
    asked: dict[str, str] = {}
    for name in data:
        if not _NAME.fullmatch(name):
            fault = "is no name: small letters, digits, _ and -, a letter first"
            problems.add(source.problem((name,), fault))
        answer = try_build(AnswerDefinition, source, problems, at=(name,))
        if answer is None:
            continue
        answers[name] = answer
        for path, fault in (*_faults(answer, names), *_repeats(name, answer, asked)):
            problems.add(source.problem((name, *path), fault))
    return answers


def _repeats(
    name: str, answer: AnswerDefinition, asked: dict[str, str]
) -> Iterator[tuple[Path, str]]:
    """Examples that stand twice; `asked` has those so far, with whose they are."""
    for example in answer.questions:
        other = asked.setdefault(fold(example).strip(" ?？.。!！"), name)
        if other != name:
            yield ("examples",), f"{example!r} is an example of {other} too"


def _faults(answer: AnswerDefinition, names: AnswerNames) -> Iterator[tuple[Path, str]]:
    for key in ("examples", "document"):
        given = getattr(answer, key)
        if isinstance(given, dict):
            yield from _language_faults(key, given, names.languages)
    for role in answer.roles:
        if names.roles is not None and role not in names.roles:
            fault = f"there is no role {role!r} in people.yaml; {suggestion(role, names.roles)}"
            yield ("roles",), fault.rstrip("; ")
    yield from _document_faults(answer, names.documents)
    if answer.tool:
        tool = names.tools.get(answer.tool)
        if tool is None or tool.reads is None:
            known = [name for name, each in names.tools.items() if each.reads]
            fault = f"tools.yaml has no {answer.tool!r} that reads"
            yield ("tool",), f"{fault}; {suggestion(answer.tool, known)}".rstrip("; ")
        else:
            yield from _tool_faults(answer, tool)


def _language_faults(
    key: str, given: Mapping[Lang, object], languages: Sequence[Lang]
) -> Iterator[tuple[Path, str]]:
    lacks = [lang for lang in languages if lang not in given]
    if lacks:
        yield (key,), f"lacks {' and '.join(lacks)}; without languages it is for every one"
    for lang in given.keys() - {"zh", "en"} - set(languages):
        yield (key, lang), "is no language of this project"


def _document_faults(
    answer: AnswerDefinition, documents: Headings | None
) -> Iterator[tuple[Path, str]]:
    if documents is None:
        return
    for lang, place in answer.places.items():
        at: Path = ("document", lang) if lang else ("document",)
        if place.file not in documents:
            fault = f"documents/ has no {place.file!r}; {suggestion(place.file, documents)}"
            yield (*at, "file"), fault.rstrip("; ")
            continue
        headings = documents[place.file]
        if headings is not None and place.heading not in headings:
            fault = f"{place.file} has no section {place.heading!r}"
            named = [heading for heading in headings if heading]
            yield (*at, "heading"), f"{fault}; {suggestion(place.heading, named)}".rstrip("; ")


def _tool_faults(answer: AnswerDefinition, tool: ToolDefinition) -> Iterator[tuple[Path, str]]:
    known = tool.facts.arguments
    for name, value in answer.arguments.items():
        leaf = tool.arguments.get(name)
        if leaf is not None:
            faults = value_faults(leaf, value)
            yield from ((("arguments", name, *path), fault) for path, fault in faults)
        elif known is not None:
            fault = f"is none of the arguments of {answer.tool}; {suggestion(name, known)}"
            yield ("arguments", name), fault.rstrip("; ")
    for name, leaf in tool.arguments.items():
        if leaf.required and leaf.type in _UNTAKEN and name not in answer.arguments:
            fault = f"{answer.tool} needs {name}, a {leaf.type}, which no question gives; name it"
            yield ("arguments",), fault
    if answer.tell:
        update = {"tell": answer.tell, "tell_when": (), "refused_when": ()}
        yield from tool.model_copy(update=update).tell_faults()


_UNTAKEN = frozenset({"text", "person", "email", "url", "file", "list", "money", "time"})
"""Types of arguments that a question without a model does not give."""
