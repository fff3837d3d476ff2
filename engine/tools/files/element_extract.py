"""Take days, entities, money, addresses and numbers out of a text or a file, by form alone."""

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, cast

from pydantic import Field

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolRetry
from engine.text.elements import ElementKind, FormKind
from engine.text.entity_kinds import EntityKind
from engine.tools.arguments import Arguments
from engine.tools.files.elements import Element, find_elements
from engine.tools.files.project_file import TIMEOUT_S, FileName, find_text, tell_unknown_file
from engine.tools.model import Tool, ToolContext

SEARCHED_CHARS = 200_000
"""At most so many characters of a file are searched."""

LISTED = 30
"""At most so many of each kind are listed."""

TEXT_CHARS = 60
_HEADS: dict[FormKind, str] = {
    "date": "tool.element.dates",
    "amount": "tool.element.amounts",
    "email": "tool.element.emails",
    "phone": "tool.element.phones",
    "id_number": "tool.element.id_numbers",
}


class ElementExtract(Arguments):
    """The text or the file."""

    text: str = Field(default="", max_length=4000, description="The text itself; or give `name`.")
    name: FileName | None = Field(
        default=None, description="The name of a file as file__list gives it, instead of a text."
    )


async def _run(args: ElementExtract, ctx: ToolContext) -> dict[str, Any]:
    text = args.text
    if args.name is not None:
        found_text = await find_text(args.name, ctx)
        if isinstance(found_text, dict):
            return found_text
        text = found_text.text
    if not text.strip():
        raise ToolRetry("Wrong arguments text, name. Give a text or the name of a file.")
    # A long file takes a while, and nobody else should wait for it.
    found = await asyncio.to_thread(_find, text[:SEARCHED_CHARS], ctx)
    return {
        "found": True,
        "name": args.name,
        "elements": [_as_json(element) for element in _list_first(found)],
        "counts": dict(Counter(element.kind for element in found)),
        "labels": {k.name: k.label.model_dump() for k in _own_kinds(ctx) if k.label},
        "cut": len(text) > SEARCHED_CHARS,
    }


def _own_kinds(ctx: ToolContext) -> tuple[EntityKind | ElementKind, ...]:
    return (*ctx.entities.kinds, *ctx.elements)


def _find(text: str, ctx: ToolContext) -> list[Element]:
    return list(find_elements(text, ctx.today, ctx.entities, ctx.elements))


def _list_first(found: Sequence[Element]) -> list[Element]:
    kinds = _ordered({element.kind for element in found})
    return [e for kind in kinds for e in [o for o in found if o.kind == kind][:LISTED]]


def _ordered(kinds: Collection[str]) -> list[str]:
    """Days first, then what is of the project."""
    first, *others = _HEADS
    own = sorted(kind for kind in kinds if kind not in _HEADS)
    return [kind for kind in (first, *own, *others) if kind in kinds]


def _as_json(element: Element) -> dict[str, Any]:
    return {
        "kind": element.kind,
        "value": shorten(element.value, TEXT_CHARS),
        "text": shorten(element.text, TEXT_CHARS),
        "valid": element.valid,
    }


def _tell(result: dict[str, Any], lang: Lang) -> str:
    if not result["found"]:
        return tell_unknown_file(result, lang)
    lines = [_tell_kind(kind, result, lang) for kind in _ordered(result["counts"])]
    text = "\n".join(f"- {line}" for line in lines) or say("tool.element.none", lang)
    return f"{text}\n\n{say('tool.element.cut', lang, n=SEARCHED_CHARS)}" if result["cut"] else text


def _tell_kind(kind: str, result: dict[str, Any], lang: Lang) -> str:
    listed = [element for element in result["elements"] if element["kind"] == kind]
    values = say("list.items", lang).join(_tell_value(element, lang) for element in listed)
    count = result["counts"][kind]
    if key := _HEADS.get(cast(FormKind, kind)):
        head = say(key, lang, n=count, values=values)
    else:
        label = literal(result.get("labels", {}).get(kind, {}).get(lang, kind))
        head = say("tool.element.named", lang, label=label, n=count, values=values)
    more = count - len(listed)
    return head + say("tool.element.more", lang, n=more) if more else head


def _tell_value(element: dict[str, Any], lang: Lang) -> str:
    value = literal(element["value"])
    return value if element["valid"] else say("tool.element.invalid", lang, value=value)


ELEMENT_EXTRACT = Tool(
    name="element__extract",
    description=(
        "Takes out of a text, or out of a file of the conversation's project, what has a certain "
        "form: dates (YYYY-MM-DD), ids and names of the project and its own kinds (`labels` says "
        "what these are), amounts of money, e-mail addresses, phone numbers, Chinese identity "
        "numbers (only their last four characters are shown; `valid` is whether the check digit "
        "fits). `counts` counts all, `elements` holds the first 30 of each kind; `cut` is set when "
        "only the first 200000 characters of a file were looked at. "
        "What is of no such form, and what a text means, is not found."
    ),
    arguments=ElementExtract,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "提取 minutes.txt 里的日期",
        "contract.md 里有哪些金额",
        "从 notes.txt 提取邮箱",
        "letter.txt 里的电话号码",
        "summary.md 提到了哪些编号",
        "把 offer.txt 的关键要素列出来",
        "offer.md 的要素提取",
        "从 orders.csv 里找出所有日期",
        "statement.txt 里有没有身份证号",
        "列出 ledger.csv 里的金额",
        "Extract the dates from minutes.txt",
        "Which amounts are in contract.md?",
        "Extract the e-mail addresses from notes.txt",
        "List the phone numbers in letter.txt",
        "Which ids does summary.md name?",
        "List the key elements of offer.txt",
        "Extract the elements of offer.md",
        "Find all dates in orders.csv",
        "Are there identity numbers in statement.txt?",
        "List the amounts in ledger.csv",
    ),
    cues={
        "要素提取": {},
        "提取要素": {},
        "extract the elements": {},
    },
    needs=("name",),
    timeout_s=TIMEOUT_S,
)
