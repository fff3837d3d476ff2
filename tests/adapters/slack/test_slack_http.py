import asyncio
import io
import json

import pytest
from aiohttp import web

from adapters.clock import SystemClock
from adapters.slack.platform import SlackPlatform
from adapters.slack.workspace.workspaces import OneWorkspace
from cards.model import Field
from cards.showing.view import ButtonView, CardView, FormView, MessageView
from engine.events import (
    Accepted,
    CardTapped,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
)
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.slack.checks import message_problems, view_problems

AWAY = NotRecorded(text="Not recorded, please tap again.")
FORM = FormView(
    data="s1:0a-Zk3tP9qLmN4x:reject:1",
    lang="en",
    title="Reject",
    submit="Reject",
    cancel="Cancel",
    fields=(Field(name="reason", label="Reason"), Field(name="until", label="Until", type="date")),
)
CARD = CardView(
    token="0a-Zk3tP9qLmN4x",
    kind="confirm",
    title="Record a visit",
    buttons=(ButtonView(data="s1:0a-Zk3tP9qLmN4x:approve:1", label="Approve"),),
)


@pytest.fixture
async def card(slack, platform):
    """A card in a channel's thread."""
    await platform.send(
        f"slack:{slack.team}:C0TRIAL:1763700000.000100",
        MessageView(lang="en", card=CARD),
        key="k",
    )
    return slack.latest


@pytest.fixture
async def opened(slack, post, intake, card):
    """The reject form, open for the reviewer."""
    intake.outcome = FormWanted(form=FORM)
    await post(slack.action(card))
    return slack.views[-1]


async def test_a_message_is_acknowledged_only_after_intake_answered(slack, post, intake):
    intake.release = asyncio.Event()
    async with (
        within(PATIENCE_S, "the message arrives and is acknowledged"),
        asyncio.TaskGroup() as tasks,
    ):
        answering = tasks.create_task(post(slack.message_event("hello")))
        await intake.arrived.wait()
        assert not answering.done()
        intake.release.set()
    response = answering.result()
    assert (response.status, await response.text()) == (200, "")
    assert [(type(u), u.text) for u in intake.updates] == [(MessageReceived, "hello")]


async def test_mention_and_message_of_one_message_reach_intake_under_one_id(slack, post, intake):
    ts = slack.new_ts()
    for kind in ("app_mention", "message"):
        assert (await post(slack.mention_event("hi", ts=ts, kind=kind))).status == 200
    first, second = intake.updates
    assert first == second
    assert first.conversation == f"slack:{slack.team}:C0TRIAL:{ts}"


async def test_an_event_that_was_not_recorded_is_sent_again_by_slack(slack, post, intake):
    intake.outcome = AWAY
    assert (await post(slack.message_event("hello"))).status == 503


async def test_a_duplicate_is_acknowledged(slack, post, intake):
    intake.outcome = Accepted(duplicate=True)
    assert (await post(slack.message_event("hello"))).status == 200


async def test_no_call_to_slack_is_made_for_an_accepted_update(slack, post, card):
    before = dict(slack.calls)
    await post(slack.message_event("hello"))
    await post(slack.action(card))
    assert slack.calls == before


async def test_a_wrong_signature_is_refused_and_nothing_handed_on(slack, http, intake):
    body, headers = slack.signed_request(slack.message_event("hello"))
    for signature in ("v0=" + "0" * 64, "", "v0=ü", headers["X-Slack-Signature"] + "0"):
        wrong = headers | {"X-Slack-Signature": signature}
        response = await http.post("/slack/events", data=body, headers=wrong)
        assert response.status == 401
    response = await http.post("/slack/events", data=body + b" ", headers=headers)
    assert response.status == 401
    assert intake.updates == []


async def test_an_unsigned_request_is_refused_before_it_is_parsed(http, intake):
    for body in (
        b"",
        b"{",
        b"\xff",
        b'{"type":"url_verification","challenge":"x"}',
        b"ssl_check=1",
    ):
        response = await http.post("/slack/events", data=body)
        assert response.status == 401
    assert intake.updates == []


@pytest.mark.parametrize("age_s", [301, -600])
async def test_a_stale_or_future_timestamp_is_refused(slack, http, intake, age_s):
    body = json.dumps(slack.message_event("hello")).encode()
    headers = slack.signed_headers(body, at=slack.now() - age_s)
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 401
    assert intake.updates == []


