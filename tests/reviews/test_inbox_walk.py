"""Everything that waits for a person, from wherever they ask, and nothing that is not theirs."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.operate.people import show_pending
from cards.buttons import Button
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.slack.workspace import Shown
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.platforms.telegram.updates import Sent
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.reviews.walks import Meet, asked_in_slack, rewrite
from tests.scenarios.conftest import Start
from tests.scenarios.test_platform_walk import ASK_ZH, REQUESTER_ID, REVIEWER_ID, SlackSide
from tests.scenarios.test_web_walk import to_review


def _card_after(slack: SlackServer, listed: Shown) -> Shown | None:
    """The card that was posted below this list."""
    messages = [m for m in slack.messages.values() if m.channel == listed.channel]
    below = messages[messages.index(listed) + 1 :]
    return next((m for m in below if m.buttons), None)


def private_cards(telegram: TelegramServer, chat: int, said: str) -> list[Sent]:
    return [m for m in telegram.chat(chat) if said in m.text and m.keyboard]


async def test_a35_a_card_deleted_on_slack_is_posted_again_by_pending_and_its_old_id_is_valid(
    meet: Meet,
) -> None:
    service, side, _ = await meet()
    slack = side.server
    await asked_in_slack(side)
    direct = await side.shown("Please review", channel="D0REVIEWER")
    old_tap = slack.action(direct, "Approve", user="U0REVIEWER")
    slack.delete(direct)
    await side.send(slack.message_event("/pending", user="U0REVIEWER", channel="D0REVIEWER"))
    listed = await side.shown("Waiting for you", channel="D0REVIEWER")
    again = await slack.wait_for(lambda: _card_after(slack, listed))
    assert again is not None
    assert [b["value"] for b in again.buttons] == [b["value"] for b in direct.buttons]
    # Somebody still had the deleted message before their eyes: its button means the same card.
    await side.send(old_tap)
    await slack.wait_for(lambda: not again.buttons)
    assert "陈博" in again.body
    await side.shown("Visit recorded", channel="C0TRIAL")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5


async def test_a35_a_card_deleted_on_telegram_is_posted_again_by_pending_and_its_old_id_is_valid(
    meet: Meet,
) -> None:
    _, side, chat = await meet()
    telegram = chat.server
    await asked_in_slack(side)
    first = await chat.shown(REVIEWER_ID, "Please review")
    old_tap = telegram.tap_update(first, "Approve", name="Bo")
    first.deleted = True
    await chat.send(telegram.command_update("/pending", chat_id=REVIEWER_ID, name="Bo"))
    await chat.shown(REVIEWER_ID, "Waiting for you")
    await telegram.wait_for(lambda: bool(private_cards(telegram, REVIEWER_ID, "Please review")))
    (again,) = private_cards(telegram, REVIEWER_ID, "Please review")
    assert again.data("Approve") == first.data("Approve")
    await chat.send(old_tap)
    # That message is gone: the question comes as one of its own.
    asked = await chat.shown(REVIEWER_ID, "cannot be taken back")
    await chat.send(telegram.tap_update(asked, asked.labels[0], name="Bo"))
    assert not telegram.callback_answers[-1].show_alert
    assert asked.labels == []
    await telegram.wait_for(lambda: not again.keyboard)


async def test_a_reviewer_on_telegram_sees_in_pending_what_was_asked_in_slack_and_decides_there(
    meet: Meet,
) -> None:
    service, side, chat = await meet()
    slack = side.server
    telegram = chat.server
    thread = await asked_in_slack(side)
    first = await chat.shown(REVIEWER_ID, "Please review")
    for expected in (2, 3):
        await chat.send(telegram.command_update("/pending", chat_id=REVIEWER_ID, name="Bo"))
        await telegram.wait_for(
            lambda n=expected: len(private_cards(telegram, REVIEWER_ID, "Please review")) == n
        )
    listed = await chat.shown(REVIEWER_ID, "Waiting for you")
    assert "• " in listed.text
    assert "林悦 / Lin Yue" in listed.text
    *_, newest = private_cards(telegram, REVIEWER_ID, "Please review")
    assert "From Slack" in newest.text
    await chat.confirm(newest, "Approve", name="Bo")
    # Wherever the card stands, it shows the outcome: also where it stood before.
    await telegram.wait_for(lambda: not private_cards(telegram, REVIEWER_ID, "Please review"))
    await telegram.wait_for(lambda: "陈博" in first.text)
    await slack.wait_for(lambda: not thread.buttons)
    await side.shown("Visit recorded", channel="C0TRIAL")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5
    await chat.send(telegram.command_update("/pending", chat_id=REVIEWER_ID, name="Bo"))
    await chat.shown(REVIEWER_ID, "Nothing waits for you.")


async def test_pending_in_a_group_shows_what_is_asked_elsewhere_only_to_the_person(
    meet: Meet,
) -> None:
    _, side, chat = await meet()
    slack = side.server
    telegram = chat.server
    await asked_in_slack(side)
    await chat.shown(REVIEWER_ID, "Please review")
    group = -1001234567890
    pending = telegram.command_update(
        "/pending@signoff_bot", chat_id=group, user_id=REVIEWER_ID, name="Bo"
    )
    await chat.send(pending)
    await chat.shown(group, "1 more for you from elsewhere")
    await telegram.wait_for(lambda: len(private_cards(telegram, REVIEWER_ID, "Please review")) == 2)
    assert not any("Please review" in m.text or m.keyboard for m in telegram.chat(group))
    # In the thread of the request everybody sees the card anyway.
    before = len(slack.messages)
    await side.send(
        slack.mention_event("/pending", user="U0REVIEWER", thread_ts=await thread_of(side))
    )
    await slack.wait_for(lambda: len(slack.messages) >= before + 2)
    assert [m.channel for m in slack.messages.values()][-2:] == ["C0TRIAL", "C0TRIAL"]


async def thread_of(side: SlackSide) -> str:
    return (await side.shown("Please review", channel="C0TRIAL")).thread_ts


async def test_nobody_is_shown_what_they_may_not_decide(meet: Meet, people_file: Path) -> None:
    # The requester is a reviewer too: not of their own request.
    rewrite(people_file, "roles: [crc]", "roles: [crc, reviewer]")
    _, side, chat = await meet()
    telegram = chat.server
    await asked_in_slack(side)
    for chat_id in (REVIEWER_ID, REQUESTER_ID):
        await chat.shown(chat_id, "Please review")
    for user, chat_id in ((REQUESTER_ID, REQUESTER_ID), (3003, 3003)):
        known = len(telegram.chat(chat_id))
        await chat.send(telegram.command_update("/pending", chat_id=chat_id, user_id=user))
        listed = await chat.shown(chat_id, "Nothing waits for you.")
        assert telegram.chat(chat_id)[known:] == [listed]
    await chat.send(telegram.command_update("/pending", chat_id=4004, user_id=4004))
    (told,) = telegram.chat(4004)
    assert "I do not know your account telegram:4004" in told.text


async def test_a_persons_language_and_time_zone_hold_wherever_they_read(
    meet: Meet, people_file: Path
) -> None:
    rewrite(people_file, "    web: chen\n", "    language: en\n    zone: UTC\n    web: chen\n")
    rewrite(people_file, "    web: zhao\n", "    language: zh\n    web: zhao\n")
    service, _, chat = await meet(timezone="Asia/Shanghai")
    telegram = chat.server
    for said in (ASK_ZH, "ECOG 2,体重 61.5,血压 121/77"):
        await chat.send(telegram.message_update(said, chat_id=REQUESTER_ID))
        await chat.shown(REQUESTER_ID, "录入")
    card = await chat.shown(REVIEWER_ID, "请审核")
    own = await chat.shown(REQUESTER_ID, "请审核")
    token = Button.unpack(own.data("批准")).token
    await chat.send(telegram.command_update("/help", chat_id=REVIEWER_ID))
    await chat.shown(REVIEWER_ID, "Try:")
    await chat.send(telegram.command_update("/help", chat_id=3003))
    await chat.shown(3003, "可以这样说")
    # A card of a Chinese conversation answers an English reader in English, in their time.
    await chat.send(telegram.tap_update(own, "批准", user_id=REVIEWER_ID, name="Bo"))
    assert own.labels == ["Really Approve?", "Not now"]
    await chat.send(telegram.tap_update(own, own.labels[0], user_id=REVIEWER_ID, name="Bo"))
    answer = telegram.callback_answers[-1].text
    found = await service.parts.services.decisions.card(token)
    assert found is not None
    assert found.card.decision is not None
    at = found.card.decision.at
    assert f"{at:%m-%d %H:%M}" in answer
    assert not any(
        "\u4e00" <= c <= "\u9fff" for c in answer.replace("陈博", "").replace("批准", "")
    )
    await telegram.wait_for(lambda: not card.keyboard and "陈博" in own.text)
    # The card itself tells the time to each reader in theirs.
    there = at.astimezone(ZoneInfo("Asia/Shanghai"))
    assert f"{at:%m-%d %H:%M}" in card.text
    assert f"{there:%m-%d %H:%M}" in own.text


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_many_cards_come_in_pages_oldest_first(start: Start, lang: str) -> None:
    service = await start()
    rooms = []
    try:
        for number in range(11):
            room = await WebRoom(service.url, f"many-{number}").__aenter__()
            rooms.append(room)
            await to_review(room)
        main = await WebRoom(service.url).__aenter__()
        rooms.append(main)
        said = "/pending" if lang == "en" else "/pending 一"
        first = await listed(main, "wu", said, "Waiting for you" if lang == "en" else "等您处理")
        assert first.count("<li>") == 10
        assert "/pending 2" in first
        second = await listed(main, "wu", "/pending 2", "Waiting for you")
        assert second.count("<li>") == 1
        assert "<ol" not in first + second  # numbers that are typed choose on a card
    finally:
        for room in rooms:
            await room.__aexit__(None, None, None)


async def test_operators_see_what_waits_for_whom(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    service = await start()
    settings = service.parts.settings
    async with WebRoom(service.url, "ward-7") as room:
        card = await to_review(room)
        capsys.readouterr()
        for person, count in ((None, 1), ("chen", 1), ("lin", 0)):
            assert await show_pending(settings, person, as_json=True) == 0
            found = json.loads(capsys.readouterr().out.splitlines()[-1])
            assert len(found) == count
            for one in found:
                assert (one["card"], one["requester"]) == (card["token"], "lin")
                assert (one["conversation"], one["roles"]) == ("web:local:ward-7", ["reviewer"])
        assert await show_pending(settings, "wu", as_json=False) == 0
        assert "请审核" in capsys.readouterr().out
        await room.tap("chen", card, "approve")
        await room.card("phase_done")
        assert await show_pending(settings, None, as_json=False) == 0
        assert capsys.readouterr().out.endswith("nothing waits for anybody\n")


async def listed(room: WebRoom, person: str, command: str, said: str) -> str:
    known = set(room.shown)
    await room.say(person, command)

    def answers(message: Message) -> bool:
        new = any(view is message for key, view in room.shown.items() if key not in known)
        return new and not message["card"] and said in text_of(message)

    return text_of(await room.wait_for(answers)).replace('\\"', '"')
