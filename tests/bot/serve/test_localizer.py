"""In whose words and zone a place is shown what it is shown."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.people.directory import Directory
from bot.serve.delivery.localizer import Localizer
from cards.model import Card, Choice, Principal, Review
from cards.showing.show import reminder_message
from engine.frames.replies import ReplyHead
from tests.fakes.settings import load_people

PEOPLE = """
roles:
  - {id: reviewer, zh: 审核员, en: reviewer}
people:
  - id: ana
    name: Ana
    slack: ["T1:U1"]
    telegram: ["100"]
    roles: [reviewer]
    language: en
    zone: America/New_York
  - id: lin
    name: 林悦
    slack: ["T1:U2"]
    zone: Europe/Berlin
"""
CARD = Card(
    kind="confirm",
    token="0-abcdefgh",
    run="r1",
    conversation="slack:T1:C1:1.2",
    lang="zh",
    title="录入访视",
    choices=(Choice(id="approve", label="批准"),),
    review=Review(roles=("reviewer",)),
    requester="lin",
    waiting_for="审核员",
    reminded=1,
)


@pytest.fixture
def localizer(tmp_path: Path) -> Localizer:
    path = tmp_path / "people.yaml"
    path.write_text(PEOPLE, "utf-8")
    people: Directory = load_people(path)
    return Localizer(people, "Asia/Shanghai")


@pytest.mark.parametrize(
    ("place", "lang", "zone"),
    [
        ("slack:T1:U1", "en", "America/New_York"),
        ("telegram:7:100", "en", "America/New_York"),
        # No language of their own: that of the request.
        ("slack:T1:U2", "zh", "Europe/Berlin"),
        # The account of nobody in the file, another workspace's, and places that many read.
        ("slack:T1:U9", "zh", "Asia/Shanghai"),
        ("slack:T2:U1", "zh", "Asia/Shanghai"),
        ("slack:T1:C1:1.2", "zh", "Asia/Shanghai"),
        ("telegram:7:-100", "zh", "Asia/Shanghai"),
        # The page has the clock of each of its readers.
        ("web:local:main", "zh", "reader"),
    ],
)
def test_a_card_is_in_the_words_and_zone_of_who_reads_alone(
    localizer: Localizer, place: str, lang: str, zone: str
) -> None:
    card, shown_in = localizer.localize_card(CARD, place)
    assert (card.lang, shown_in) == (lang, zone)


def test_in_ones_own_direct_messages_times_are_in_ones_zone(localizer: Localizer) -> None:
    asked = CARD.model_copy(update={"conversation": "slack:T1:D2"})
    assert localizer.localize_card(asked, "slack:T1:D2") == (asked, "Europe/Berlin")
    head = ReplyHead(
        id="r",
        conversation="slack:T1:D2",
        lang="zh",
        principal=Principal(id="lin", name="林悦", zone="Europe/Berlin"),
        text="?",
        at=datetime(2026, 11, 21, tzinfo=UTC),
    )
    assert localizer.reply_zone(head) == "Europe/Berlin"
    shared = head.model_copy(update={"conversation": "slack:T1:C1:1.2"})
    assert localizer.reply_zone(shared) == "Asia/Shanghai"


def test_a_reminder_is_in_the_readers_words(localizer: Localizer) -> None:
    told = [
        reminder_message(*_pinged(localizer, place), posted=False)
        for place in ("slack:T1:U1", "slack:T1:C1")
    ]
    assert [view.lang for view in told if view] == ["en", "zh"]


def _pinged(localizer: Localizer, place: str) -> tuple[Card, int, str]:
    card, zone = localizer.localize_card(CARD, place)
    return card, 1, zone


@pytest.mark.parametrize(
    ("place", "conversation", "within"),
    [
        ("slack:T0:D0", "slack:T0:D0", True),
        ("slack:T0:D0:1.2", "slack:T0:D0", True),
        ("slack:T0:D01", "slack:T0:D0", False),
        ("slack:T0:D0", "slack:T0:D0:1.2", False),
        ("slack:T0:C0:1.2", "slack:T0:C0", False),
        ("telegram:7:-5:3", "telegram:7:-5", False),
        ("web:w:a", "web:w:a", True),
    ],
)
def test_a_thread_of_a_direct_message_is_within_it(localizer, place, conversation, within):
    assert localizer.people.is_within(place, conversation) is within
