"""A form that is filled in one field at a time, in a private chat, a group and a topic."""

import pytest

from adapters.telegram.inbound.polling import PollPace
from adapters.telegram.platform import TelegramPlatform
from cards.model import Field
from cards.showing.view import ButtonView, CardView, FormView, MessageView
from engine.events import (
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
)
from tests.adapters.telegram.conftest import delivery
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.telegram.server import SECRET, TOKEN

DATA = "s1:1f-AbCdEf123456:fill:1"
FORM = FormView(
    data=DATA,
    lang="en",
    title="Record a visit",
    submit="Send",
    cancel="Cancel",
    fields=(
        Field(name="weight_kg", label="Weight", type="number", unit="kg", maximum=300),
        Field(name="visit_date", label="Day", type="date", value="2026-11-21"),
        Field(name="arm", label="Arm", type="choice", options=("A", "B")),
        Field(name="note", label="Note", required=False, multiline=True),
    ),
)
CHAT = 1001


async def no_card(token):
    return None


class Chat:
    """One person with the form in front of them."""

    def __init__(self, server, post, chat_id, topic):
        self.server, self._post = server, post
        self.chat_id, self.topic = chat_id, topic
        self.user = 1002 if chat_id < 0 else chat_id

    @property
    def last(self):
        return self.server.chat(self.chat_id)[-1]

    async def tap(self, label, message=None, *, user=None):
        update = self.server.tap_update(message or self.last, label, user_id=user or self.user)
        await self._post(update)
        return update

    async def reply(self, text, message=None, *, user=None):
        update = self.server.reply_update(message or self.last, text, user_id=user or self.user)
        await self._post(update)
        return update

    async def word(self, text, reply_to=None):
        update = self.server.command_update(
            text, chat_id=self.chat_id, user_id=self.user, topic=self.topic, reply_to=reply_to
        )
        await self._post(update)
        return update


@pytest.fixture
def post(deliver):
    """Delivers an update, which has to be answered so."""

    async def delivered(update, *, status=200):
        assert await deliver(update) == status

    return delivered


@pytest.fixture
def opened(server, platform, intake, post):
    """Opens the form in a chat or a topic."""

    async def begin(chat_id=CHAT, topic=None, form=FORM):
        suffix = f":{topic}" if topic else ""
        view = CardView(
            token="1f-AbCdEf123456",
            kind="clarify",
            title="What is missing?",
            buttons=(ButtonView(data=DATA, label="Fill in"),),
        )
        conversation = f"telegram:7000000001:{chat_id}{suffix}"
        await platform.send(conversation, MessageView(lang="en", card=view), key="k1")
        chat = Chat(server, post, chat_id, topic)
        intake.outcomes.append(FormWanted(form))
        await chat.tap("Fill in")
        return chat

    return begin


PLACES = pytest.mark.parametrize(
    ("chat_id", "topic"), [(CHAT, None), (-100200300, None), (-100200300, 77)]
)


@PLACES
async def test_fields_are_asked_one_at_a_time_and_sent_when_confirmed(
    server, intake, opened, chat_id, topic
):
    chat = await opened(chat_id, topic)
    assert chat.last.force_reply
    assert "Weight (kg)" in chat.last.text
    assert "Arm" not in chat.last.text
    assert {m.topic for m in server.chat(chat_id)} == {topic}
    await chat.reply("70.5")
    assert chat.last.labels == ["A", "B", "‹ Back", "Cancel"]
    await chat.tap("B")
    assert chat.last.force_reply
    await chat.reply("first line\nweight: second line")
    assert chat.last.labels[:2] == ["Send", "Cancel"]
    assert "Weight (kg): 70.5\nDay: 2026-11-21\nArm: B\nNote: first line" in chat.last.text
    assert len(intake.updates) == 1
    intake.outcomes.append(DirectAnswer("Recorded", ok=True))
    await chat.tap("Send")
    sent = intake.last
    assert isinstance(sent, FormSubmitted)
    assert sent.values == {
        "weight_kg": "70.5",
        "visit_date": "2026-11-21",
        "arm": "B",
        "note": "first line\nweight: second line",
    }
    where = f"telegram:7000000001:{chat_id}" + (f":{topic}" if topic else "")
    assert (sent.button, sent.conversation) == (DATA, where)
    assert chat.last.keyboard == []
    assert chat.last.text.endswith("Recorded")
    assert server.faults == []


