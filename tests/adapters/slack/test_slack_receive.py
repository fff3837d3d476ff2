import copy

import pytest

from adapters.slack.inbound.markup import to_plain_text
from adapters.slack.inbound.receive import receive
from cards.model import Principal
from engine.errors import BadPayload
from engine.events import (
    Actor,
    CardTapped,
    CommandGiven,
    FormSubmitted,
    MessageEdited,
    MessageReceived,
    SharedFile,
)
from engine.mail import MessageArrived
from tests.fakes.tables import table

REQUESTER = Actor(platform="slack", workspace="T0TRIAL", user="U0REQUESTER")
REVIEWER = Actor(platform="slack", workspace="T0TRIAL", user="U0REVIEWER", name="u0reviewer")
THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"
BUTTON = "s1:0a-Zk3tP9qLmN4x:approve:1"


@pytest.mark.parametrize(
    ("name", "id", "conversation", "text"),
    [
        (
            "message_im",
            "slack:T0TRIAL:D0REQUESTER:1763700000.000100",
            "slack:T0TRIAL:D0REQUESTER",
            "查一下 P003 的 ECOG & 体重 < 80",
        ),
        (
            "message_im_thread",
            "slack:T0TRIAL:D0REQUESTER:1763700009.000100",
            "slack:T0TRIAL:D0REQUESTER",
            "and P004?",
        ),
        ("message_channel_mention", THREAD, THREAD, "what is the ECOG of P003?"),
        ("app_mention", THREAD, THREAD, "what is the ECOG of P003?"),
        (
            "app_mention_in_thread",
            "slack:T0TRIAL:C0TRIAL:1763700050.000200",
            THREAD,
            "thanks , see #other and the plan (https://example.com/a?b=1&c=2)",
        ),
        (
            "message_file_share",
            "slack:T0TRIAL:D0REQUESTER:1763700000.000100",
            "slack:T0TRIAL:D0REQUESTER",
            "the visit form",
        ),
        (
            "message_thread_broadcast",
            "slack:T0TRIAL:C0TRIAL:1763700070.000100",
            THREAD,
            "for all",
        ),
    ],
)
def test_a_persons_message_becomes_an_update(payload, name, id, conversation, text):
    update = receive(payload(name))
    thread = f"{conversation}:1763700000.000100" if name == "message_im_thread" else ""
    assert update.model_copy(update={"files": ()}) == MessageReceived(
        id=id,
        conversation=conversation,
        actor=REQUESTER,
        text=text,
        thread=thread,
        message=id,
    )


def test_the_files_of_a_message_are_named(payload):
    update = receive(payload("message_file_share"))
    assert update.files == (
        SharedFile(platform="slack", id="F0FORM", name="form.pdf", workspace="T0TRIAL"),
    )


def test_a_change_by_its_writer_is_an_edit_of_the_message(payload):
    edit = receive(payload("message_changed"))
    assert (edit.to.id, edit.to.text) == ("slack:T0TRIAL:D0REQUESTER:1763700000.000100", "edited")
    assert (edit.conversation, edit.actor) == ("slack:T0TRIAL:D0REQUESTER", REQUESTER)
    assert edit.at == "00001763700001000300"
    assert edit.id.startswith(edit.to.message)


def _edited(payload, before, after, **more):
    changed = copy.deepcopy(payload("message_changed"))
    event = changed["event"]
    event |= {"channel": "C0TRIAL", "channel_type": "channel"}
    event["previous_message"] |= {"text": before} | more
    event["message"] |= {"text": after} | more
    return receive(changed)


@pytest.mark.parametrize("more", [{}, {"thread_ts": "1763600000.000100"}])
def test_a_message_that_comes_to_mention_the_bot_is_one_to_it(payload, more):
    said = _edited(payload, "ECOG of P003?", "<@U0BOT> ECOG of P003?", **more)
    assert (said.kind, said.text, said.overheard) == ("message", "ECOG of P003?", False)
    assert said.id == "slack:T0TRIAL:C0TRIAL:1763700000.000100"
    still = _edited(payload, "<@U0BOT> ECOG of P003?", "<@U0BOT> ECOG of P004?", **more)
    assert isinstance(still, MessageEdited)
    assert _edited(payload, "ECOG of P003?", "ECOG of P004?") is None


def test_message_and_mention_of_one_message_are_one_update(payload):
    assert receive(payload("message_channel_mention")) == receive(payload("app_mention"))


def test_a_command_written_to_the_bot_is_a_command(payload):
    assert receive(payload("app_mention_command")) == CommandGiven(
        id="slack:T0TRIAL:C0TRIAL:1763700060.000200",
        message="slack:T0TRIAL:C0TRIAL:1763700060.000200",
        conversation=THREAD,
        actor=REQUESTER,
        name="cancel",
        text="the second one",
    )


