"""Which read-only tool answers a text without a model, and with which arguments (promise 4)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache
from typing import Any

from engine.frames.intents import Lookup
from engine.text import wording
from engine.text.entities import DAY_MARK, dates, fold, fold_cue
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.values import remove_values
from engine.tools.model import Tool
from engine.understanding.grammar.reading import GRAMMAR, level
from engine.understanding.lookups.arguments import (
    arguments_of,
    take_arguments,
)
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.examples import index_examples
from engine.understanding.lookups.follow_ups import continue_text
from engine.understanding.lookups.text import (
    LookupText,
    bare,
    clear_example,
    look_at,
    remove_cues,
    says,
    tell_in_order,
    with_day,
    with_period,
)
from engine.understanding.lookups.words import (
    content,
    has_matter,
    is_bare,
    known_words,
    own_words,
    takes_period,
    unanswered_words,
    unread_letters,
    without_latin_cues,
    without_ordinal,
)

_PERIOD = re.compile(
    rf"\b(?:before|until|till)\s*{DAY_MARK}|{DAY_MARK}\s*(?:[之以][前后]|为止|后|前)"
)
"""A time until or from a day, which is no condition."""

_PAST = re.compile(r"\b(?:was|were|did|had|has|have|been|last)\b|[了过]|上个?(?:周|星期|礼拜)")
Answer = tuple[Lookup, str]


def find(
    text: str,
    tools: Sequence[Tool[Any]],
    *,
    today: date,
    entities: Entities = NO_ENTITIES,
    recent: Sequence[str] = (),
) -> Answer | None:
    """The look-up that surely answers the text, and why; None when none does or several might.

    `recent` are the person's earlier texts, the newest last; only a follow-up leans on them.
    """
    asked = look_at(text, entities, today)
    found = _find_on_day(text, tools, today, entities) or _find_timed(asked, tools, entities)
    plainer = () if found else (*plainer_questions(text), *_dated(text, today))
    found = found or next(
        filter(None, (_find_timed(look_at(t, entities, today), tools, entities) for t in plainer)),
        None,
    )
    if not found and recent and wording.follows_up(asked.said):
        meant = continue_text(asked, recent, entities)
        answers = (find(each, tools, today=today, entities=entities) for each in meant)
        found = next(filter(None, answers), None)
    return found


def _find_on_day(
    text: str, tools: Sequence[Tool[Any]], today: date, entities: Entities
) -> Answer | None:
    """The look-up of the weekday of a text: an example with a weekday is not of every day."""
    for dated in _dated(text, today):
        found = _find_timed(look_at(dated, entities, today), tools, entities)
        if found and {*dates(dated, today)} & {*_days_of(found[0])}:
            return found
    return None


def _dated(text: str, today: date) -> tuple[str, ...]:
    """The text with its date for its weekday; of what is past, where that is past ("last Friday").

    Which "Friday" is meant in what is past is not known.
    """
    dated = with_day(text, today)
    if dated == text:
        return ()
    is_past = _PAST.search(fold(text)) is not None
    return (dated,) if not is_past or any(day < today for day in dates(dated, today)) else ()


def bare_question(text: str) -> str:
    """What a text asks that says that it asks, as a bare question; another text as it is."""
    found = GRAMMAR.asked(level(text))
    return f"{text[found.start : found.end]}?" if found and found.start < found.end else text


def plainer_questions(text: str) -> list[str]:
    """Other ways to put a text that asks the same: as a bare question, and as one for a count."""
    asked = bare_question(text)
    counted = wording.as_count(level(asked))
    return [each for each in (asked, counted) if each not in ("", text)]


def _find_timed(asked: LookupText, tools: Sequence[Tool[Any]], entities: Entities) -> Answer | None:
    if found := _find(asked, tools, entities):
        return found
    timed = index_cues(tools).timed
    named = with_period(asked, entities) if timed else None
    return _find(named, timed, entities) if named else None


def _find(asked: LookupText, tools: Sequence[Tool[Any]], entities: Entities) -> Answer | None:
    by_cue = find_by_cue(asked, tools, entities)
    if by_cue is not None:
        # What a tool has as an example, word for word, is no other tool's by a cue in it.
        same = _by_example(asked, tools, entities, word_for_word=True)
        return same if same is not None and same[0].tool != by_cue[0].tool else by_cue
    return _by_example(asked, tools, entities) or _by_words(asked, tools, entities)


def unexplained_words(
    text: str, lookup: Lookup, tools: Sequence[Tool[Any]], *, today: date, entities: Entities
) -> str:
    """The words of a text that the look-up does not account for, "" where it does for all.

    They are accounted for by its cues, labels and arguments, by what they name, or as the form of
    a question; or the text is one of the tool's examples. A tool without cues goes by these alone.
    """
    dated = _as_answered(text, lookup, today)
    texts = dict.fromkeys((bare_question(dated), *plainer_questions(dated)))
    left = [_unexplained(look_at(t, entities, today), lookup, tools, entities) for t in texts]
    return left[0] if all(left) else ""


def _as_answered(text: str, lookup: Lookup, today: date) -> str:
    """The text with its date for its weekday, where the look-up is of that day."""
    days = {*_days_of(lookup)}
    dated = with_day(text, today) if days else text
    return dated if {*dates(dated, today)} & days else text


def _days_of(lookup: Lookup) -> Iterator[date]:
    for value in lookup.arguments.values():
        with suppress(ValueError):
            yield date.fromisoformat(str(value))


def _unexplained(
    asked: LookupText, lookup: Lookup, tools: Sequence[Tool[Any]], entities: Entities
) -> str:
    tool = next((each for each in tools if each.name == lookup.tool), None)
    if tool is not None and takes_period(tool) and lookup.arguments:
        asked = with_period(asked, entities) or asked
    if tool is None or not tool.cues:
        return ""
    like = _find_example(asked, tools, entities)
    if like is not None and like[0][0].tool == tool.name:
        return "" if like[1] else unanswered_words(tool, asked.said)
    cues = next((found for each, found in index_cues(tools).find(asked.said) if each is tool), ())
    clear = without_ordinal(asked.clear, tool)
    rest = without_latin_cues(clear, [fold_cue(cue) for cue in cues])
    known = own_words(tool, cues, lookup.arguments, asked.said)
    left = known.unexplained(rest, "asked", period=takes_period(tool))
    letters = unread_letters(entities.marked(asked.text), lookup.arguments)
    return " ".join(filter(None, (unanswered_words(tool, asked.said), left, letters)))


def is_example(
    asked: LookupText, tool: Tool[Any], tools: Sequence[Tool[Any]], entities: Entities
) -> bool:
    """Whether the text is one of the tool's examples, but for what it names."""
    return _is_like(asked, tool, tools, entities, exactly=True)


