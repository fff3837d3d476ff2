"""What whoever writes examples is told of words that others' examples have too."""

import pytest

from engine.playbooks.model import PlaybookFile
from engine.understanding.learned.shared_words import tell_shared, tell_unanchored
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk

TALK = Talk(
    smalltalk=("hello",),
    questions=("what time is it",),
    statements=("the hall was full",),
    elsewhere=("book a flight",),
)


def playbook(name: str, *examples: str) -> PlaybookFile:
    text = {"zh": name, "en": name}
    request = {"id": "it", "name": text, "not_yet": True, "examples": examples}
    return PlaybookFile.model_validate(
        {"id": name, "name": text, "project": "X", "requests": [request], "phases": []}
    )


def table() -> RouteTable:
    books = {
        "hall": playbook("hall", "book the hall for Nordwind", "reserve the hall", "hall please"),
        "food": playbook("food", "order lunch for Nordwind", "order a buffet in the hall"),
        "gift": playbook("gift", "send flowers to Nordwind", "wrap a gift"),
    }
    return RouteTable(books, (), TALK)


def test_words_that_the_fewest_have_come_first_with_whose_they_are() -> None:
    others = ("food/it", "gift/it", "talk/elsewhere", "talk/statement")
    told = tell_shared("book the hall for nordwind", "hall/it", others, table())
    assert told == (
        "'book' of talk.yaml (elsewhere), 'hall' of food/it and talk.yaml (statement), "
        "'nordwind' of food/it and gift/it"
    )
    assert tell_shared("reserve it", "hall/it", others, table()) == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("something for nordwind", "'nordwind' of food/it and gift/it too"),
        ("paint the roof", "none of its words stands in an example of that work"),
        ("reserve", "too few of its examples have its words"),
    ],
)
def test_why_nothing_tells_that_a_text_is_of_a_work(said: str, why: str) -> None:
    assert tell_unanchored(said, "hall", table()) == why
