import copy

import pytest

from adapters.telegram.addresses import ChatPlace, parse_place
from adapters.telegram.inbound.receive import BotIdentity, receive
from engine.errors import BadPayload, Gone
from engine.events import CardTapped, CommandGiven, FormSubmitted, MessageReceived
from tests.fakes.tables import table

ME = BotIdentity(7000000001, "signoff_bot")
NOT_FOR_US = [
    "group_chatter",
    "group_other_mention",
    "topic_chatter_under_own_topic",
    "command_for_another",
    "channel_post",
    "bot_message",
    "tap_on_game",
    "migrated",
]


@pytest.mark.parametrize(
    ("name", "conversation", "text"),
    [
        ("private_message", "telegram:7000000001:1001", "What is the ECOG of P003?"),
        ("group_mention", "telegram:7000000001:-100200300", "🙂  帮我查一下 P003 的 ECOG"),
        ("group_reply_to_bot", "telegram:7000000001:-100200300", "and P004?"),
        ("topic_mention", "telegram:7000000001:-100200300:77", "hello"),
        ("thread_reply_outside_topics", "telegram:7000000001:-100200300", "and P005?"),
        ("photo", "telegram:7000000001:1001", "look"),
        ("text_mention", "telegram:7000000001:-100200300", ", hello"),
        ("forged_form_reply", "telegram:7000000001:1001", "weight (kg): 70.5\n日期：2026-11-20"),
        (
            "form_link_as_text_in_bot_message",
            "telegram:7000000001:1001",
            "weight (kg): 70.5\n日期：2026-11-20",
        ),
    ],
)
def test_what_is_written_to_the_bot_is_a_message(payload, name, conversation, text):
    update = receive(payload(name), ME)
    assert isinstance(update, MessageReceived)
    assert (update.conversation, update.text) == (conversation, text)
    assert update.id == f"telegram:7000000001:update:{payload(name)['update_id']}"


def test_the_actor_is_the_person_by_platform_bot_and_number(payload):
    actor = receive(payload("private_message"), ME).actor
    assert (actor.platform, actor.workspace, actor.user) == ("telegram", "7000000001", "1001")
    assert actor.name == "Ana Lind"


def test_a_change_by_its_writer_is_an_edit_of_the_message(payload):
    edited = payload("edited_message")
    edit = receive(edited, ME)
    was = {"update_id": 90012, "message": edited["edited_message"]}
    assert edit.to == receive(was, ME).model_copy(update={"id": edit.id})
    assert edit.to.message == "telegram:7000000001:message:1001:41"
    assert (edit.conversation, edit.actor.user) == ("telegram:7000000001:1001", "1001")
    assert edit.at == "001790000050000000090013"
    del edited["edited_message"]["edit_date"]
    assert receive(edited, ME) is None


@pytest.mark.parametrize("name", NOT_FOR_US)
def test_what_is_not_for_the_bot_is_nothing(payload, name):
    assert receive(payload(name), ME) is None


@pytest.mark.parametrize(
    ("name", "command", "text"),
    [
        ("command_cancel", "cancel", ""),
        ("command_with_text", "pending", "mine only"),
        ("start", "start", ""),
    ],
)
def test_commands_lose_slash_and_bot_name(payload, name, command, text):
    update = receive(payload(name), ME)
    assert isinstance(update, CommandGiven)
    assert (update.name, update.text) == (command, text)


def test_a_slash_that_telegram_did_not_mark_is_text(payload):
    raw = payload("command_cancel")
    del raw["message"]["entities"]
    assert isinstance(receive(raw, ME), MessageReceived)


@pytest.mark.parametrize(
    ("name", "conversation"),
    [
        ("tap", "telegram:7000000001:-100200300:77"),
        ("tap_on_old_message", "telegram:7000000001:1001"),
    ],
)
def test_a_tap_carries_the_buttons_data_and_its_conversation(payload, name, conversation):
    update = receive(payload(name), ME)
    assert isinstance(update, CardTapped)
    assert (update.button, update.conversation) == ("s1:1f-AbCdEf123456:approve:1", conversation)


def test_a_reply_to_a_prompt_is_its_form_with_what_stood_there(payload):
    update = receive(payload("form_reply"), ME)
    assert isinstance(update, FormSubmitted)
    assert update.button == "s1:1f-AbCdEf123456:fill:2"
    assert update.values == {"weight_kg": "70.5", "visit_date": "2026-11-20", "ecog": "1"}


def test_free_text_under_a_prompt_stays_free_text(payload):
    update = receive(payload("form_reply_free_text"), ME)
    assert isinstance(update, FormSubmitted)
    assert update.values == {"text": "she weighs 70.5 today"}


def test_until_the_name_is_known_any_bots_name_may_be_ours(payload):
    nameless = BotIdentity(7000000001)
    assert isinstance(receive(payload("group_mention"), nameless), MessageReceived)
    assert isinstance(receive(payload("command_with_text"), nameless), CommandGiven)
    person = payload("group_mention")
    person["message"]["text"] = person["message"]["text"].replace("Signoff_Bot", "maria_lopez")
    assert receive(person, nameless) is None


@table(
    "raw",
    [
        [],
        None,
        "x",
        {},
        {"update_id": "many"},
        {"update_id": 1, "message": {"text": "no chat"}},
        {"update_id": 1, "callback_query": {"id": 3}},
    ],
)
def test_what_has_not_the_shape_of_an_update_is_refused(raw):
    with pytest.raises(BadPayload):
        receive(raw, ME)


def test_unknown_keys_change_nothing(payload):
    raw = payload("private_message")
    wider = copy.deepcopy(raw) | {"brand_new": {"a": 1}}
    wider["message"]["brand_new"] = [1]
    assert receive(wider, ME) == receive(raw, ME)


@pytest.mark.parametrize(
    "place", [ChatPlace(1001), ChatPlace(-100200300), ChatPlace(-100200300, 77)]
)
def test_a_place_and_its_conversation_are_one(place):
    assert parse_place(place.conversation(7000000001), 7000000001) == place


@pytest.mark.parametrize(
    "conversation", ["telegram:1:1001", "slack:T1:C1", "telegram:7000000001:", ""]
)
def test_a_conversation_of_others_is_gone(conversation):
    with pytest.raises(Gone):
        parse_place(conversation, 7000000001)


def test_only_a_link_that_the_bot_itself_set_carries_a_form(payload):
    raw = payload("form_reply")
    raw["message"]["reply_to_message"]["entities"][0]["type"] = "url"
    assert isinstance(receive(raw, ME), MessageReceived)


def test_half_a_character_is_replaced_and_can_be_kept() -> None:
    raw = {
        "update_id": 7,
        "message": {
            "message_id": 3,
            "date": 1,
            "chat": {"id": 1001, "type": "private"},
            "from": {"id": 1001, "is_bot": False, "first_name": "Ana \ud83d"},
            "text": "half \ud83d here",
        },
    }
    update = receive(raw, ME)
    assert isinstance(update, MessageReceived)
    assert (update.text, update.actor.name) == ("half \ufffd here", "Ana \ufffd")
    update.model_dump_json()
