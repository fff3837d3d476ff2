"""An answer to a card comes to the same by whichever way it is given."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.people.directory import Directory
from cards.buttons import Button
from cards.model import Card, Choice, Principal, Review
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
)
from engine.mail import CardDecided, parse_mail
from engine.ports.storage.store import CardNow
from engine.reviews.answer import CardAnswer, hand_over_answer, tap_answer
from engine.reviews.judge import CardJudge
from tests.fakes.review_desk import CHOICES, HOLDERS, LIN, directory
from tests.fakes.tables import table

NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
HERE = "slack:T1:C1"
TOKEN = "0-abcdefghijklmnopqrstuv"
ANA = Actor(platform="slack", workspace="T1", user="UANA", name="Ana")
UPDATE: dict[str, Any] = {"id": "u1", "conversation": HERE, "actor": ANA}


@pytest.fixture
def people(tmp_path: Path) -> Directory:
    return directory(tmp_path)


def card(**changes: Any) -> Card:
    review = {"roles": ("reviewer",), "four_eyes": True, "approvers": HOLDERS}
    review |= changes.pop("review", {})
    shown = {
        "kind": "confirm",
        "token": TOKEN,
        "run": "00-run",
        "conversation": HERE,
        "lang": "en",
        "title": "Write it?",
        "choices": (CHOICES[0].model_copy(update={"style": "primary"}), CHOICES[1]),
        "review": Review.model_validate(review),
        **LIN.as_requester(),
    }
    return Card.model_validate({**shown, **changes})


def tap(choice: str, *, confirmed: bool = True) -> Callable[[Principal], CardAnswer]:
    button = Button(token=TOKEN, choice=choice, revision=1)
    update = CardTapped(**UPDATE, button=button.pack(), confirmed=confirmed)
    return lambda person: tap_answer(update, person, button)


def form(choice: str, **values: str) -> Callable[[Principal], CardAnswer]:
    button = Button(token=TOKEN, choice=choice, revision=1)
    update = FormSubmitted(**UPDATE, button=button.pack(), values=values)
    return lambda person: tap_answer(update, person, button)


def text(choice: str, **values: str) -> Callable[[Principal], CardAnswer]:
    origin = {"via": "slack", "where": HERE, "reply": "00-reply"}
    return lambda person: CardAnswer(person, choice, 1, values or None, origin, event="text")


def command(name: str) -> Callable[[Principal], CardAnswer]:
    given = CommandGiven(**UPDATE, name="handover", text=name)
    return lambda person: hand_over_answer(given, person, card())


@table(
    "ways",
    [
        (tap("approve"), form("approve"), text("approve")),
        (form("reject", reason="no"), text("reject", reason="no")),
        (form("hand_over", person="Bo"), command("Bo")),
        (form("hand_over", person="nobody"), command("nobody")),
    ],
    ids=["approve", "reject", "hand over", "hand over to nobody"],
)
@table("quorum", [1, 2])
@table("person", ["ana", "lin", "bo"], ids=["holder", "requester", "no role"])
def test_every_way_to_answer_comes_to_the_same(
    people: Directory, ways: tuple[Callable[[Principal], CardAnswer], ...], quorum: int, person: str
) -> None:
    judge, found = CardJudge(people, "UTC"), CardNow(card(review={"quorum": quorum}), NOW)
    who = people.person(person)
    assert who is not None
    first, *others = [judge.judge(found, way(who)) for way in ways]
    for other in others:
        assert other.result == first.result
        assert other.shown == first.shown
        assert replace(other.effects, log=()) == replace(first.effects, log=())
        entries = [json.loads(each.effects.log[0][1]) for each in (first, other)]
        facts = ("by", "choice", "result", "for", "to", "faults", "changed_cards")
        assert [entries[0].get(name) for name in facts] == [entries[1].get(name) for name in facts]


@table(
    ("way", "result", "shown"),
    [
        (tap("approve"), "decided", DirectAnswer),
        (tap("approve", confirmed=False), "confirm", ConfirmWanted),
        (tap("reject"), "form", FormWanted),
        (form("reject"), "invalid", FormRefused),
        (tap("hand_over"), "form", FormWanted),
        (form("hand_over", person="Bo"), "handed_over", DirectAnswer),
        (form("hand_over", person="x:y"), "invalid", FormRefused),
        (tap("other"), "unknown_choice", DirectAnswer),
    ],
)
def test_the_log_calls_it_by_its_result_and_tells_of_every_card_that_is_written(
    people: Directory, way: Callable[[Principal], CardAnswer], result: str, shown: type
) -> None:
    found = CardNow(card(), NOW)
    judgement = CardJudge(people, "UTC").judge(found, way(people.principal(ANA)))
    assert (judgement.result, type(judgement.shown)) == (result, shown)
    ((log, body),) = judgement.effects.log
    entry = json.loads(body)
    assert (log, entry["result"], entry["by"]) == ("00-run", result, "ana")
    assert entry["user"] == "T1:UANA"
    written = [write.card.version for write in judgement.effects.cards]
    assert [each["version"] for each in entry.get("changed_cards", ())] == written
    assert bool(written) == (result in ("decided", "handed_over"))


def test_only_the_last_vote_wakes_the_run(people: Directory) -> None:
    judge, now = CardJudge(people, "UTC"), NOW
    asked = card(review={"quorum": 2}, choices=(Choice(id="approve", label="Approve"),))
    first = judge.judge(CardNow(asked, now), tap("approve")(people.principal(ANA)))
    assert (first.result, first.effects.mails) == ("vote", ())
    (write,) = first.effects.cards
    cara = people.person("cara")
    assert cara is not None
    last = judge.judge(CardNow(write.card, now), tap("approve")(cara))
    ((lane, mail),) = last.effects.mails
    decided = parse_mail(mail)
    assert lane == "run:00-run"
    assert isinstance(decided, CardDecided)
    assert decided.decision.person == "cara"
