"""One text of a model that answers several parts of a message, each below its mark."""

import re
from collections.abc import Sequence

_MARK = re.compile(r"^[ \t#*]*\[([0-9]{1,2})\][ \t*:：]*", re.MULTILINE)

_NUMBERS = re.compile(r"[0-9]{1,2}(?:,[0-9]{1,2}){0,11}")


def part_mark(number: int) -> str:
    """The mark above the answer to the part of that number."""
    return f"[{number}]"


def split_answer(text: str, numbers: Sequence[int]) -> dict[int, str]:
    """The text for each of these parts that has any; what stands before a mark is for the first.

    A mark of another number, or one that comes again, is a part of the text, as is every mark where
    there is only one part.
    """
    found: dict[int, list[str]] = {}
    number, at, marked = numbers[0], 0, set[int]()
    for mark in _MARK.finditer(text) if len(numbers) > 1 else ():
        if (following := int(mark[1])) in numbers and following not in marked:
            found.setdefault(number, []).append(text[at : mark.start()].strip())
            number, at = following, mark.end()
            marked.add(number)
    found.setdefault(number, []).append(text[at:].strip())
    texts = {number: "\n\n".join(filter(None, said)) for number, said in found.items()}
    return {number: said for number, said in texts.items() if said}


def as_draft(text: str, numbers: Sequence[int]) -> str:
    """The answer so far to these parts of a message that has several, as `read_draft` takes it."""
    return f"{','.join(map(str, numbers))}\n{text}"


def read_draft(draft: str) -> tuple[str, tuple[int, ...]]:
    """The answer so far, and the numbers of the parts that it answers; none where it is alone."""
    numbers, newline, text = draft.partition("\n")
    if not newline or not _NUMBERS.fullmatch(numbers):
        return draft, ()
    return text, tuple(map(int, numbers.split(",")))


def number_answer(text: str, numbers: Sequence[int]) -> str:
    """The text with its marks as people read numbers."""
    if len(numbers) < 2:
        return text
    return _MARK.sub(lambda mark: f"**{mark[1]}.** " if int(mark[1]) in numbers else mark[0], text)
