"""What holds on every platform, on the one of the worked example in CONTRIBUTING.md too."""

import asyncio

import pytest

from bot.wiring.contexts import Adapter
from bot.wiring.platforms import PLATFORMS
from cards.model import Field
from cards.showing.view import ButtonView, CardView, FormView, MessageView, PartView
from cards.texts import say
from engine import events
from engine.errors import PlatformError
from engine.ports.platform import Pace
from tests.contracts.platforms.conftest import RIGS
from tests.contracts.platforms.rigs import Rig
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.tables import table

TOKEN = "0a-Zk3tP9qLmN4x"
APPROVE = ButtonView(data=f"s1:{TOKEN}:approve:1", label="Approve")
REASON = (Field(name="reason", label="Reason"), Field(name="again", label="Again"))
REJECT = ButtonView(data=f"s1:{TOKEN}:reject:1", label="Reject", form=REASON)
FORM = FormView(
    data=REJECT.data, lang="en", title="Why not", submit="Send", cancel="Cancel", fields=REASON
)
VALUES = {"reason": "too late", "again": "tomorrow"}


def view(*texts: str, buttons: tuple[ButtonView, ...] = (), outcome: str = "") -> MessageView:
    """An answer in parts, with a card if there is one to show."""
    parts = [PartView(number=n, state="answered", text=t) for n, t in enumerate(texts, 1)]
    card = CardView(
        token=TOKEN, kind="confirm", title="Sign off", buttons=buttons, outcome=outcome, tone="good"
    )
    return MessageView(lang="en", parts=tuple(parts), card=card if buttons or outcome else None)


CARD = view("here it is", buttons=(APPROVE, REJECT))


def test_every_platform_of_the_service_has_to_pass() -> None:
    assert set(RIGS) == {*PLATFORMS, "lines"}


@table("name", PLATFORMS)
@table("lang", ["zh", "en"])
def test_people_have_a_word_for_it(name: str, lang: str) -> None:
    assert say(f"place.{name}", lang, name="main")


# What comes in


async def test_what_somebody_writes_is_a_message_in_their_conversation(rig: Rig) -> None:
    assert await rig.say("What is the ECOG of P003?")
    update = rig.intake.last
    assert isinstance(update, events.MessageReceived)
    assert (update.text, update.conversation) == ("What is the ECOG of P003?", rig.here)
    assert (update.actor.platform, update.actor.user) == (rig.adapter.name, rig.who)
    assert update.conversation.startswith(f"{rig.adapter.name}:{update.actor.workspace}:")


async def test_a_word_with_a_slash_is_a_command(rig: Rig) -> None:
    assert await rig.say("/cancel the visit")
    update = rig.intake.last
    assert isinstance(update, events.CommandGiven)
    assert (update.name, update.text) == ("cancel", "the visit")


async def test_each_thing_said_has_an_id_of_its_own(rig: Rig) -> None:
    for _ in range(3):
        await rig.say("again")
    ids = {update.id for update in rig.intake.updates}
    assert len(ids) == 3
    assert all(one.startswith(f"{rig.adapter.name}:") for one in ids)


# A socket of lines repeats nothing.
@pytest.mark.parametrize("rig", sorted({*RIGS} - {"lines"}), indirect=True)
async def test_what_the_platform_brings_twice_is_one_update(rig: Rig) -> None:
    await rig.say("hello", times=2)
    first, second = rig.intake.updates
    assert first == second


async def test_a_message_is_acknowledged_only_once_it_is_kept(rig: Rig) -> None:
    rig.intake.open.clear()
    async with (
        within(PATIENCE_S, "the message arrives and is acknowledged"),
        asyncio.TaskGroup() as group,
    ):
        saying = group.create_task(rig.say("hello"))
        await rig.intake.arrived.wait()
        assert not saying.done()
        rig.intake.open.set()
    assert saying.result()


async def test_a_message_that_was_not_kept_is_not_acknowledged(rig: Rig) -> None:
    rig.intake.outcomes.extend([events.NotRecorded("Not recorded.")] * 4)
    assert not await rig.say("hello")


async def test_a_duplicate_is_acknowledged(rig: Rig) -> None:
    rig.intake.outcomes.append(events.Accepted(duplicate=True))
    assert await rig.say("hello")


# Cards


async def test_a_tap_brings_what_the_button_carries(rig: Rig) -> None:
    await rig.adapter.send(rig.here, CARD, key="k1")
    assert await rig.labels() == ["Approve", "Reject"]
    await rig.tap("Approve")
    update = rig.intake.last
    assert isinstance(update, events.CardTapped)
    assert (update.button, update.conversation) == (APPROVE.data, rig.here)
    assert update.actor.user == rig.who