@pytest.mark.parametrize("stamp", ["", "soon", "1e9"])
async def test_a_timestamp_that_is_no_number_is_refused(slack, http, stamp):
    body, headers = slack.signed_request(slack.message_event("hello"))
    headers["X-Slack-Request-Timestamp"] = stamp
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b'{"type": 7}',
        b'{"type": "event_callback"}',
        b'{"type": "event_callback", "team_id": "T1", "event": "x"}',
        b'{"type": "view_submission", "view": 1, "user": {"id": "U1"}, "team": {"id": "T1"}}',
        b'{"type": "block_actions", "user": [], "team": 5, "actions": []}',
        b"[" * 50_000,
    ],
)
async def test_a_signed_body_of_another_shape_is_a_bad_request(slack, http, intake, body):
    headers = slack.signed_headers(body)
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 400
    assert intake.updates == []


@pytest.mark.parametrize("body", [b"payload=%7B", b"payload=[]", b"hello", b"a=1&" * 200])
async def test_a_signed_form_of_another_shape_is_a_bad_request(slack, http, intake, body):
    headers = slack.signed_headers(body, content_type="application/x-www-form-urlencoded")
    assert (await http.post("/slack/events", data=body, headers=headers)).status == 400
    assert intake.updates == []


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_one_mebibyte_is_refused(slack, http, intake, chunked):
    body = json.dumps(slack.message_event("x" * (1 << 20))).encode()

    async def pieces():
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    sent = pieces() if chunked else io.BytesIO(body)
    headers = slack.signed_headers(body)
    response = await http.post("/slack/events", data=sent, headers=headers)
    assert response.status == 413
    assert intake.updates == []


async def test_a_body_just_under_one_mebibyte_is_read(slack, post, intake):
    assert (await post(slack.message_event("x" * ((1 << 20) - 2_000)))).status == 200
    assert len(intake.updates) == 1


@pytest.mark.parametrize(
    "name", ["reaction_added", "app_rate_limited", "shortcut", "message_deleted", "message_own"]
)
async def test_what_is_not_for_us_is_acknowledged_and_ignored(post, intake, payload, name):
    response = await post(payload(name))
    assert (response.status, await response.text()) == (200, "")
    assert intake.updates == []


async def test_the_challenge_is_answered(post, payload, intake):
    response = await post(payload("url_verification"))
    assert await response.json() == {"challenge": "a-challenge-to-repeat"}
    assert intake.updates == []


async def test_a_tap_is_handed_on_and_acknowledged(slack, post, intake, card):
    response = await post(slack.action(card, "Approve"))
    assert (response.status, await response.text()) == (200, "")
    (update,) = intake.updates
    assert isinstance(update, CardTapped)
    assert update.button == "s1:0a-Zk3tP9qLmN4x:approve:1"
    assert update.conversation == f"slack:{slack.team}:C0TRIAL:1763700000.000100"


@pytest.mark.parametrize(
    "outcome",
    [
        DirectAnswer(text="Bo approved <this> already.", ok=False),
        DirectAnswer(text="Recorded.", ok=True),
        AWAY,
        FormRefused(errors={"a": "One.", "b": "Two."}),
    ],
)
async def test_only_the_tapper_is_told(slack, post, intake, card, outcome):
    intake.outcome = outcome
    response = await post(slack.action(card, user="U0BYSTANDER"))
    assert (response.status, await response.text()) == (200, "")
    (told,) = slack.ephemerals
    assert told.text == getattr(outcome, "text", "One. Two.")
    assert (told.channel, told.user, told.thread_ts) == (
        "C0TRIAL",
        "U0BYSTANDER",
        "1763700000.000100",
    )


async def test_a_tap_is_acknowledged_though_the_tapper_cannot_be_told(slack, post, intake, card):
    intake.outcome = DirectAnswer(text="Too late.", ok=False)
    slack.fail_next("chat.postEphemeral", Fault.broken())
    assert (await post(slack.action(card))).status == 200
    assert slack.ephemerals == []


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long"])
@pytest.mark.parametrize(("most", "told"), [(9_999, "Bo &lt;said&gt; "), (200, "Bo &lt;said&gt; ")])
async def test_what_slack_refuses_to_show_to_the_tapper_is_said_plainer(
    slack, post, intake, card, code, most, told
):
    intake.outcome = DirectAnswer(text="Bo <said> " + "no. " * 200, ok=False)
    slack.refuses["chat.postEphemeral"] = lambda fields: (
        code if "blocks" in fields or len(fields["text"]) > most else ""
    )
    assert (await post(slack.action(card))).status == 200
    (shown,) = slack.ephemerals
    assert shown.text.startswith(told)
    assert len(shown.text) <= most


async def test_a_wanted_form_is_opened_for_the_tapper(slack, opened):
    assert opened.user == "U0REVIEWER"
    assert opened.view["title"]["text"] == "Reject"
    assert [b["block_id"] for b in opened.view["blocks"]] == ["reason", "until"]


async def test_a_form_that_does_not_open_is_said(slack, post, intake, card):
    intake.outcome = FormWanted(form=FORM)
    slack.fail_next("views.open", Fault.refused("expired_trigger_id"))
    assert (await post(slack.action(card))).status == 200
    assert [told.text for told in slack.ephemerals] == ["The form did not open. Please tap again."]


