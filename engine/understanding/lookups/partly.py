"""What look-ups answer of a question that asks for more than they tell, and what is left out."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from engine.frames.intents import Lookup
from engine.text import wording
from engine.text.entities import fold_cue
from engine.text.entity_kinds import Entities
from engine.tools.model import Tool
from engine.understanding.lookups.arguments import take_what_fits
from engine.understanding.lookups.cues import index_cues
from engine.understanding.lookups.find import (
    bare_question,
    cue_width,
    find_by_cue,
    is_asked,
    name_left_out,
    reads_message,
)
from engine.understanding.lookups.text import look_at, tell_in_order, with_day, with_period
from engine.understanding.lookups.words import (
    content,
    known_words,
    takes_period,
    without_latin_cues,
    without_ordinal,
)

_CLOCK: Final = r"[0-9]{1,2}(?:[:.][0-9]{2})?(?:\s?[ap]\.?m\b\.?|\s?(?:o'?clock|h)\b|点半?)?"
_HOURS: Final = re.compile(
    rf"(?:\b(?:from|between)\s|从)\s?{_CLOCK}\s?(?:to|until|till|and|-|–|到|至)\s?{_CLOCK}(?![0-9])"
    rf"|\b(?:at|after|before|from|until|till)\s[0-9]{{1,2}}(?::[0-9]{{2}}|\s?[ap]\.?m\b\.?)(?![0-9])"
    rf"|(?:上午|下午|早上|晚上)?[0-9]{{1,2}}点半?(?:[到至]{_CLOCK})?",
    re.IGNORECASE,
)
"""Hours of a day, as people say them beside it."""


def find_partly(
    text: str, tools: Sequence[Tool[Any]], *, today: date, entities: Entities
) -> tuple[Lookup, str, str] | None:
    """The look-up that answers a part of the text, why, and the words that it leaves out."""
    bare = bare_question(text)
    asked, times = look_at(bare, entities, today), ""
    found = find_by_cue(asked, tools, None)
    if found is None:
        # Of a day the hours are told with all of it, or not at all.
        timed = _HOURS.search(bare)
        times = timed[0].strip() if timed else ""
        asked = look_at(with_day(_HOURS.sub(" ", bare, count=1), today), entities, today)
        found = find_by_cue(asked, tools, None) if asked.days else None
    # What is asked of nothing in particular may be asked of something else.
    if found is None or not (found[0].arguments and asked.named and is_asked(asked)):
        return None
    tool = next(each for each in tools if each.name == found[0].tool)
    clear = without_ordinal(asked.clear, tool)
    rest = without_latin_cues(clear, [fold_cue(cue) for cue in tool.cues])
    known, period = known_words(tool, entities), takes_period(tool)
    left = known.unexplained(rest, "asked", period=period)
    return (*found, " ".join(filter(None, (tell_in_order(left, asked), times))))


def find_nearest(
    text: str, tools: Sequence[Tool[Any]], *, today: date, entities: Entities, told: float = 0.0
) -> tuple[Lookup, str] | None:
    """The look-up whose words a question has, though it asks for more, and what that leaves out.

    None where it asks how something is done or for what is not so, or where several might be meant;
    and where it leaves out more words than it has, while a section has as large a share of them
    (`told`), or all that it has is a word of any thing's state ("open", "new").
    """
    asked = look_at(bare_question(text), entities, today)
    if not is_asked(asked) or wording.denies(asked.said) or wording.asks_how(asked.said):
        return None
    timed = with_period(asked, entities) or asked
    hits = [
        (max(map(cue_width, cues)), Lookup(tool=tool.name, arguments=found[0]), found[1])
        for tool, cues in index_cues(tools).find(asked.said)
        if not reads_message(tool)
        for found in (take_what_fits(tool, cues, timed if takes_period(tool) else asked),)
        if found is not None
    ]
    hits.sort(key=lambda hit: -hit[0])
    if not hits or (len(hits) > 1 and hits[0][0] == hits[1][0]):
        return None
    _, lookup, beside = hits[0]
    left = name_left_out(text, lookup, tools, today=today, entities=entities)
    if not lookup.arguments and _has_little(asked.clear, left, told):
        return None
    left = tell_in_order(" ".join(filter(None, (left, *beside))), asked)
    return (lookup, left) if left else None


_STATES: Final = frozenset(
    re.findall(
        r"\w+",
        "open opened closed close new old free available left late due last latest current active"
        " busy ready done low full 新 旧 空 满 开",
    )
)
"""Words of the state of any thing, which by themselves do not say of what."""


def _has_little(clear: str, left: str, told: float) -> bool:
    """Whether a look-up that leaves these words out has too few of the text's others to answer."""
    words, beside = content(clear), content(left)
    known = [word for word in words if word not in beside]
    if not beside:
        return False
    return all(word in _STATES for word in known) or (
        len(known) < len(beside) and len(known) <= told * len(words)
    )
