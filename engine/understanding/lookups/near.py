"""Questions near one that nothing answers, which look-ups do answer: people choose among them."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any, Final

from cards.model import Lang
from engine.frames.intents import Candidate, Lookup
from engine.text.entities import MARKS, fold
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.language import suits_language
from engine.text.search_words import RUNS, is_chinese, stem
from engine.text.similarity import Grams, bigrams, cosine, grams
from engine.tools.model import Tool
from engine.understanding.lookups.find import find, reads_message
from engine.understanding.lookups.sections import SectionIndex
from engine.understanding.lookups.text import (
    STAND_INS,
    LookupText,
    bare,
    clear_example,
    look_at,
    with_any_day,
)
from engine.understanding.lookups.words import SMALL_WORDS, content

_FILLERS = re.compile(
    rf"[{MARKS}的吗呢吧]|怎么样?|什么|多少|哪[些个]?|一下|请问"
    r"|\b(?:what|is|the|of|how|an?|to|do|does|did|are|there|me|please|for|in|i|can|s)\b"
)
MOST_NEAR = 3
NAMED: Final = 0.4
"""What it weighs that an example is asked of what the text names."""

_NEARLY_SAID: Final = 0.55
"""How near a question about files or notes is to a text that is about them."""


@dataclass(frozen=True, slots=True)
class _Example:
    """A question that a tool has as an example, the words that say what it is about, and whether it
    `names` a thing, which the text names as well.
    """

    tool: Tool[Any]
    question: str
    words: frozenset[str]
    names: bool


def near_questions(
    text: str,
    tools: Sequence[Tool[Any]],
    lang: Lang,
    *,
    today: date,
    entities: Entities,
    or_any: bool = False,
    texts: Sequence[Candidate] = (),
) -> tuple[tuple[Lookup, str], ...]:
    """Look-ups and the questions that ask for them, the nearest first; none of the text itself.

    They are examples of the folder's own tools, in the language, which share a word with the text
    that says what it is about, or are asked of a thing that it names, and name only what it names;
    and the `texts` that have words of it. Where there is none of these, there is none;
    `or_any`, of each tool that tells what is recorded the nearest.
    """
    wanted = _matter_words(text, entities, today)
    examples = [
        _Example(
            tool,
            meant,
            _matter_words(meant, entities, today),
            names=bool(entities.matches(meant)),
        )
        for tool in tools
        if tool.readonly and (tool.project or tool.playbook)
        for example in tool.examples
        if suits_language(example, lang)
        for meant in (_naming_the_same(example, text, entities),)
        if meant
    ]
    having = Counter(word for each in examples for word in each.words)
    scores = [
        sum(1 / having[word] for word in each.words & wanted) + NAMED * bool(each.names)
        for each in examples
    ]
    ranked = sorted(range(len(scores)), key=lambda n: -scores[n])
    near = [examples[n] for n in ranked if scores[n]]
    told = [(each.lookup, each.name) for each in texts if each.lookup]
    if or_any and not (near or told):
        near = _of_what_there_is(text, examples, entities)
    found: dict[str, tuple[Lookup, str]] = {}
    if told and not any(each.names for each in near[:1]):
        found[told[0][0].model_dump_json()] = told[0]
    for each in near:
        answer = find(each.question, tools, today=today, entities=entities)
        if answer is not None:
            found.setdefault(answer[0].model_dump_json(), (answer[0], each.question))
        if len(found) >= MOST_NEAR:
            break
    for lookup, name in told:
        found.setdefault(lookup.model_dump_json(), (lookup, name))
    return tuple(found.values())[:MOST_NEAR]


def near_sections(
    text: str, sections: SectionIndex, tools: Sequence[Tool[Any]], lang: Lang, asked: LookupText
) -> tuple[Candidate, ...]:
    """The sections that have most words of a question, with the share of its words (`score`).

    One that an answer quotes is named by the answer's example that is most like the question.
    """
    by_name = {tool.name: tool for tool in tools}
    found: list[Candidate] = []
    for each in sections.near(asked, lang)[:MOST_NEAR]:
        own = by_name.get(each.answer)
        examples = [e for e in own.examples if suits_language(e, lang)] if own else []
        lookup, name = each.lookup, each.name
        if own and examples:
            name = max(examples, key=lambda e: cosine(bigrams(fold(text)), bigrams(fold(e))))
            lookup = Lookup(tool=own.name, arguments={})
        if name:
            found.append(Candidate(kind="qa_query", lookup=lookup, name=name, score=each.share))
    return tuple(found)


def _of_what_there_is(
    text: str, examples: Sequence[_Example], entities: Entities
) -> list[_Example]:
    """The nearest example of each tool that tells what is recorded, the nearest tool first."""
    asked = _matter(text, entities)
    nearest: dict[str, tuple[float, _Example]] = {}
    for each in examples:
        if each.tool.is_answer or reads_message(each.tool):
            continue
        alike = cosine(asked, _matter(each.question, entities))
        if alike > nearest.get(each.tool.name, (-1.0, each))[0]:
            nearest[each.tool.name] = alike, each
    return [each for _, each in sorted(nearest.values(), key=lambda found: -found[0])]


def _naming_the_same(example: str, text: str, entities: Entities) -> str:
    """The example of what the text names; "" where the text names no such thing, or several."""
    named = entities.matches(text)
    for match in reversed(entities.matches(example)):
        own = {text[each.start : each.end] for each in named if each.kind == match.kind}
        if len(own) != 1:
            return ""
        example = f"{example[: match.start]}{own.pop()}{example[match.end :]}"
    return example


def _matter_words(text: str, entities: Entities, today: date) -> frozenset[str]:
    """The words that say what a text is about: stems, and pairs of neighbouring characters."""
    clear = look_at(text, entities, today).clear
    runs = RUNS.findall(fold(STAND_INS.sub(" ", " ".join(content(clear)))))
    words = {stem(run) for run in runs if not is_chinese(run) and run not in SMALL_WORDS}
    pairs = {run[i : i + 2] for run in runs if is_chinese(run) for i in range(len(run) - 1)}
    return frozenset(words | pairs)


def suggestions(
    text: str,
    tools: Sequence[Tool[Any]],
    lang: Lang,
    n: int = 3,
    *,
    entities: Entities = NO_ENTITIES,
    alone: bool = True,
) -> tuple[str, ...]:
    """The `n` example questions of that language nearest to the text, no two of them alike, and
    none that is the text itself but for what it names.

    With nothing in common, the first of each tool. Of the tools that every service has, which ask
    for files and notes that nobody may have, only what the text nearly says; all of it where
    these tools stand `alone`, for the folder has none of its own and no requests.
    """
    asked = _matter(text, entities)
    ranked: list[tuple[float, bool, int, str]] = []
    for tool in tools:
        told = [e for e in tool.examples if tool.readonly and suits_language(e, lang)]
        ranked += [
            (-cosine(asked, _matter(e, entities)), not (tool.project or tool.playbook), i, e)
            for i, e in enumerate(told)
        ]
    if not alone or not all(common for _, common, _, _ in ranked):
        said = grams(fold(text)).counts.keys()
        ranked = [each for each in ranked if not each[1] or _nearly_says(said, each[3], -each[0])]
    ranked.sort(key=lambda found: found[:3])
    kinds: dict[str, str] = {}
    own = _without_names(text, entities)
    for *_, example in ranked:
        kinds.setdefault(bare(clear_example(entities.marked(example))), example)
    others = (each for each in kinds.values() if _without_names(each, entities) != own)
    return tuple(islice(others, n))


def _without_names(text: str, entities: Entities) -> str:
    """The text as questions are compared, whatever it names and of whatever day it is."""
    return bare(clear_example(entities.marked(with_any_day(text))))


def _nearly_says(said: Set[str], example: str, alike: float) -> bool:
    """Whether the words that are said are about what the example asks, to which a text is alike.

    A very short text is alike by chance, as `hi` is to what has `which`.
    """
    return alike >= _NEARLY_SAID and not said.isdisjoint(grams(fold(example)).counts)


def _matter(text: str, entities: Entities) -> Grams:
    """What the text is about, whoever and whenever it is about."""
    return bigrams(_FILLERS.sub(" ", clear_example(entities.marked(text))))