async def test_a_file_without_words_answers_no_field_and_is_taken_in(server, intake, post, opened):
    chat = await opened()
    asked = chat.last
    file = server.document_update("", "scan.pdf", Hosted(b"%PDF"), reply_to=asked)
    await post(file)
    assert isinstance(intake.last, MessageReceived)
    assert [each.name for each in intake.last.files] == ["scan.pdf"]
    assert chat.last is asked
    await chat.reply("70.5")
    assert chat.last.labels == ["A", "B", "‹ Back", "Cancel"]
    assert server.faults == []


async def test_a_group_s_prompts_name_who_shall_answer_and_nobody_else_can(server, intake, opened):
    chat = await opened(-100200300, 77)
    prompt = chat.last
    assert [e["user"]["id"] for e in prompt.entities if e["type"] == "text_mention"] == [1002]
    await chat.reply("70", prompt, user=3003)
    assert "not yours" in chat.last.text
    await chat.reply("70", prompt)
    buttons = chat.last
    await chat.tap("A", buttons, user=3003)
    assert server.callback_answers[-1].show_alert
    assert "not yours" in server.callback_answers[-1].text
    await chat.tap("A", buttons)
    assert "Note" in chat.last.text
    assert len(intake.updates) == 1


async def test_a_fault_asks_for_that_field_again_and_no_other(opened):
    chat = await opened()
    await chat.reply("900")
    assert "⚠️" in chat.last.text
    assert "300" in chat.last.text
    assert chat.last.force_reply
    await chat.reply("70")
    assert chat.last.labels[:2] == ["A", "B"]


async def test_there_is_a_way_back_and_one_to_leave_a_field_out(intake, opened):
    chat = await opened()
    await chat.word("/back", chat.last)
    assert "first one" in chat.last.text
    await chat.word("/skip", chat.last)
    assert "needed" in chat.last.text
    await chat.reply("70")
    await chat.tap("‹ Back")
    assert "Now: 2026-11-21" in chat.last.text
    await chat.word("/back")
    assert "Now: 70" in chat.last.text
    await chat.reply("71")
    await chat.tap("A")
    assert "Note" in chat.last.text
    # As a tap on the word in the prompt sends it: without a reply.
    await chat.word("/skip@signoff_bot")
    assert "Note: (left empty)" in chat.last.text
    assert "71" in chat.last.text
    assert len(intake.updates) == 1


async def test_anything_can_be_changed_before_it_is_sent(intake, opened):
    chat = await opened()
    await chat.reply("weight: 70\nArm: A\nNote: fine")
    assert chat.last.labels == ["Send", "Cancel", "✎ Weight", "✎ Day", "✎ Arm", "✎ Note"]
    summary = chat.last
    await chat.tap("✎ Arm")
    assert "Now: A" in chat.last.text
    assert chat.last.labels == ["✓ A", "B", "‹ Back", "Keep “A”", "Cancel"]
    await chat.tap("B")
    assert chat.last.message_id == summary.message_id, "buttons take the place of buttons"
    await chat.tap("✎ Note")
    assert summary.keyboard == []
    await chat.word("/clear", chat.last)
    assert "Note: (left empty)" in chat.last.text
    await chat.tap("Send")
    assert intake.last.values["arm"] == "B"
    assert intake.last.values["note"] == ""