def _is_like(
    asked: LookupText,
    tool: Tool[Any],
    tools: Sequence[Tool[Any]],
    entities: Entities,
    *,
    exactly: bool,
) -> bool:
    """Whether the text is an example of the tool's, word for word or by what it is about."""
    like = _by_example(asked, tools, entities, word_for_word=exactly)
    return like is not None and like[0].tool == tool.name


def name_left_out(
    text: str, lookup: Lookup, tools: Sequence[Tool[Any]], *, today: date, entities: Entities
) -> str:
    """What of a question to tell that its answer leaves out; "" where it takes all of the text.

    What leans on an earlier question is not looked at.
    """
    tool = next((each for each in tools if each.name == lookup.tool), None)
    if tool is None or reads_message(tool):
        return ""
    text = _as_answered(text, lookup, today)
    core = GRAMMAR.asked(level(text)) or GRAMMAR.core(level(text))
    asked = look_at(text[core.start : core.end] or text, entities, today)
    says_it = any(each is tool for each, _ in index_cues(tools).find(asked.said))
    if not says_it and not _is_like(asked, tool, tools, entities, exactly=False):
        return ""
    return tell_in_order(_unexplained(asked, lookup, tools, entities), asked)


def finds_part(text: str, tools: Sequence[Tool[Any]], *, today: date, entities: Entities) -> bool:
    """Whether a look-up would surely answer the text if all its words were explained."""
    return find_by_cue(look_at(text, entities, today), tools, None) is not None


