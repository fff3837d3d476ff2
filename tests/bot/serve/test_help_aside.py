"""Help that can be given at once to who asks is, and nothing is put into a lane for it."""

from dataclasses import replace

import pytest

from bot.serve.intake.intake import Intake
from engine.events import Accepted, Actor, CommandGiven, DirectAnswer, MessageReceived
from tests.fakes.review_desk import Desk, directory

# The desk of reviews has people, and a store.
from tests.reviews.conftest import desk

__all__ = ["desk"]


def told(principal: object, lang: str) -> str:
    return f"help in {lang}"


@pytest.fixture
def intake(desk: Desk) -> Intake:
    return replace(desk.intake(), help_text=told)


def asked(text: str, *, aside: bool = True, user: str = "UANA") -> MessageReceived:
    actor = Actor(platform="slack", workspace="T1", user=user)
    return MessageReceived(
        id=f"m-{text}-{aside}", conversation="slack:T1:D1", actor=actor, text=text, aside=aside
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("help", "help in zh\n\nhelp in en"),
        ("/help", "help in zh\n\nhelp in en"),
        ("帮助", "help in zh"),
        ("/help please", "help in en"),
    ],
)
async def test_help_is_told_at_once(intake: Intake, text: str, said: str) -> None:
    assert await intake(asked(text)) == DirectAnswer(said, ok=True, aside=True)


async def test_it_is_told_in_the_language_that_the_person_reads(
    desk: Desk, tmp_path: object
) -> None:
    people = directory(tmp_path, ("name: Ana", "name: Ana, language: zh"))
    intake = replace(desk.intake(people), help_text=told)
    assert await intake(asked("help")) == DirectAnswer("help in zh", ok=True, aside=True)


async def test_any_other_command_and_help_elsewhere_take_their_usual_way(intake: Intake) -> None:
    assert await intake(asked("help", aside=False)) == Accepted()
    assert await intake(asked("pending")) == Accepted()
    actor = Actor(platform="slack", workspace="T1", user="UANA")
    given = CommandGiven(id="c", conversation="slack:T1:D1", actor=actor, name="runs", aside=True)
    assert await intake(given) == Accepted()


def test_nothing_of_it_is_stored() -> None:
    assert "aside" not in asked("help").model_dump_json()
