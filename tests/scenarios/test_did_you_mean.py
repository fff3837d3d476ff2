"""What may mean several things is asked about on a card, and begun only as its writer chooses."""

import asyncio
from collections.abc import Callable

import pytest

from tests.fakes.web_room import Message, WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Service, runs_in

pytestmark = pytest.mark.asyncio(loop_scope="module")

# What can be done is the first choice of both, what cannot the second of RECORD's; ASKS may be a
# question.
VISIT = "P003今天的访视"
RECORD = "录入P009的体温37.1"
ENGLISH = "record temperature 37.1 for P009"
ASKS = "P003 的访视"
SURE = "P003 的 ECOG"
ELSE = "The auditors keep asking me for the lab shift table of P003. You see where this is going"
NOTHING = {"zh": "没有进行任何操作", "en": "nothing was done"}


async def asked(room: WebRoom, text: str = VISIT) -> Message:
    """The open card that asks what the text means."""
    await room.say("lin", text)
    return await room.card("select")


async def closed(room: WebRoom) -> Message:
    """The card once nobody can choose any more: it has no button."""
    card = await room.card("select", closed=True)
    assert card["buttons"] == []
    return card


def choices_of(card: Message) -> list[str]:
    return [b["data"].split(":")[2] for b in card["buttons"]]


def is_offer(shown: Message) -> bool:
    return str(shown["data"]).split(":")[2].isdecimal()


async def next_card(room: WebRoom, before: Message) -> Message:
    """The card that comes in place of another of its kind."""

    def is_next(message: Message) -> bool:
        card = message["card"]
        return bool(card and card["buttons"]) and card["buttons"] != before["buttons"]

    found: Message = (await room.wait_for(is_next))["card"]
    return found


def part_is(state: str, said: str = "") -> Callable[[Message], bool]:
    return lambda m: any(p["state"] == state and said in p["html"] for p in m["parts"])


async def another(room: WebRoom) -> None:
    """A message that comes later is answered: what came before it has been handled."""
    await room.say("lin", SURE)
    await room.wait_for(lambda m: m["card"] is None and "2026-10-28" in text_of(m["parts"]))


@pytest.mark.parametrize(
    ("text", "title", "none"),
    [
        (RECORD, "你是想…？", "都不是"),
        (ASKS, "你是想…？", "都不是"),
        (ENGLISH, "Did you mean …?", "None of these"),
    ],
)
async def test_an_unclear_text_is_asked_about_and_starts_nothing(
    shared: Service, own_room: WebRoom, text: str, title: str, none: str
) -> None:
    card = await asked(own_room, text)
    assert card["title"] == title
    choices = choices_of(card)
    assert choices == [*(str(n) for n in range(1, len(choices) - 1)), "more", "none"]
    labels = [b["label"] for b in card["buttons"]]
    assert 3 <= len(set(labels)) == len(labels) <= 5
    assert labels[-1] == none
    assert text in text_of(card)
    assert len(own_room.shown) == 1
    assert await runs_in(shared, own_room) == 0


async def test_pending_tells_such_cards_apart_by_what_was_written(own_room: WebRoom) -> None:
    await asked(own_room, ENGLISH)
    await own_room.say("lin", "/pending")
    listed = await own_room.wait_for(lambda m: "Waiting for you" in text_of(m))
    line = next(each for each in text_of(listed).split("<li>") if ENGLISH in each)
    assert line.startswith(f"Did you mean …? You wrote: “{ENGLISH}”")


async def test_who_writes_the_same_again_has_one_card_for_it(own_room: WebRoom) -> None:
    def is_replaced(message: Message) -> bool:
        return bool(message["card"]) and "取代" in message["card"]["outcome"]

    theirs = await asked(own_room)
    await own_room.say("chen", VISIT)
    await next_card(own_room, theirs)
    await own_room.say("lin", f" {VISIT} ")
    old = await own_room.wait_for(is_replaced)
    assert old["card"]["buttons"] == []
    assert [part["state"] for part in old["parts"]] == ["cancelled"]
    assert "又写了一次" in text_of(old["parts"])
    await own_room.say("lin", "/pending")
    listed = text_of(await own_room.wait_for(lambda m: "等您处理" in text_of(m)))
    # The other is what somebody else was asked, which stays.
    assert listed.count(VISIT) == 2
    status, answer = await own_room.tap("lin", theirs, "1")
    assert (status, answer["ok"]) == (200, False)


