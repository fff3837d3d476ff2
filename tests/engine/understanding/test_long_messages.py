"""A message of any length costs about as much as a long one: what is judged of it is bounded."""

from dataclasses import replace

import pytest

from engine.understanding.context import Piece, RouteContext, Stretch
from engine.understanding.learned.classifier import Classifier, Scores
from engine.understanding.pieces.message import FORM_CHARS, MAX_CHARS, read_message
from engine.understanding.pieces.split import (
    MAX_JUDGED,
    MAX_JUDGED_CHARS,
    max_stretches,
    split_message,
)
from engine.understanding.router.chain import route
from tests.engine.understanding.test_route_card_replies import clarify
from tests.fakes.tables import table

LONGEST = 40_000
"""Characters of the longest message that a platform hands over (Slack)."""
SCORED = 6
"""So many times at most is a piece's text scored: whole, by its clauses, by what hangs on it."""
UNITS = (
    "查一下P001的血压，",
    "show me the labs for P002; ",
    "record visit 3 for P001 and then ",
    "如果血压超过140就录入访视，",
    "录入访视。然后",
    "why? ",
    "，",
    "血",
    "a",
    " ",
    "“",
    "辛苦了",
    "\U0001f600",
)


def stretches(sizes: list[int]) -> tuple[Stretch, ...]:
    starts = [sum(sizes[:n]) for n in range(len(sizes))]
    return tuple(Stretch(start=at, end=at + size) for at, size in zip(starts, sizes, strict=True))


@table(
    ("sizes", "together"),
    [([40] * 4, 6), ([40] * 5, 6), ([40] * 6, 3), ([40] * 12, 1), ([1] * 16, 0), ([800, 800], 0)],
)
def test_of_many_stretches_fewer_are_taken_together(sizes: list[int], together: int) -> None:
    assert max_stretches(stretches(sizes)) == together


@table("count", range(1, 30))
@table("size", [1, 40, 200])
def test_what_is_judged_of_a_message_is_bounded(count: int, size: int) -> None:
    judged: list[int] = []

    def judge(text: str, part: tuple[Stretch, ...]) -> Piece:
        judged.append(part[-1].end - part[0].start)
        return Piece(text, "unclear", "")

    given = stretches([size] * count)
    if max_stretches(given):
        split_message("x" * size * count, given, judge)
    assert len(judged) <= MAX_JUDGED
    assert sum(judged) <= MAX_JUDGED_CHARS


@pytest.mark.parametrize("unit", UNITS)
async def test_a_text_is_scored_no_more_often_the_longer_it_grows(
    unit: str, context: RouteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[str] = []
    score = Classifier.scores

    def counted(self: Classifier, said: str) -> Scores:
        scored.append(said)
        return score(self, said)

    monkeypatch.setattr(Classifier, "scores", counted)
    for size in (200, MAX_CHARS, 2 * MAX_CHARS, LONGEST):
        scored.clear()
        text = (unit * size)[:size]
        await route(text, replace(context), None)
        assert len(scored) <= MAX_JUDGED * SCORED
        assert sum(map(len, scored)) <= MAX_JUDGED_CHARS * SCORED


async def test_what_is_too_long_is_left_whole(context: RouteContext) -> None:
    text = "查一下P001的血压，" * 200
    (piece,) = read_message(text, replace(context))
    assert (piece.kind, piece.why) == ("unclear", "it is too long")
    routed = await route(text, replace(context), None)
    assert [intent.kind for intent in routed.intents] == ["unclear"]


async def test_a_form_is_not_filled_in_from_a_whole_document(context: RouteContext) -> None:
    open_form = replace(context, open_cards=(clarify(),))
    short, long = "体重 70。" + "她感觉很好 " * 160, "体重 70。" + "她感觉很好 " * 300
    assert MAX_CHARS < len(short) <= FORM_CHARS < len(long)
    assert [piece.kind for piece in read_message(short, open_form)] == ["card_reply"]
    assert [piece.kind for piece in read_message(long, open_form)] == ["unclear"]


async def test_a_message_is_read_once_for_all_strategies(
    context: RouteContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    score = Classifier.scores
    monkeypatch.setattr(
        Classifier, "scores", lambda self, said: seen.append(said) or score(self, said)
    )
    fresh = replace(context, open_cards=(clarify(),))
    read_message("这个化验单的事情怎么说呢真难", fresh)
    once = len(seen)
    await route("这个化验单的事情怎么说呢真难", fresh, None)
    assert once
    assert len(seen) == once
