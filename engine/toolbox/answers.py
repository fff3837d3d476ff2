"""Answers of a project folder as tools: for look-ups one each, for a model one for all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field, JsonValue, create_model
from pydantic_core import to_jsonable_python

from cards.clipping import shorten
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolFailed
from engine.playbooks.answer import FIND_ANSWERS, AnswerDefinition
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition
from engine.text.language import detect_language, suits_language
from engine.toolbox.telling import tell_result
from engine.tools.arguments import Arguments
from engine.tools.knowledge.knowledge_search import read_section, tell_quote
from engine.tools.knowledge.ranking import rank, tokens
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call, may_read

MATCHES = 3
LISTED = 30
"""So many other questions are named when none fits well."""

SHOWN_CHARS = 800


class NoArguments(Arguments):
    """Nothing: the question itself says which answer it is."""


NOTHING = NoArguments()


def answer_tools(playbook: Playbook, tools: Mapping[str, Tool[Any]]) -> tuple[Tool[Any], ...]:
    """The answers of a playbook, each as a tool that reads; `tools` are the playbook's own."""
    return tuple(
        _answer_tool(f"answer:{playbook.id}:{name}", answer, playbook, tools)
        for name, answer in playbook.answers.items()
    )


def _answer_tool(
    name: str, answer: AnswerDefinition, playbook: Playbook, tools: Mapping[str, Tool[Any]]
) -> Tool[Any]:
    if answer.tool:
        return _of_tool(name, answer, playbook.tools[answer.tool], tools[answer.tool])
    plain = _of_text(answer) if answer.text else _of_document(answer, playbook.id)
    return replace(
        plain,
        name=name,
        examples=answer.questions,
        roles=answer.roles,
        project=playbook.definition.project,
        playbook=playbook.id,
        is_answer=True,
    )


def _of_text(answer: AnswerDefinition) -> Tool[Any]:
    assert answer.text is not None
    text = answer.text
    shown = {lang: shorten(each, SHOWN_CHARS) for lang, each in text.root.items()}

    async def run(args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        return {"answer": shown.get("", shown)}

    said = " ".join(text.texts)
    return replace(_plain(said, run, lambda result, lang: text(lang)), text=said)


def _of_document(answer: AnswerDefinition, playbook: str) -> Tool[Any]:
    async def run(args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        quotes = {
            lang: await read_section(f"{playbook}/{place.file}", place.heading, ctx)
            for lang, place in answer.places.items()
        }
        found = {lang: quote for lang, quote in quotes.items() if quote}
        if not found:
            raise ToolFailed("knowledge.gone")
        return {"quotes": found}

    headings = " ".join(place.heading for place in answer.places.values())
    quotes = tuple((f"{playbook}/{each.file}", each.heading) for each in answer.places.values())
    return replace(_plain(headings, run, _tell_quotes), quotes=quotes)


def _tell_quotes(result: Mapping[str, Any], lang: Lang) -> str:
    quotes = result["quotes"]
    return tell_quote(quotes.get(lang) or quotes.get("en") or next(iter(quotes.values())), lang)


def _plain(about: str, run: Any, tell: Any) -> Tool[Any]:
    return Tool("", about, NoArguments, readonly=True, run=run, tell=tell)


def _of_tool(
    name: str, answer: AnswerDefinition, definition: ToolDefinition, tool: Tool[Any]
) -> Tool[Any]:
    """The tool with constant arguments, and told in the answer's own words."""
    told = definition.model_copy(update={"tell": answer.tell}) if answer.tell else None

    async def run(args: BaseModel, ctx: ToolContext) -> dict[str, Any]:
        given = to_jsonable_python(args, exclude_none=True)
        return await call(tool, {**answer.arguments, **given}, ctx)

    def tell(result: dict[str, Any], lang: Lang) -> str:
        return tell_result(told, result, lang) if told else tool.tell(result, lang)

    return replace(
        tool,
        name=name,
        arguments=_left_arguments(tool, answer.arguments),
        needs=tuple(each for each in tool.needs if each not in answer.arguments),
        run=run,
        tell=tell,
        examples=answer.questions,
        cues={},
        is_answer=True,
    )


def _left_arguments(tool: Tool[Any], given: Mapping[str, JsonValue]) -> type[BaseModel]:
    """The arguments that the answer does not give."""
    model: type[BaseModel] = tool.arguments
    left: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in model.model_fields.items()
        if name not in given
    }
    return create_model(model.__name__, __base__=Arguments, __doc__="", **left)


class AnswerQuestion(Arguments):
    """What is asked."""

    question: str = Field(max_length=500, description="The question, in the person's words.")


def _question(answer: Tool[Any], lang: Lang) -> str:
    """The first question that it answers, for a reader of that language where there is one."""
    return next((e for e in answer.examples if suits_language(e, lang)), answer.examples[0])


def find_answers_tool(answers: Sequence[Tool[Any]]) -> Tool[Any]:
    """The one tool by which a model finds answers; for those of tools it has the tools."""
    fixed = {tool.name: tool for tool in answers if tool.arguments is NoArguments}
    words = {
        name: Counter(tokens(" ".join((*tool.examples, tool.description))))
        for name, tool in fixed.items()
    }

    async def run(args: AnswerQuestion, ctx: ToolContext) -> dict[str, Any]:
        mine = {name: tool for name, tool in fixed.items() if may_read(tool, ctx)}
        ranked = rank(args.question, {name: words[name] for name in mine})
        best = [mine.pop(name) for name, _ in ranked[:MATCHES]]
        lang = detect_language(args.question)
        found = [
            {"name": each.name, "question": _question(each, lang), **await each.run(NOTHING, ctx)}
            for each in best
        ]
        others = [_question(tool, lang) for tool in mine.values()]
        return {"answers": found, "other_questions": others[:LISTED]}

    def tell(result: dict[str, Any], lang: Lang) -> str:
        told = (fixed[each["name"]].tell(each, lang) for each in result["answers"])
        return "\n\n".join(told) or say("tool.nothing_found", lang)

    return Tool(
        name=FIND_ANSWERS,
        description=(
            "Finds the answers that this project has ready for questions that people often ask. "
            "`answers` holds those that fit best; they are what the project says, so give them "
            "as they are. `other_questions` are some that have an answer too: ask again with one "
            "of them, word for word, to get it."
        ),
        arguments=AnswerQuestion,
        readonly=True,
        run=run,
        tell=tell,
    )
