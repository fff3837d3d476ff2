"""Which kind of value a question asks for, and which fields of a request are of that kind."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from engine.understanding.own_work import words
from engine.understanding.own_work.subjects import FieldNames

_COSTS: Final = re.compile(
    "(?<![a-z])(?:costs?|price[ds]?|pricey|charges?|charged|fees?|paid|pay|pays|euros?|dollars?"
    "|money|bill(?:ed)?|expensive|sums?|budget|amounts?)(?![a-z])"
    "|多少钱|花[了多]|费用|金额|价钱|价格|收费|要价|报价"
)
_TIMES: Final = re.compile(
    "(?<![a-z])(?:when|what time|which hour|how late|how early|o'?clock|until|till"
    "|from when)(?![a-z])"
    "|几点|什么时候|啥时候|多晚|何时"
)
_DAYS: Final = re.compile(
    "(?<![a-z])(?:weekday|dates?|which week|how soon|deadline|how long|by when|from when"
    "|until when|till when)(?![a-z])|啥时候|何时|几月|多久|什么日子|哪一?天|几号|日期|期限"
    "|最晚|最迟"
)
_KINDS: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = (
    (_COSTS, ("money",)),
    (words.MONEY, ("money", "integer", "number")),
    (words.NUMBERS, ("integer", "number", "money")),
    (words.DAYS, ("date",)),
    (_DAYS, ("date",)),
    (_TIMES, ("time",)),
    (_TIMES, ("date",)),
)


def wanted_types(said: str) -> frozenset[str]:
    """The types of fields that a folded question asks for; none where its words do not say it."""
    return frozenset(t for pattern, types in _KINDS if pattern.search(said) for t in types)


def first_of_kind(
    said: str, fields: Sequence[FieldNames], *, is_named: bool, most: int
) -> tuple[str, ...]:
    """The known fields of the kind that a folded question most likely asks for.

    Where the request itself `is_named`, these are its own; else all, and none where they are many.
    """
    for pattern, types in _KINDS:
        found = (
            [f for f in fields if f.type in types and f.is_known] if pattern.search(said) else []
        )
        own = [f for f in found if f.is_own and is_named]
        if own or found:
            return tuple(f.path for f in own or found) if own or len(found) <= most else ()
    return ()


def asks_for_more(said: str) -> bool:
    """Whether a folded question asks for more than one thing."""
    return len(words.ASKING_WORD.findall(said)) > 1


def of_wanted_kind(
    chosen: Sequence[str], near: Collection[str], fields: Sequence[FieldNames], said: str
) -> tuple[str, ...]:
    """The fields that answer, where the `chosen` ones are named and not of the kind asked for.

    These are those `near` that are of that kind, else those of it that the same request has: "on
    which day do they paint the hull?" asks for a day. Who asks for more gets what was named too.
    """
    kinds = wanted_types(said)
    by_path = {each.path: each for each in fields}
    if not kinds or any(by_path[path].type in kinds for path in chosen):
        return tuple(chosen)
    found = [path for path in near if by_path[path].type in kinds]
    if not found and any(by_path[path].is_own for path in chosen):
        found = [f.path for f in fields if f.is_own and f.is_known and f.type in kinds]
    if not found:
        return tuple(chosen)
    return (*found, *chosen) if asks_for_more(said) else tuple(found)
