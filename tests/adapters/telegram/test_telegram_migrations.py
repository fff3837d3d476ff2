"""A group that became a supergroup: one conversation all along, and its cards stay answerable."""

import pytest

from adapters.telegram.payload import parse
from cards.showing.view import ButtonView, CardView, MessageView
from engine.errors import Gone
from engine.events import CardTapped, DirectAnswer

OLD, NEW = -5001, -1001234567890
CONVERSATION = f"telegram:7000000001:{OLD}"
DATA = "s1:1f-AbCdEf123456:approve:1"


def view(title="Record?"):
    card = CardView(
        token="1f-AbCdEf123456",
        kind="confirm",
        title=title,
        buttons=(ButtonView(data=DATA, label="Approve"),),
    )
    return MessageView(lang="en", card=card)


@pytest.fixture(params=["told", "found"])
async def moved(request, server, platform, deliver):
    """The old message's id, after the group moved: as it was told, or found when writing there."""
    message_id = await platform.send(CONVERSATION, view(), key="k1")
    server.migrated[OLD] = NEW
    if request.param == "told":
        assert await deliver(server.migrated_update(OLD, NEW)) == 200
    else:
        await platform.send(CONVERSATION, view("Another"), key="k2")
    return message_id


async def test_what_the_new_chat_says_belongs_to_the_old_conversation(
    server, intake, deliver, moved
):
    assert await deliver(server.message_update("@signoff_bot hi", chat_id=NEW)) == 200
    assert intake.last.conversation == CONVERSATION
    in_topic = server.message_update("@signoff_bot hi", chat_id=NEW, topic=7)
    assert await deliver(in_topic) == 200
    assert intake.last.conversation == f"{CONVERSATION}:7"


async def test_messages_go_to_the_new_chat_and_are_edited_there(server, platform, moved):
    message_id = await platform.send(CONVERSATION, view("Now here"), key="k3")
    posted = server.chat(NEW)[-1]
    assert message_id == f"{NEW}:{posted.message_id}"
    assert await platform.edit(CONVERSATION, message_id, view("Changed")) == message_id
    assert "Changed" in posted.text
    link = await platform.link(CONVERSATION, message_id)
    assert link == f"https://t.me/c/1234567890/{posted.message_id}"
    assert server.faults == []


async def test_an_open_card_of_the_old_chat_is_shown_again_where_the_group_is(
    server, platform, moved
):
    before = len(server.chat(NEW))
    message_id = await platform.edit(CONVERSATION, moved, view("Approved"))
    assert "Approved" in server.chat(NEW)[-1].text
    assert await platform.edit(CONVERSATION, message_id, view("Approved by Bo")) == message_id
    assert len(server.chat(NEW)) == before + 1


async def test_cards_are_answered_in_both_chats(server, platform, intake, deliver, moved):
    await platform.send(CONVERSATION, view("Now here"), key="k3")
    new, (old,) = server.chat(NEW)[-1], server.chat(OLD)
    for shown, message_id in ((new, f"{NEW}:{new.message_id}"), (old, "")):
        intake.outcomes.append(DirectAnswer("Approved", ok=True))
        assert await deliver(server.tap_update(shown, "Approve")) == 200
        assert isinstance(intake.last, CardTapped)
        assert (intake.last.conversation, intake.last.message_id) == (CONVERSATION, message_id)
        assert server.callback_answers[-1].text == "Approved"


async def test_with_the_store_away_nothing_of_a_group_is_put_into_a_wrong_conversation(
    server, intake, deliver, moved, platform, slate
):
    slate.away = True
    # Another process, which has not seen that it moved.
    platform._migrations._known.clear()
    assert await deliver(server.message_update("@signoff_bot hi", chat_id=NEW)) == 503
    assert intake.updates == []


def test_a_payload_cannot_say_itself_that_its_chat_moved():
    chat = {"id": NEW, "type": "supergroup", "known_as": OLD, "left": True}
    payload = parse({"update_id": 1, "message": {"message_id": 1, "chat": chat}})
    assert payload.message.place.conversation(1) == f"telegram:1:{NEW}"


async def test_ids_that_are_none_of_ours_are_gone(platform):
    with pytest.raises(Gone):
        await platform.edit(CONVERSATION, "x:y", view())