async def test_a_sent_form_is_handed_on_with_its_values(slack, post, intake, opened):
    intake.outcome = Accepted()
    response = await post(
        slack.view_submission(opened, {"reason": "wrong <arm> & date", "until": "2026-12-01"})
    )
    assert (response.status, await response.text()) == (200, "")
    update = intake.updates[-1]
    assert isinstance(update, FormSubmitted)
    assert update.button == FORM.data
    assert update.conversation == f"slack:{slack.team}:C0TRIAL:1763700000.000100"
    assert update.values == {"reason": "wrong <arm> & date", "until": "2026-12-01"}
    assert update.actor.user == "U0REVIEWER"


async def test_a_person_who_was_chosen_is_handed_on_by_account(slack, post, intake, card):
    whom = FORM.model_copy(update={"fields": (Field(name="whom", label="Whom", type="person"),)})
    intake.outcome = FormWanted(form=whom)
    await post(slack.action(card))
    await post(slack.view_submission(slack.views[-1], {"whom": "U0STANDIN"}))
    assert intake.updates[-1].values == {"whom": f"slack:{slack.team}:U0STANDIN"}
    await post(slack.view_submission(slack.views[-1], {}))
    assert intake.updates[-1].values == {"whom": ""}


async def test_a_recorded_form_closes_every_modal(slack, post, intake, opened):
    intake.outcome = DirectAnswer(text="Recorded.", ok=True)
    response = await post(slack.view_submission(opened, {"reason": "x"}))
    assert await response.json() == {"response_action": "clear"}


async def test_a_refused_decision_is_shown_in_place_of_the_form(slack, post, intake, opened):
    intake.outcome = DirectAnswer(text="Bo has approved <it>.", ok=False)
    answer = await (await post(slack.view_submission(opened, {"reason": "x"}))).json()
    assert answer["response_action"] == "update"
    assert view_problems(answer["view"]) == []
    assert answer["view"]["blocks"][0]["text"]["text"] == "Bo has approved <it>."


async def test_faults_stand_at_their_fields(slack, post, intake, opened):
    intake.outcome = FormRefused(errors={"until": "Not a date.", "other": "Odd."})
    answer = await (await post(slack.view_submission(opened, {"reason": "x"}))).json()
    assert answer == {
        "response_action": "errors",
        "errors": {"until": "Not a date.", "reason": "Odd."},
    }


async def test_a_form_that_was_not_recorded_stays_open_and_says_so(slack, post, intake, opened):
    intake.outcome = AWAY
    answer = await (await post(slack.view_submission(opened, {"reason": "x"}))).json()
    assert answer == {"response_action": "errors", "errors": {"reason": AWAY.text}}


async def test_a_form_may_lead_to_another(slack, post, intake, opened):
    answer = await (await post(slack.view_submission(opened, {"reason": "x"}))).json()
    assert answer["response_action"] == "update"
    assert view_problems(answer["view"]) == []


@pytest.mark.parametrize("outcome", [AWAY, DirectAnswer(text="Not <now>.", ok=False)])
async def test_a_slash_command_is_answered_to_its_giver(slack, post, intake, outcome):
    intake.outcome = outcome
    answer = await (await post(slack.slash_command("pending"))).json()
    assert answer["response_type"] == "ephemeral"
    assert answer["blocks"][0]["text"]["text"] == outcome.text
    assert message_problems(answer) == []


async def test_a_slash_command_may_open_a_form(slack, post, intake):
    intake.outcome = FormWanted(form=FORM)
    assert (await post(slack.slash_command("reject"))).status == 200
    assert slack.views[-1].user == "U0REQUESTER"


async def test_an_event_may_be_answered_to_its_writer(slack, post, intake):
    intake.outcome = DirectAnswer(text="Cancelled.", ok=True)
    assert (await post(slack.mention_event("/cancel"))).status == 200
    assert [(told.text, told.user) for told in slack.ephemerals] == [("Cancelled.", "U0REQUESTER")]


async def test_a_fault_of_intake_is_not_acknowledged(slack, aiohttp_client, platform):
    async def broken(update):
        raise RuntimeError("a fault")

    app = web.Application()
    app.add_routes(platform.routes(broken))
    client = await aiohttp_client(app)
    body, headers = slack.signed_request(slack.message_event("hello"))
    assert (await client.post("/slack/events", data=body, headers=headers)).status == 500


def test_without_a_signing_secret_there_is_no_http_door(intake):
    platform = SlackPlatform(
        workspaces=OneWorkspace(api_url="", token="xoxb-stub"),
        signing_secret="",
        app_token="xapp-stub",
        clock=SystemClock("UTC"),
    )
    assert platform.routes(intake) == []