async def test_politeness_around_a_question_is_no_question_of_its_own_and_nothing_is_dropped(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", "Quick question: could you tell me the ECOG of P003?")
    plain = await own_room.wait_for(lambda m: "2026-10-28" in text_of(m["parts"]))
    assert plain["parts"][0]["html"].startswith("<p>ECOG of P003:")
    await own_room.say("lin", "I have a question about the inclusion criteria")
    found = await own_room.wait_for(lambda m: "age 18 to 75" in text_of(m["parts"]))
    assert "does not mention" not in text_of(found["parts"])
    await own_room.say("lin", "My mind has gone blank, what is the weight of P003?")
    beside = await own_room.wait_for(lambda m: "61.2 kg" in text_of(m["parts"]))
    told = text_of(beside["parts"])
    assert "What you mean by “My mind has gone blank” I did not understand." in told
    assert "You could say" not in told
    assert beside["card"] is None


async def test_a_choice_begins_the_run_with_what_was_written_first(
    shared: Service, own_room: WebRoom
) -> None:
    card = await asked(own_room)
    status, answer = await own_room.tap("lin", card, "1")
    assert (status, answer["ok"]) == (200, True)
    form = await own_room.card("clarify")
    assert "P003" in [row["value"] for row in form["rows"]]
    assert "林悦" in (await closed(own_room))["outcome"]
    assert await runs_in(shared, own_room) == 1


async def test_something_else_offers_all_that_can_be_done_once(own_room: WebRoom) -> None:
    cards = [await asked(own_room, ELSE)]
    while "more" in choices_of(cards[-1]):
        await own_room.tap("lin", cards[-1], "more")
        cards.append(await next_card(own_room, cards[-1]))
    offered = [b["label"] for card in cards for b in card["buttons"] if is_offer(b)]
    assert len(cards) >= 3
    assert [len(choices_of(card)) for card in cards[:2]] == [5, 10]
    assert len(set(offered)) == len(offered)
    assert {label.partition(" · ")[0] for label in offered} >= {"Run edit checks", "Record a visit"}
    assert sum("look it up" in label for label in offered) == 1
    await own_room.tap("lin", cards[-1], "none")
    await own_room.wait_for(part_is("cancelled", NOTHING["en"]))


async def test_what_is_chosen_on_a_further_card_begins_with_what_was_written(
    shared: Service, own_room: WebRoom
) -> None:
    card = await asked(own_room, ELSE)
    while not (visits := [b for b in card["buttons"] if b["label"].startswith("Record a visit")]):
        await own_room.tap("lin", card, "more")
        card = await next_card(own_room, card)
    await own_room.post("taps", "lin", button=visits[0]["data"], id=new_id())
    form = await own_room.card("clarify")
    assert "P003" in [row["value"] for row in form["rows"]]
    assert await runs_in(shared, own_room) == 1


async def test_a_choice_that_cannot_be_done_yet_is_said_and_starts_nothing(
    shared: Service, own_room: WebRoom
) -> None:
    card = await asked(own_room, RECORD)
    await own_room.tap("lin", card, "2")
    await own_room.wait_for(part_is("failed", NOTHING["zh"]))
    await closed(own_room)
    assert await runs_in(shared, own_room) == 0


async def test_just_a_question_is_answered_honestly(shared: Service, own_room: WebRoom) -> None:
    card = await asked(own_room, ASKS)
    (question,) = [b for b in card["buttons"] if "提问" in b["label"]]
    await own_room.post("taps", "lin", button=question["data"], id=new_id())
    answered = await own_room.wait_for(part_is("answered"))
    assert answered["parts"][0]["html"].count("<li>") >= 2
    await closed(own_room)
    assert await runs_in(shared, own_room) == 0


@pytest.mark.parametrize(
    ("text", "near", "told"),
    [
        (
            "List the subjects with grade 3 events",
            "How many subjects had adverse events?",
            "Adverse events:",
        ),
        ("各中心的入组进度怎么样？", "一共入组了多少人", "受试者："),
        ("Who was last to be enrolled?", "How many patients have enrolled so far?", "Subjects:"),
    ],
)
async def test_a_question_that_no_look_up_answers_offers_those_near_it(
    shared: Service, own_room: WebRoom, text: str, near: str, told: str
) -> None:
    card = await asked(own_room, text)
    (choice,) = [b["data"].split(":")[2] for b in card["buttons"] if b["label"] == near]
    await own_room.tap("lin", card, choice)
    answered = await own_room.wait_for(part_is("answered"))
    (part,) = answered["parts"]
    assert told in part["html"]
    assert "look up" not in part["html"], "it is answered now"
    assert near in (await closed(own_room))["outcome"]


async def test_only_who_wrote_may_choose(shared: Service, own_room: WebRoom) -> None:
    card = await asked(own_room)
    for person in ("chen", "zhao"):
        status, answer = await own_room.tap(person, card, "1")
        assert (status, answer["ok"]) == (200, False)
        assert answer["text"]
    await own_room.say("zhao", "1")
    await own_room.wait_for(lambda m: m["card"] is None and bool(m["parts"]))
    assert len(own_room.shown) == 2
    assert (await own_room.card("select"))["outcome"] == ""
    assert await runs_in(shared, own_room) == 0


@pytest.mark.parametrize("text", ["1", " 1 ", "１"])
async def test_the_number_shown_chooses(shared: Service, own_room: WebRoom, text: str) -> None:
    await asked(own_room)
    await own_room.say("lin", text)
    form = await own_room.card("clarify")
    assert "P003" in [row["value"] for row in form["rows"]]
    await closed(own_room)
    assert await runs_in(shared, own_room) == 1


@pytest.mark.parametrize("text", ["5", "0", "-1", "1.5"])
async def test_a_number_that_is_not_shown_chooses_nothing(
    shared: Service, own_room: WebRoom, text: str
) -> None:
    await asked(own_room)
    await own_room.say("lin", text)
    await own_room.wait_for(lambda m: m["card"] is None and bool(m["parts"]))
    assert (await own_room.card("select"))["outcome"] == ""
    assert await runs_in(shared, own_room) == 0


@pytest.mark.parametrize(("text", "lang"), [(VISIT, "zh"), (ENGLISH, "en")])
@pytest.mark.parametrize("how", ["tap", "number"])
async def test_none_of_these_ends_the_part(
    shared: Service, own_room: WebRoom, text: str, lang: str, how: str
) -> None:
    card = await asked(own_room, text)
    if how == "tap":
        await own_room.tap("lin", card, "none")
    else:
        await own_room.say("lin", str(len(card["buttons"])))
    await own_room.wait_for(part_is("cancelled", NOTHING[lang]))
    await closed(own_room)
    assert await runs_in(shared, own_room) == 0


async def test_what_comes_again_chooses_once(shared: Service, own_room: WebRoom) -> None:
    message = new_id()
    for _ in range(2):
        await own_room.say("lin", VISIT, message_id=message)
    card = await own_room.card("select")
    tap = {"button": button(card, "1"), "id": new_id()}
    first, *again = [await own_room.post("taps", "lin", **tap) for _ in range(3)]
    assert first[1]["ok"]
    assert again == [first, first]
    _, other = await own_room.tap("lin", card, "none")
    assert not other["ok"]
    assert next(b["label"] for b in card["buttons"]) in other["text"]
    await own_room.card("clarify")
    await own_room.say("lin", VISIT, message_id=message)
    await another(own_room)
    assert await runs_in(shared, own_room) == 1
    kinds = [m["card"]["kind"] for m in own_room.shown.values() if m["card"]]
    assert sorted(kinds) == ["clarify", "select"]


async def test_of_two_choices_at_once_one_counts(shared: Service, own_room: WebRoom) -> None:
    card = await asked(own_room)
    begun, left = await asyncio.gather(
        own_room.tap("lin", card, "1"), own_room.tap("lin", card, "none")
    )
    assert begun[1]["ok"] != left[1]["ok"]
    await closed(own_room)
    if begun[1]["ok"]:
        await own_room.card("clarify")
    else:
        await own_room.wait_for(part_is("cancelled", NOTHING["zh"]))
    assert await runs_in(shared, own_room) == begun[1]["ok"]


async def test_what_is_sure_is_answered_at_once_and_each_other_part_is_asked_about(
    shared: Service, own_room: WebRoom
) -> None:
    await own_room.say("lin", f"查一下P003的ECOG。{RECORD}。{VISIT}。")
    message = await own_room.wait_for(lambda m: len(m["parts"]) == 3)
    assert [p["state"] for p in message["parts"]] == ["answered", "needs_you", "needs_you"]
    assert "2026-10-28" in message["parts"][0]["html"]
    below = await own_room.wait_for(lambda m: not m["parts"] and VISIT in text_of(m["card"]))
    # One number could mean either card.
    await own_room.say("lin", "1")
    await own_room.wait_for(lambda m: len(m["parts"]) == 1)
    assert await runs_in(shared, own_room) == 0
    await own_room.tap("lin", below["card"], "1")
    await own_room.card("clarify")
    assert RECORD in text_of(await own_room.card("select"))
    assert await runs_in(shared, own_room) == 1