@pytest.mark.parametrize(
    "outcome", [events.DirectAnswer("Bo was first.", ok=False), events.NotRecorded("Bo was first.")]
)
async def test_who_taps_is_told_what_became_of_it(
    rig: Rig, outcome: events.DirectAnswer | events.NotRecorded
) -> None:
    await rig.adapter.send(rig.here, CARD, key="k1")
    rig.intake.outcomes.append(outcome)
    assert "Bo was first." in await rig.tap("Approve")


async def test_a_form_is_asked_for_and_brings_its_values(rig: Rig) -> None:
    await rig.adapter.send(rig.here, CARD, key="k1")
    await rig.fill("Reject", FORM, VALUES)
    update = rig.intake.last
    assert isinstance(update, events.FormSubmitted)
    assert (update.button, update.conversation) == (REJECT.data, rig.here)
    assert update.values == VALUES


async def test_what_is_wrong_with_a_form_is_told(rig: Rig) -> None:
    await rig.adapter.send(rig.here, CARD, key="k1")
    rig.intake.outcomes.append(events.FormRefused({"reason": "Too short."}))
    assert "Too short." in await rig.fill("Reject", FORM, VALUES)


# What goes out


async def test_all_parts_of_an_answer_are_shown_in_order(rig: Rig) -> None:
    await rig.adapter.send(rig.here, view("the first", "the second"), key="k1")
    (shown,) = await rig.messages()
    assert shown.index("the first") < shown.index("the second")
    assert await rig.labels() == []


async def test_an_edit_shows_what_holds_now_and_how_the_card_ended(rig: Rig) -> None:
    message_id = await rig.adapter.send(rig.here, CARD, key="k1")
    closed = view("it is done", outcome="Approved by Bo")
    for _ in range(2):
        message_id = await rig.adapter.edit(rig.here, message_id, closed)
    (shown,) = await rig.messages()
    assert "it is done" in shown
    assert "Approved by Bo" in shown
    assert "here it is" not in shown
    assert await rig.labels() == []


async def test_messages_stand_in_the_order_in_which_they_were_sent(rig: Rig) -> None:
    for number in range(3):
        await rig.adapter.send(rig.here, view(f"number {number}"), key=f"k{number}")
    shown = await rig.messages()
    assert [f"number {number}" in shown[number] for number in range(3)] == [True] * 3


async def test_nothing_is_left_out_however_long_it_is(rig: Rig) -> None:
    words = [f"word{number}" for number in range(9_000)]
    await rig.adapter.send(rig.here, view(" ".join(words)), key="k1")
    told = (await rig.everything()).split()
    assert set(words) <= set(told)


@pytest.mark.parametrize("text", ["[1] Approve", "= k9\n[7] Approve", "hi\r\n[1] Approve\x1b[2J"])
async def test_no_text_is_a_button(rig: Rig, text: str) -> None:
    await rig.adapter.send(rig.here, view(text, buttons=(REJECT,)), key="k1")
    assert await rig.labels() == ["Reject"]


@pytest.mark.parametrize("rig", ["lines"], indirect=True)
async def test_no_text_moves_the_cursor(rig: Rig) -> None:
    await rig.adapter.send(rig.here, view("hi \x1b[2J\x07\r there"), key="k1")
    told = await rig.everything()
    assert "there" in told
    assert all(char.isprintable() or char == "\n" for char in told)


async def test_what_is_sent_after_somebody_wrote_comes_where_they_wrote(rig: Rig) -> None:
    await rig.say("hello")
    await rig.adapter.send(rig.intake.last.conversation, view("good day"), key="k1")
    assert any("good day" in shown for shown in await rig.messages())


async def test_it_says_how_often_it_may_be_written_to(rig: Rig) -> None:
    for pace in (rig.adapter.overall, rig.adapter.pace(rig.here)):
        assert isinstance(pace, Pace)
        assert pace.every_s >= 0
        assert pace.burst >= 1


async def test_what_helps_only_never_fails(rig: Rig) -> None:
    await rig.adapter.typing(rig.here)
    assert isinstance(await rig.adapter.link(rig.here, ""), str)
    await rig.adapter.close()
    await rig.adapter.close()


async def test_where_nothing_can_be_shown_now_it_is_to_be_tried_again(
    away: tuple[Adapter, str],
) -> None:
    adapter, here = away
    with pytest.raises(PlatformError) as caught:
        await adapter.send(here, view("hi"), key="k1")
    assert caught.value.retryable
    await adapter.typing(here)
    assert isinstance(await adapter.link(here, ""), str)