async def test_an_open_form_survives_another_process_and_another_tap(
    server, intake, opened, platform, slate, lease, aiohttp_client
):
    chat = await opened()
    prompt = chat.last
    await platform.close()
    other = TelegramPlatform(
        bot_token=TOKEN,
        webhook_secret=SECRET,
        api_url=server.url,
        public_url="https://signoff.example",
        lease=lease,
        texts=slate,
        read_card=no_card,
        pace=PollPace(),
    )
    chat._post = await delivery(aiohttp_client, other, intake, server)
    await chat.reply("70", prompt)
    assert chat.last.labels[:2] == ["A", "B"]
    # Who lost sight of it taps the card again, and goes on.
    intake.outcomes.append(FormWanted(FORM))
    await chat.tap("Fill in", server.chat(CHAT)[0])
    assert chat.last.labels[:2] == ["A", "B"]
    await other.close()


async def test_an_update_that_comes_again_counts_once_and_shows_its_step_once(server, opened, post):
    chat = await opened()
    await chat.reply("70")
    tap = await chat.tap("A")
    assert "Note" in chat.last.text
    shown = len(server.chat(CHAT))
    await post(tap)
    assert len(server.chat(CHAT)) == shown
    assert "Note" in chat.last.text


async def test_a_step_that_telegram_did_not_take_is_shown_when_the_message_comes_again(
    server, opened, post
):
    chat = await opened()
    server.fail_next("sendMessage", Fault.rate_limited(3))
    update = server.reply_update(chat.last, "70")
    await post(update, status=503)
    await post(update)
    assert chat.last.labels[:2] == ["A", "B"]


async def test_what_the_service_refuses_is_asked_again(intake, opened):
    chat = await opened()
    await chat.reply("weight: 70\nArm: A\nNote: fine")
    intake.outcomes.append(FormRefused({"weight_kg": "not like last time"}))
    await chat.tap("Send")
    assert "not like last time" in chat.last.text
    assert chat.last.force_reply
    await chat.reply("72")
    await chat.tap("Send")
    assert intake.last.values["weight_kg"] == "72"


async def test_a_form_that_was_not_recorded_can_be_sent_again(server, intake, opened):
    chat = await opened()
    await chat.reply("weight: 70\nArm: A\nNote: fine")
    intake.outcomes.append(NotRecorded("Not recorded, tap again"))
    await chat.tap("Send")
    assert server.callback_answers[-1].text == "Not recorded, tap again"
    await chat.tap("Send")
    assert intake.last.values["weight_kg"] == "70"
    assert chat.last.keyboard == []


@pytest.mark.parametrize("how", ["button", "reply"])
async def test_a_form_can_be_given_up(server, intake, opened, how):
    chat = await opened()
    prompt = chat.last
    if how == "button":
        await chat.reply("70")
        await chat.tap("Cancel")
    else:
        await chat.word("/cancel", prompt)
    assert "nothing was sent" in chat.last.text
    await chat.reply("70", prompt)
    assert "no longer open" in chat.last.text
    assert len(intake.updates) == 1


async def test_words_of_forms_are_commands_where_no_form_is_open(intake, opened):
    chat = await opened(-100200300, 77)
    chat.user = 3003
    await chat.word("/back")
    assert (intake.last.kind, intake.last.name) == ("command", "back")


async def test_long_lists_are_paged(server, intake, opened):
    options = tuple(f"Ward {number}" for number in range(45))
    form = FORM.model_copy(
        update={"fields": (Field(name="ward", label="Ward", type="choice", options=options),)}
    )
    chat = await opened(form=form)
    assert chat.last.labels[19:] == ["Ward 19", "Next ›", "Cancel"]
    await chat.tap("Next ›")
    assert chat.last.labels[0] == "Ward 20"
    assert "‹ Previous" in chat.last.labels
    await chat.tap("Next ›")
    assert chat.last.labels == [*options[40:], "‹ Previous", "Cancel"]
    await chat.tap("‹ Previous")
    await chat.tap("Ward 33")
    await chat.tap("Send")
    assert intake.last.values == {"ward": "Ward 33"}
    assert server.faults == []


