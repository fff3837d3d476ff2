"""What an author wrote as an example begins its work; what is as like other work is asked about."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.frames import is_begun, name_of
from tests.engine.understanding.frames.projects import know_works

EXAMPLES = {
    "keys": (
        "I'd like to have a key made",
        "please have two keys made for the front door",
        "one more key for the bike room please",
        "can I get a spare cellar key for my daughter",
        "我要配一把钥匙",
        "帮我配两把大门钥匙",
    ),
    "repairs": (
        "the heating in my flat does not work, please send somebody",
        "please fix the tap in the laundry room, it is leaking",
        "can somebody repair the front door, it's urgent",
        "楼道的灯坏了",
        "厨房漏水，请派人来修一下再说",
    ),
    "booking": (
        "I'd like to book the laundry room",
        "book the guest room for Saturday please",
        "reserve the guest room for my parents",
        "我想预订洗衣房",
        "帮我订一下客房，周六用",
    ),
}
CUES = {
    "keys": ["key", "keys", "钥匙", "配"],
    "repairs": ["repair", "fix", "dripping", "broken", "坏了", "修"],
    "booking": ["book", "reserve", "laundry room", "guest room", "订", "洗衣房", "客房"],
}


NAMES = {
    "keys": {"en": "Keys", "zh": "钥匙"},
    "repairs": {"zh": "报修", "en": "Repairs"},
    "booking": {"en": "Bookings", "zh": "预订"},
}


@cache
def house() -> RouteContext:
    """A house with three kinds of work."""
    return know_works([_playbook(name) for name in EXAMPLES])


def _playbook(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": NAMES[name],
        "project": "HOUSE",
        "cues": CUES[name],
        "requests": [{"id": "ask", "name": name, "examples": list(EXAMPLES[name])}],
        "phases": [{"id": "p", "name": "P", "goal": "g", "allowed_skills": ["s"]}],
    }


def here(text: str) -> RouteContext:
    """The house, for somebody who writes so."""
    return replace(house(), lang=detect_language(text))


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in EXAMPLES.items() for text in texts]
)
async def test_an_example_begins_its_work_however_it_is_put(name: str, text: str) -> None:
    (intent,) = (await route(text, here(text), None)).intents
    assert is_begun(intent)
    assert (name_of(intent), intent.sure) == (f"{name}/ask", True)


async def test_work_under_a_condition_that_may_be_two_is_offered_as_both() -> None:
    text = "帮我修一下洗衣房的水龙头，如果Robin还没修的话"
    (intent,) = (await route(text, here(text), None)).intents
    assert (intent.condition, intent.sure) == ("如果Robin还没修的话", False)
    assert {c.playbook for c in intent.candidates} == {"repairs", "booking"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("how do I get a key made?", "Keys"),
        ("怎么配钥匙？", "钥匙"),
        ("how do I have something repaired, how do I fix it?", "Repairs"),
    ],
)
async def test_how_work_is_asked_for_is_told_in_the_language_of_whoever_asks(
    text: str, told: str
) -> None:
    (intent,) = (await route(text, here(text), None)).intents
    others = {name for names in NAMES.values() for name in names.values()} - {told}
    assert told in intent.told
    assert not [name for name in others if name in intent.told.split("：")[0].split(",")[0]]


async def test_what_became_of_work_is_not_asked_as_how_it_is_done() -> None:
    text = "how did the repairs and the keys each turn out?"
    assert not [i.told for i in (await route(text, here(text), None)).intents if i.told]


async def test_a_cue_says_more_of_what_is_meant_than_any_other_word() -> None:
    text = "there's water dripping from the cellar ceiling"
    (intent,) = (await route(text, here(text), None)).intents
    assert [c.playbook for c in intent.candidates] == ["repairs", "keys"]
