"""A reply's message: which part its card stands below."""

from datetime import UTC, datetime

import pytest

from cards.model import Card, Choice, Principal, Review
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead, reply_view

HEAD = ReplyHead(
    id="r",
    conversation="web:local:main",
    lang="en",
    principal=Principal(id="lin", name="Lin Yue"),
    text="two things",
    at=datetime(2026, 11, 21, tzinfo=UTC),
)


def card(**about: object) -> Card:
    stored = {
        "kind": "confirm",
        "token": "0-abcdefgh",
        "run": "",
        "conversation": HEAD.conversation,
        "lang": "en",
        "title": "Go?",
        "choices": (Choice(id="ok", label="OK"),),
        "review": Review(),
        "requester": "lin",
    }
    return Card.model_validate(stored | about)


def parts(*runs: str) -> tuple[Part, ...]:
    return tuple(
        Part(index=n, intent=Intent(kind="unclear", text=f"{n}"), state="done", text="", run=run)
        for n, run in enumerate(runs)
    )


@pytest.mark.parametrize(
    ("about", "runs", "below"),
    [
        ({"run": "run-1"}, ("run-1", "", "run-2"), 1),
        ({"run": "run-2"}, ("run-1", "", "run-2"), 3),
        ({"reply": "r", "part": 1}, ("run-1", "", "run-2"), 2),
        # Of a run below that of a part: it stands below all of them.
        ({"run": "run-3"}, ("run-1", "", "run-2"), 0),
        # A single part has no number.
        ({"run": "run-1"}, ("run-1",), 0),
    ],
)
def test_a_card_is_below_the_part_that_it_is_about(about, runs, below):
    assert reply_view(HEAD, parts(*runs), card(**about), "UTC").card_part == below


def test_without_a_card_nothing_stands_below_a_part():
    assert reply_view(HEAD, parts("run-1", "run-2"), None, "UTC").card_part == 0
