"""Parts of a message that need the model: asked in one dialogue, each in view of the others."""

from collections.abc import Collection, Sequence

from cards.showing.view import PartState
from engine.frames.replies import Part, ReplyHead
from engine.react.answer_parts import part_mark
from engine.text.fence import fence_data

RESULT_CHARS = 800
_STANDS: dict[PartState, str] = {
    "working": "work that goes on by itself",
    "waiting": "waits for another part",
    "needs_you": "waits for the person",
    "in_review": "work that waits for a reviewer",
}
"""How a part stands that is not asked; the others are as their state says."""


def question_text(asked: Sequence[Part], parts: Sequence[Part], head: ReplyHead) -> str:
    """The question to the model: the whole message, what its other parts came to, and what to do.

    A message that is one question is that question.
    """
    texts = {part.intent.text.strip() for part in asked}
    if len(parts) == 1 and texts == {head.text.strip()}:
        return parts[0].intent.text
    numbers = {part.index for part in asked}
    lines = [head.text, "", "Its parts:", *(_part_line(part, numbers) for part in parts), ""]
    named = " and ".join(str(part.index + 1) for part in asked)
    if len(asked) == 1:
        alone = len(parts) == 1
        lines.append("Answer that part." if alone else f"Answer only part {named}.")
    else:
        marks = ", ".join(part_mark(part.index + 1) for part in asked)
        lines.append(
            f"Answer only parts {named}, in this order, each below a line with its mark: {marks}."
        )
    return "\n".join(lines)


def _part_line(part: Part, asked: Collection[int]) -> str:
    text = fence_data(" ".join(part.intent.text.split()))
    if part.index in asked:
        return f"{part.index + 1}. {text}: yours"
    stands = _STANDS.get(part.state, part.state)
    told = fence_data(part.full_text()[:RESULT_CHARS])
    return f"{part.index + 1}. {text}: {stands}: {told}"