async def test_a_form_of_chinese_labels_and_markup_is_shown_as_it_is(server, opened):
    form = FORM.model_copy(
        update={
            "lang": "zh",
            "title": "录入 <b>访视</b> @all",
            "fields": (
                Field(name="a", label="体重[x](https://x.example)", hint="*可选*"),
                Field(name="b", label="组别", type="choice", options=("<i>甲</i>", "乙" * 200)),
            ),
        }
    )
    chat = await opened(form=form)
    assert "录入 <b>访视</b> @\u2060all（1/2）" in chat.last.text
    assert [e["type"] for e in chat.last.entities].count("bold") == 1
    await chat.reply("无")
    assert chat.last.labels[0] == "<i>甲</i>"
    await chat.tap("<i>甲</i>")
    assert "组别：<i>甲</i>" in chat.last.text
    assert server.faults == []


async def test_a_store_that_is_away_loses_no_answer(server, opened, post, slate):
    chat = await opened()
    prompt = chat.last
    slate.away = True
    update = server.reply_update(prompt, "70")
    await post(update, status=503)
    slate.away = False
    await post(update)
    buttons = chat.last
    slate.away = True
    await chat.tap("A", buttons)
    assert "tap again" in server.callback_answers[-1].text
    slate.away = False
    await chat.tap("A", buttons)
    assert "Note" in chat.last.text


GOODS = FORM.model_copy(
    update={
        "fields": (
            Field(name="note", label="Note", type="file", kinds=("txt",)),
            Field(name="order", label="Order"),
        )
    }
)


@PLACES
async def test_a_file_answers_its_question_once_however_often_it_comes(
    server, intake, opened, post, chat_id, topic
):
    chat = await opened(chat_id, topic, GOODS)
    where = {"chat_id": chat_id, "user_id": chat.user, "topic": topic, "reply_to": chat.last}
    wrong = server.document_update("", "film.pdf", Hosted(b"x"), **where)
    await post(wrong)
    assert "of one of these kinds: txt" in chat.last.text
    asked = [m for m in server.chat(chat_id) if m.force_reply][-1]
    good = server.document_update("as asked", "a.txt", Hosted(b"x"), **where | {"reply_to": asked})
    for _ in range(2):
        await post(good)
        assert "Order" in chat.last.text
    assert len(intake.updates) == 1, "no file went anywhere else"
    await chat.reply("W-7")
    intake.outcomes.append(DirectAnswer("Recorded", ok=True))
    await chat.tap("Send")
    assert intake.last.values == {"note": "a.txt", "order": "W-7"}
    assert intake.last.uploads["note"].name == "a.txt"


async def test_in_private_a_file_alone_answers_the_question_that_is_asked(
    server, intake, opened, post
):
    chat = await opened(form=GOODS)
    alone = server.document_update("", "a.txt", Hosted(b"x"), chat_id=CHAT)
    for _ in range(2):
        await post(alone)
        assert "Order" in chat.last.text
    assert len(intake.updates) == 1
    later = server.document_update("", "b.txt", Hosted(b"x"), chat_id=CHAT)
    await post(later)
    assert isinstance(intake.last, MessageReceived)
    assert [file.name for file in intake.last.files] == ["b.txt"]


async def test_what_only_the_service_can_judge_is_refused_at_its_question(
    server, platform, intake, opened
):
    asked = []

    async def check(form):
        asked.append((form.button, form.actor.user, form.values))
        return {"who": "Nobody is called Bob."} if form.values.get("who") == "Bob" else {}

    platform.check_fields_by(check)
    fields = (Field(name="who", label="Who", type="person"), Field(name="why", label="Why"))
    chat = await opened(form=FORM.model_copy(update={"fields": fields}))
    await chat.reply("Bob")
    assert "Nobody is called Bob." in chat.last.text
    assert "Who" in chat.last.text
    await chat.reply("Who: Bob\nWhy: to help")
    assert "Nobody is called Bob." in chat.last.text
    await chat.reply("Ann")
    assert "Who: Ann\nWhy: to help" in chat.last.text
    assert asked == [
        (DATA, str(CHAT), values)
        for values in ({"who": "Bob"}, {"who": "Bob", "why": "to help"}, {"who": "Ann"})
    ]
    assert len(intake.updates) == 1, "nothing is sent before all is"