@pytest.mark.parametrize(
    "name",
    [
        "message_channel_plain",
        "message_channel_other_mention",
        "message_own",
        "message_own_user",
        "message_other_bot",
        "message_bot_subtype",
        "message_deleted",
        "message_channel_join",
        "reaction_added",
        "app_rate_limited",
        "block_actions_foreign",
        "block_actions_in_modal",
        "view_submission_foreign",
        "shortcut",
    ],
)
def test_what_is_not_for_us_is_no_update(payload, name):
    assert receive(payload(name)) is None


@pytest.mark.parametrize(
    ("name", "channel", "conversation"),
    [
        ("block_actions_im", "D0REVIEWER", "slack:T0TRIAL:D0REVIEWER"),
        ("block_actions_thread", "C0TRIAL", THREAD),
        ("block_actions_channel", "C0REVIEWS", "slack:T0TRIAL:C0REVIEWS"),
        ("block_actions_thread_root", "C0REVIEWS", "slack:T0TRIAL:C0REVIEWS"),
    ],
)
def test_a_tap_carries_the_raw_button_and_where_the_card_stands(
    payload, name, channel, conversation
):
    assert receive(payload(name)) == CardTapped(
        id=f"slack:action:T0TRIAL:U0REVIEWER:{channel}:1763700120.123456",
        conversation=conversation,
        actor=REVIEWER,
        button=BUTTON,
        message_id=f"{channel}:1763700100.000100",
    )


def test_a_choice_of_a_menu_is_a_tap(payload):
    sent = payload("block_actions_im")
    (action,) = sent["actions"]
    action |= {"type": "static_select", "selected_option": {"value": action.pop("value")}}
    assert receive(sent).button == BUTTON


def test_a_form_carries_its_values_by_field_name(payload):
    update = receive(payload("view_submission"))
    assert isinstance(update, FormSubmitted)
    assert update.conversation == THREAD
    assert update.button == "s1:0a-Zk3tP9qLmN4x:submit:1"
    assert update.values == {"visit_date": "2026-11-21", "ecog": "2", "arm": "A", "reason": ""}
    assert update.id.startswith("slack:view:T0TRIAL:V00000001:1763700130.abcd:")


@pytest.mark.parametrize("changed", ["hash", "value"])
def test_a_form_sent_again_after_a_refusal_is_another_update(payload, changed):
    first = payload("view_submission")
    again = copy.deepcopy(first)
    if changed == "hash":
        again["view"]["hash"] = "1763700140.efgh"
    else:
        again["view"]["state"]["values"]["ecog"]["value"]["value"] = "1"
    assert receive(first).id == receive(copy.deepcopy(first)).id
    assert receive(first).id != receive(again).id


SLASHED = {
    "aside": True,
    "id": "slack:command:T0TRIAL:2.0.trigger",
    "conversation": "slack:T0TRIAL:U0REQUESTER",
    "actor": REQUESTER.model_copy(update={"name": "u0requester"}),
}


@pytest.mark.parametrize(
    ("command", "text", "name", "rest"),
    [
        ("/signoff", "", "help", ""),
        ("/signoff", " /pending 2 ", "pending", "2"),
        ("/signoff", "Pending 2", "pending", "2"),
        ("/cancel", "all of it", "cancel", "all of it"),
    ],
)
def test_a_slash_command_may_hold_a_command(payload, command, text, name, rest):
    update = receive(payload("slash_command") | {"command": command, "text": text})
    assert update == CommandGiven(**SLASHED, name=name, text=rest)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("  ECOG of P003 &lt; 2? ", "ECOG of P003 < 2?"),
        # The intake knows bare words; whatever else begins with one is a question.
        ("pending", "pending"),
        ("cancel the visit of P003", "cancel the visit of P003"),
    ],
)
def test_a_slash_command_may_hold_a_question(payload, text, asked):
    update = receive(payload("slash_command") | {"text": text})
    assert update == MessageReceived(**SLASHED, text=asked)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("ECOG of <@U0BO|bo> &amp; P003?", "ECOG of @bo & P003?"),
        # What somebody else wrote is never a command of who asks about it.
        ("cancel", "cancel ?"),
        ("/cancel", "cancel ?"),
        ("／cancel", "cancel ?"),
    ],
)
def test_a_shortcut_asks_what_the_message_says(payload, text, asked):
    sent = payload("message_action")
    sent["message"]["text"] = text
    assert receive(sent) == MessageReceived(
        id="slack:shortcut:T0TRIAL:4.0.trigger",
        conversation="slack:T0TRIAL:U0REQUESTER",
        actor=REQUESTER.model_copy(update={"name": "u0requester"}),
        text=asked,
    )


@pytest.mark.parametrize("changed", [{"callback_id": "other"}, {"message": {"ts": "1.2"}}])
def test_another_shortcut_and_an_empty_message_ask_nothing(payload, changed):
    assert receive(payload("message_action") | changed) is None