def cue_found(text: str, cues: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """The cues in a folded text; Latin ones only from the start of a word."""
    folded = _fold_cues(tuple(cues))
    return [cue for cue, plain in folded if plain in text and says(text, plain)]


@lru_cache(maxsize=256)
def _fold_cues(cues: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((cue, fold_cue(cue)) for cue in cues)


def find_by_cue(
    asked: LookupText, tools: Sequence[Tool[Any]], entities: Entities | None
) -> Answer | None:
    """The look-up whose cues a text has, and why; without entities words are not looked at."""
    hits: list[tuple[int, Lookup, str]] = []
    for tool, cues in index_cues(tools).find(asked.said):
        if not _suits(tool, cues, asked, entities):
            continue
        arguments = take_arguments(tool, cues, asked)
        if arguments is not None:
            why = ", ".join((f"{tool.name}: says {', '.join(cues)}", *(m.id for m in asked.named)))
            hits.append(
                (max(map(cue_width, cues)), Lookup(tool=tool.name, arguments=arguments), why)
            )
    hits.sort(key=lambda hit: -hit[0])
    if not hits or (len(hits) > 1 and hits[0][0] == hits[1][0]):
        return None
    return hits[0][1], hits[0][2]


def _by_example(
    asked: LookupText,
    tools: Sequence[Tool[Any]],
    entities: Entities,
    *,
    word_for_word: bool = False,
) -> Answer | None:
    """What `_find_example` finds."""
    found = _find_example(asked, tools, entities, word_for_word=word_for_word)
    return found[0] if found else None


def _find_example(
    asked: LookupText,
    tools: Sequence[Tool[Any]],
    entities: Entities,
    *,
    word_for_word: bool = False,
) -> tuple[Answer, bool] | None:
    """A question that is an example but for what it names, its days and numbers: then True.

    Else, if not only `word_for_word`, the only tool one of whose examples has the same words that
    say what it is about.
    """
    plain, about = bare(asked.clear), content(asked.clear)
    if not plain:
        return None
    alike: list[Answer] = []
    for tool, known in index_examples(tools, entities).alike(plain, about):
        same = plain in known.by_text
        example = known.by_text[plain] if same else known.by_content[about]
        if word_for_word and not same:
            continue
        if not same and not (is_asked(asked) and _suits_manner(tool, asked, (example,), entities)):
            continue
        arguments = take_arguments(tool, (), asked, example=fold(example))
        if arguments is None:
            continue
        lookup = Lookup(tool=tool.name, arguments=arguments)
        answer = lookup, f"{tool.name}: like its example {example!r}"
        if same:
            return answer, True
        alike.append(answer)
    return (alike[0], False) if len(alike) == 1 else None


def _by_words(asked: LookupText, tools: Sequence[Tool[Any]], entities: Entities) -> Answer | None:
    """The only tool without cues that explains every word by its examples, also what is asked."""
    if not has_matter(asked.clear) or not is_asked(asked):
        return None
    found: list[Answer] = []
    for tool, known in index_examples(tools, entities).explaining(asked.clear):
        period = takes_period(tool)
        if reads_message(tool) or known.unexplained(asked.clear, "exactly", period=period):
            continue
        arguments = take_arguments(tool, (), asked)
        if arguments is not None and _suits_manner(tool, asked, tool.examples, entities):
            lookup = Lookup(tool=tool.name, arguments=arguments)
            found.append((lookup, f"{tool.name}: its examples have every word"))
    return found[0] if len(found) == 1 else None


def _suits_manner(
    tool: Tool[Any], asked: LookupText, examples: Sequence[str], entities: Entities
) -> bool:
    """Whether the text is put plainly, or in no other way than one of the examples is."""
    period = takes_period(tool)
    manner = _manner(asked.said, asked.clear, period=period)
    if not manner:
        return True
    marked = map(entities.marked, examples)
    return any(manner <= _manner_of_example(each, period) for each in marked)


@lru_cache(maxsize=1024)
def _manner_of_example(marked: str, period: bool) -> frozenset[Callable[[str], bool]]:
    return _manner(fold(wording.unquoted(marked)), clear_example(marked), period=period)


def is_asked(asked: LookupText) -> bool:
    """A question, a bidding, or bare key words."""
    return wording.asks(asked.said) or wording.reads(asked.said) or is_bare(asked.clear)


def _suits(
    tool: Tool[Any], cues: Sequence[str], asked: LookupText, entities: Entities | None
) -> bool:
    """Whether the tool answers this kind of text, and explains every word of it.

    Words are not looked at without the entities.
    """
    folded = [fold_cue(cue) for cue in cues]
    if reads_message(tool):
        asks = wording.asks(asked.said) or not wording.writes(asked.said)
        return asks and not wording.denies(asked.said) and _is_request(asked, folded)
    if not _is_plain(tool, remove_cues(asked.said, folded), remove_cues(asked.clear, folded)):
        return False
    asks = wording.asks(asked.said) or wording.reads(asked.said)
    if not asks and _states_value(asked, folded):
        return False
    if entities is None:
        return True
    clear = without_ordinal(asked.clear, tool)
    rest, known = without_latin_cues(clear, folded), known_words(tool, entities)
    return not known.unexplained(rest, "asked" if asks else "told", period=takes_period(tool))


def _is_plain(tool: Tool[Any], said: str, clear: str) -> bool:
    """Whether what is said beside its cues neither denies, changes, doubts nor asks for more."""
    return not _manner(said, clear, period=takes_period(tool))


_MANNERS: tuple[Callable[[str], bool], ...] = (
    wording.denies,
    wording.writes,
    wording.asks_how,
    wording.beyond_lookup,
)


def _manner(said: str, clear: str, *, period: bool) -> frozenset[Callable[[str], bool]]:
    """In which ways a text is more than a plain question."""
    within = _PERIOD.sub(" ", clear) if period else clear
    times = (wording.conditional, wording.vague_time)
    return frozenset(
        (*(each for each in _MANNERS if each(said)), *(each for each in times if each(within)))
    )


def reads_message(tool: Tool[Any]) -> bool:
    """Whether it searches for what the whole message says."""
    return any(argument.type == "message" for argument in arguments_of(tool))


def _is_request(asked: LookupText, cues: Sequence[str]) -> bool:
    """A question, a bidding, or bare key words; a value that is told is none of these."""
    if wording.asks(asked.said):
        return True
    if _states_value(asked, cues):
        return False
    return wording.reads(asked.said) or not content(remove_cues(asked.clear, cues))


def _states_value(asked: LookupText, cues: Sequence[str]) -> bool:
    return any(not says(remove_values(asked.said, [cue]), cue) for cue in cues)


def cue_width(cue: str) -> int:
    """Length as read: a Chinese character weighs two letters."""
    return sum(1 if c.isascii() else 2 for c in cue)