def _without(payload, *path):
    changed = copy.deepcopy(payload)
    node = changed
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return changed


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("message_im", ("team_id",)),
        ("message_im", ("event",)),
        ("message_im", ("event", "channel")),
        ("message_im", ("event", "ts")),
        ("block_actions_im", ("user",)),
        ("block_actions_im", ("actions",)),
        ("view_submission", ("view",)),
        ("view_submission", ("view", "private_metadata")),
        ("slash_command", ("trigger_id",)),
        ("slash_command", ("command",)),
        ("message_action", ("trigger_id",)),
        ("message_action", ("user",)),
        ("message_action", ("message",)),
    ],
)
def test_another_shape_is_refused(payload, name, path):
    with pytest.raises(BadPayload):
        receive(_without(payload(name), *path))


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"type": 5},
        {"type": "event_callback", "team_id": "T1", "event": []},
        {"type": "event_callback", "team_id": "T1:C2", "event": {"type": "message"}},
    ],
)
def test_what_slack_never_sends_is_refused(broken):
    with pytest.raises(BadPayload):
        receive(broken)


@pytest.mark.parametrize("metadata", ["", "{", "[]", '{"button": "s1:x"}'])
def test_a_form_that_we_did_not_make_is_refused(payload, metadata):
    sent = payload("view_submission")
    sent["view"]["private_metadata"] = metadata
    with pytest.raises(BadPayload):
        receive(sent)


def test_unknown_keys_are_ignored(payload):
    event = payload("message_im")
    event["event"]["something_new"] = {"a": 1}
    event["something_new"] = [1]
    assert receive(event) == receive(payload("message_im"))


@table(
    ("marked", "read"),
    [
        ("<@U1> and <@U2|bob>", "@U1 and @bob"),
        ("<#C1> <#C2|trial>", "#C1 #trial"),
        ("<!here> <!subteam^S1|@reviewers>", "@here @reviewers"),
        ("<!date^1763700000^{date}|21 Nov>", "21 Nov"),
        ("<http://x.org>", "http://x.org"),
        ("<http://x.org|x.org>", "x.org"),
        ("<http://x.org|the site>", "the site (http://x.org)"),
        ("<mailto:a@x.org|a@x.org>", "a@x.org"),
        ("a &lt;@U1&gt; b", "a <@U1> b"),
        ("&amp;lt;", "&lt;"),
        ("5 > 3 <", "5 > 3 <"),
    ],
)
def test_entities_become_plain_text(marked, read):
    assert to_plain_text(marked) == read


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("half \ud83d here", "half \ufffd here"),
        ("\udc4d first", "\ufffd first"),
        ("two \ud83d\udc4d halves", "two 👍 halves"),
    ],
)
def test_half_a_character_is_replaced_and_can_be_kept(payload, sent, read):
    body = payload("message_im")
    body["event"]["text"] = sent
    update = receive(body)
    assert update.text == read
    assert read in MessageArrived(update=update, principal=Principal(id="lin", name="Lin")).stored()


def test_nor_does_it_hurt_in_a_command_a_persons_name_or_a_files(payload):
    slash = payload("slash_command") | {"text": "what \ud83d"}
    assert "\ufffd" in receive(slash).text
    tap = payload("block_actions_im")
    tap["user"]["name"] = tap["user"]["username"] = "Ana \ud83d"
    assert receive(tap).actor.name == "Ana \ufffd"
    shared = payload("message_file_share")
    shared["event"]["files"][0]["name"] = "\ud83d.csv"
    assert receive(shared).files[0].name == "\ufffd.csv"


def _said(payload, text, **more):
    told = copy.deepcopy(payload("message_channel_plain"))
    told["event"] |= {"text": text} | more
    return receive(told)


@pytest.mark.parametrize(
    ("text", "thread", "overheard"),
    [
        ("61.5 kg", "1763600000.000100", True),
        ("so <@U0BYSTANDER> told me 61.5 kg", "1763600000.000100", True),
        ("<@U0BYSTANDER> what do you think?", "1763600000.000100", None),
        ("  <!here> look", "1763600000.000100", None),
        ("/cancel", "1763600000.000100", None),
        ("61.5 kg", "", None),
        ("well, <@U0BOT> 61.5 kg", "1763600000.000100", False),
    ],
)
def test_what_is_said_to_others_in_a_thread_is_overheard(payload, text, thread, overheard):
    update = _said(payload, text, **({"thread_ts": thread} if thread else {}))
    assert (update and update.overheard) is overheard


def test_the_first_message_of_a_thread_is_not_overheard(payload):
    first = copy.deepcopy(payload("message_channel_plain"))["event"]["ts"]
    assert _said(payload, "61.5 kg", thread_ts=first) is None
