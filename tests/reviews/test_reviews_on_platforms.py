"""Reviews as people meet them on Slack, Telegram and the web: answers, seats, clocks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.fakes.model_server import ModelServer, Reply, slow
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.review_stage import (
    BO_ID,
    HOUR_MS,
    HUI_ID,
    MINUTE_MS,
    WU_ID,
    Stage,
    people_of,
    settings,
    with_policy,
)
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_away import settings as model_settings
from tests.scenarios.test_model_walk import QUESTION
from tests.scenarios.test_platform_walk import REQUESTER_ID, REVIEWER_ID
from tests.scenarios.test_web_walk import today

Staged = Callable[..., Any]


@pytest.fixture
async def stage(
    start: Start,
    slack: SlackServer,
    telegram: TelegramServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    playbooks: Path,
) -> AsyncIterator[Staged]:
    """Opens a stage with a policy and, if wanted, Chen's delegate or other settings."""
    async with AsyncExitStack() as stack:

        async def begin(
            policy: str, *, roles: str = "[reviewer]", delegate: str = "", **more: Any
        ) -> Stage:
            people = people_of(people_file, slack.team, delegate=delegate)
            with_policy(playbooks, policy, roles)
            service = await start(**settings(people, playbooks, slack, telegram), **more)
            room = await stack.enter_async_context(WebRoom(service.url, "ward-7"))
            return Stage(service, slack, telegram, http, room)

        yield begin


async def test_a21_a22_on_every_platform_the_refused_are_told_in_private_and_the_card_stays_open(
    stage: Staged,
) -> None:
    on = await stage("quorum: 1")
    card = await on.review()
    direct, private = await on.on_slack("U0REVIEWER"), await on.on_telegram(REVIEWER_ID)
    own = "这是您本人发起的请求，须由他人审批。"
    other = "您不是这张卡片的审批人。"
    for slack_user, telegram_id, web, why in (
        ("U0REQUESTER", REQUESTER_ID, "lin", own),
        ("U0STANDIN", BO_ID, "bo", other),
    ):
        assert await on.tap_slack(direct, "批准", slack_user) == why
        update = on.telegram.tap_update(private, "批准", user_id=telegram_id)
        await on.chat.send(update)
        told = on.telegram.callback_answers[-1]
        assert (told.text, told.show_alert) == (why, True)
        status, answer = await on.room.tap(web, card, "approve")
        assert (status, answer) == (200, {"text": why, "ok": False, "code": "not_allowed"})
    stored = await on.card()
    assert stored.status == "open"
    log = [e for e in await on.log(stored.run) if e.get("event") == "tap"]
    refused = [(e["by"], e["via"], e["result"]) for e in log if e["card"] == stored.token]
    assert refused == [
        (by, via, why)
        for by, why in (("lin", "own_request"), ("bo", "not_approver"))
        for via in ("slack", "telegram", "web")
    ]
    assert not [m for m in on.slack.messages.values() if own in m.body or other in m.body]


async def test_every_tapper_is_answered_while_the_conversation_waits_for_the_model(
    stage: Staged,
) -> None:
    answer, asked = asyncio.Event(), asyncio.Event()

    def script(request: dict[str, Any]) -> Reply:
        asked.set()
        return slow(answer)

    async with ModelServer(script) as model:
        on = await stage("quorum: 2", **model_settings(model))
        card = await on.review()
        direct, private = await on.on_slack("U0WU"), await on.on_telegram(REVIEWER_ID)
        await on.room.say("lin", QUESTION)
        async with within(PATIENCE_S, "the model is asked"):
            await asked.wait()
        # The model says nothing until all of these have been answered.
        status, toast = await on.room.tap("lin", card, "approve")
        assert (status, toast["ok"]) == (200, False)
        text, alert = await on.tap_telegram(private, "批准")
        assert (text, alert) == ("已记录：批准；还需 1 人", False)
        text, alert = await on.tap_telegram(private, "批准")
        # At once it is a double tap, which is answered without a word.
        assert text == "" or text.startswith("已经记录过了：您于")
        assert not alert
        # Somebody taps what they still see, when the card is closed already.
        late = on.slack.action(direct, "批准", user="U0STANDIN")
        assert "批准" in await on.tap_slack(direct, "批准", "U0WU")
        await on.side.send(late)
        assert on.slack.ephemerals[-1].user == "U0STANDIN"
        # And the run goes on beside it, to its end.
        assert (await on.room.card("phase_done"))["title"] == "访视已录入"
        assert not answer.is_set()
        answer.set()
    assert model.faults == []


async def test_a24_votes_so_far_and_the_outcome_are_shown_wherever_the_card_stands(
    stage: Staged,
) -> None:
    on = await stage("quorum: 2")
    card = await on.review()
    direct, private = await on.on_slack("U0WU"), await on.on_telegram(REVIEWER_ID)
    assert (await on.tap_telegram(private, "批准"))[0] == "已记录：批准；还需 1 人"
    so_far = "已有 1/2：陈博 / Chen Bo"
    await on.slack.wait_for(lambda: so_far in direct.body)
    await on.telegram.wait_for(lambda: so_far in private.text)
    await on.room.wait_for(lambda m: so_far in text_of(m))
    # The same person on Slack: no second vote.
    theirs = await on.on_slack("U0REVIEWER")
    assert "已经记录过了" in await on.tap_slack(theirs, "批准", "U0REVIEWER")
    status, toast = await on.room.tap("wu", card, "approve")
    assert (status, toast["ok"]) == (200, True)
    for shown in (direct, theirs):
        await on.slack.wait_for(lambda shown=shown: not shown.buttons)
        assert "吴静 / Wu Jing：批准" in shown.body
        assert "全部表决" in shown.body
    await on.telegram.wait_for(lambda: not private.keyboard)
    assert "全部表决" in private.text
    assert "全部表决" in (await on.room.card("confirm", closed=True))["outcome"]


async def test_a_majority_is_voted_over_three_platforms_and_one_rejection_does_not_win(
    stage: Staged, playbooks: Path
) -> None:
    on = await stage("quorum: 3, decides: majority", roles="[reviewer, lead]")
    card = await on.review()
    direct, private = await on.on_slack("U0WU"), await on.on_telegram(REVIEWER_ID)
    await on.chat.send(on.telegram.tap_update(private, "驳回"))
    prompt = await on.on_telegram(REVIEWER_ID, "驳回理由")
    await on.chat.send(on.telegram.reply_update(prompt, "体重请复核"))
    votes = "表决（3 席，过半数决定）：陈博 / Chen Bo：驳回"
    await on.slack.wait_for(lambda: votes in direct.body)
    assert await on.tap_slack(direct, "批准", "U0WU") == "已记录：批准；还需 1 人"
    assert (await on.room.tap("hui", card, "approve"))[1]["ok"]
    await on.telegram.wait_for(lambda: not private.keyboard)
    assert "惠芳 / Hui Fang：批准" in private.text
    assert (await on.room.card("phase_done"))["title"] == "访视已录入"


async def test_a27_a_standing_delegate_has_the_card_at_home_and_votes_in_the_seat(
    stage: Staged,
) -> None:
    on = await stage("quorum: 2", delegate="{person: bo, until: 2999-12-31}")
    card = await on.review()
    direct, private = await on.on_slack("U0STANDIN"), await on.on_telegram(BO_ID)
    told = await on.tap_slack(direct, "批准", "U0STANDIN")
    assert told == "已记录：批准；还需 1 人"
    await on.telegram.wait_for(
        lambda: "已有 1/2：柏林 / Bo Lin（代 陈博 / Chen Bo）" in private.text
    )
    status, toast = await on.room.tap("chen", card, "approve")
    assert (status, toast["ok"]) == (200, False)
    assert "一席只有一票" in toast["text"]
    assert (await on.room.tap("wu", card, "approve"))[1]["ok"]
    assert (await on.room.card("phase_done"))["title"] == "访视已录入"


@pytest.mark.parametrize("on_platform", ["slack", "telegram", "web"])
async def test_a27_a_card_is_handed_over_from_every_platform_and_the_receiver_gets_it(
    stage: Staged, on_platform: str
) -> None:
    on = await stage("quorum: 1")
    card = await on.review()
    if on_platform == "slack":
        direct = await on.on_slack("U0REVIEWER")
        await on.side.tap(direct, "转交", user="U0REVIEWER")
        opened = await on.slack.wait_for(lambda: on.slack.views[-1] if on.slack.views else None)
        for chosen, why in (("U0REQUESTER", "申请人"), ("U0NOBODY", "对方不在名单中")):
            refused = await on.side.send(on.slack.view_submission(opened, {"person": chosen}))
            assert why in refused["errors"]["person"]
        await on.side.send(on.slack.view_submission(opened, {"person": "U0STANDIN"}))
    elif on_platform == "telegram":
        private = await on.on_telegram(REVIEWER_ID)
        await on.chat.send(on.telegram.tap_update(private, "转交"))
        prompt = await on.on_telegram(REVIEWER_ID, "把您的一票转交给谁")
        await on.chat.send(on.telegram.reply_update(prompt, "Bo Lin"))
        await on.chat.shown(REVIEWER_ID, "已转交给 柏林")
    else:
        data = button(card, "hand_over")
        _, asked = await on.room.tap("chen", card, "hand_over")
        (whom,) = asked["form"]["fields"]
        assert whom["type"] == "person"
        assert "柏林 / Bo Lin" in whom["options"]
        # Neither the requester, nor who reviews it anyway.
        assert not {"林悦 / Lin Yue", "陈博 / Chen Bo"} & {*whom["options"]}
        status, toast = await on.room.post(
            "forms", "chen", button=data, values={"person": "柏林"}, id=new_id()
        )
        assert (status, toast["ok"]) == (200, True)
    theirs, told = await on.on_slack("U0STANDIN"), await on.on_telegram(BO_ID)
    assert "陈博 / Chen Bo 已转交给 柏林 / Bo Lin" in told.text
    assert (await on.tap_telegram(told, "批准"))[1] is False
    await on.slack.wait_for(lambda: not theirs.buttons)
    assert "柏林 / Bo Lin（代 陈博 / Chen Bo）：批准" in theirs.body
    assert (await on.room.card("phase_done"))["title"] == "访视已录入"


async def test_the_command_hands_over_and_says_so_in_the_conversation(stage: Staged) -> None:
    on = await stage("quorum: 1")
    await on.review()
    await on.room.say("chen", "/handover Bo")
    await on.room.wait_for(lambda m: "已转交给 柏林" in text_of(m))
    await on.on_telegram(BO_ID)
    assert [each.to for each in (await on.card()).handed] == ["bo"]


async def test_reminders_edit_the_card_and_ping_each_reviewer_once_until_it_is_decided(
    stage: Staged,
) -> None:
    on = await stage("quorum: 2, remind: {after: 1h, every: 2h, at_most: 2}")
    card = await on.review()
    direct, private = await on.on_slack("U0WU"), await on.on_telegram(REVIEWER_ID)
    assert (await on.tap_telegram(private, "批准"))[1] is False
    before = (await on.card()).revision
    await on.later(HOUR_MS)
    await on.until_reminded(1)
    ping = await on.on_slack("U0WU", "提醒（1/2）")
    assert "请审核：将写入一次访视" in ping.body
    assert "已有 1/2" in ping.body
    await on.chat.shown(WU_ID, "提醒（1/2）")
    await on.slack.wait_for(lambda: "已提醒 1 次" in direct.body)
    # Who has voted is left alone, and every button that was shown before is still good.
    assert not [m for m in on.telegram.chat(REVIEWER_ID) if "提醒（" in m.text]
    assert (await on.card()).revision == before
    await on.later(2 * HOUR_MS)
    await on.until_reminded(2)
    await on.on_slack("U0WU", "提醒（2/2）")
    await on.later(48 * HOUR_MS)
    assert "批准" in await on.tap_slack(direct, "批准", "U0WU")
    assert (await on.room.card("phase_done"))["title"] == "访视已录入"
    # The card, and two pings: none came in the two days after the last.
    assert len([m for m in on.slack.messages.values() if m.channel == "D0WU"]) == 3
    await on.slack.wait_for(lambda: "不再需要处理" in ping.body)
    log = await on.log(await _run_of(on, card))
    told = [(e["number"], e["by"]) for e in log if e.get("event") == "reminded"]
    assert told == [(1, "signoff"), (2, "signoff")]


async def _run_of(on: Stage, card: Any) -> str:
    token = card["buttons"][0]["data"].split(":")[1]
    found = await on.service.parts.services.decisions.card(token)
    assert found is not None
    return found.card.run


async def test_a34_after_an_hour_of_429_and_500_there_is_one_reminder_and_no_storm(
    stage: Staged,
) -> None:
    on = await stage("quorum: 1, remind: {after: 10m, every: 10m, at_most: 5}")
    card = await on.review()
    direct, private = await on.on_slack("U0REVIEWER"), await on.on_telegram(REVIEWER_ID)
    # The other reviewer has the card too before anything fails.
    await on.on_slack("U0WU")
    await on.on_telegram(WU_ID)
    await on.settle()
    runs = await on.service.parts.services.decisions.active_runs("web:local:ward-7")
    for method in ("chat.postMessage", "chat.update"):
        on.slack.fail_next(method, Fault.broken(), times=500)
        on.slack.fail_next(method, Fault.rate_limited(60), times=500)
    for called in ("sendMessage", "editMessageText"):
        on.telegram.fail_next(called, Fault.broken(), times=500)
    shown_on_slack, shown_on_telegram = len(on.slack.messages), len(on.telegram.messages)
    for number in range(1, 5):
        on.skip(10 * MINUTE_MS)
        await on.until_reminded(number)
    # The run waits as before: not a step was taken.
    assert await on.service.parts.services.decisions.active_runs("web:local:ward-7") == runs
    assert len(on.slack.messages) == shown_on_slack
    on.slack.planned.clear()
    on.telegram.planned.clear()
    on.skip(6 * MINUTE_MS)
    await on.on_slack("U0REVIEWER", "提醒（4/5）")
    for chat in (REVIEWER_ID, WU_ID):
        await on.on_telegram(chat, "提醒（4/5）")
    await on.on_slack("U0WU", "提醒（4/5）")
    await on.slack.wait_for(lambda: "已提醒 4 次" in direct.body)
    await on.telegram.wait_for(lambda: "已提醒 4 次" in private.text)
    pings = [m.body for m in on.slack.messages.values() if "提醒（" in m.body]
    assert len(pings) == 2  # one for each of the two reviewers
    assert all("提醒（4/5）" in each for each in pings)
    assert len(on.slack.messages) == shown_on_slack + 2
    assert len(on.telegram.messages) == shown_on_telegram + 2
    assert (await on.room.tap("chen", card, "approve"))[1]["ok"]
    await on.slack.wait_for(lambda: not direct.buttons)


async def test_a34_when_the_service_was_down_no_reminder_is_made_up_for(stage: Staged) -> None:
    on = await stage("quorum: 1, remind: {after: 10m, every: 10m, at_most: 5}")
    await on.review()
    await on.later(3 * HOUR_MS)
    await on.until_reminded(1)
    await on.on_slack("U0WU", "提醒（1/5）")
    await on.later(10 * MINUTE_MS)
    await on.until_reminded(2)
    await on.on_slack("U0WU", "提醒（2/5）")
    assert len([m for m in on.slack.messages.values() if m.channel == "D0WU"]) == 3


async def test_escalation_brings_in_the_role_and_leaves_every_button_good(stage: Staged) -> None:
    on = await stage("quorum: 1, escalate: {role: lead, after: 1d}")
    card = await on.review()
    direct = await on.on_slack("U0WU")
    assert (await on.room.tap("hui", card, "approve"))[1]["ok"] is False
    assert on.telegram.chat(HUI_ID) == []
    await on.later(24 * HOUR_MS)
    at_home, on_slack = await on.on_telegram(HUI_ID), await on.on_slack("U0LEAD")
    assert "已升级：负责人 也可以决定" in at_home.text
    await on.slack.wait_for(lambda: "已升级" in direct.body)
    stored = await on.card()
    assert (stored.revision, stored.review.roles) == (1, ("reviewer", "lead"))
    (entry,) = [e for e in await on.log(stored.run) if e.get("event") == "escalated"]
    assert (entry["role"], entry["added"]) == ("lead", ["hui"])
    # A button from before the escalation, tapped by somebody who may decide since then.
    assert (await on.room.tap("hui", card, "approve"))[1]["ok"]
    for shown in (direct, on_slack):
        await on.slack.wait_for(lambda shown=shown: not shown.buttons)
        assert "惠芳 / Hui Fang：批准" in shown.body


async def test_expiry_takes_its_own_branch_and_is_said_wherever_the_card_stands(
    stage: Staged, playbooks: Path
) -> None:
    path = playbooks / "clinical_qc" / "skills" / "visit-review.yaml"
    text = path.read_text()
    text = text.replace(
        "on_reject: end_rejected\n", "on_reject: end_rejected\n      on_expire: end_rejected\n", 1
    )
    path.write_text(text)
    on = await stage("deadline: 2h, remind: {after: 1h}, escalate: {role: lead, after: 90m}")
    card = await on.review()
    direct, private = await on.on_slack("U0WU"), await on.on_telegram(REVIEWER_ID)
    await on.later(3 * HOUR_MS)
    await on.slack.wait_for(lambda: not direct.buttons and "已过期" in direct.body)
    await on.telegram.wait_for(lambda: not private.keyboard and "已过期" in private.text)
    assert "已过期" in (await on.room.card("confirm", closed=True))["outcome"]
    # Its own branch: back to the requester, as the playbook says; nothing was written.
    back = await on.room.card("clarify")
    assert "请修改" in back["title"]
    assert "过期" in (await on.room.tap("chen", card, "approve"))[1]["text"]
    visits = visits_in(on.service.parts.settings.data_dir, "P003")
    assert today() not in [visit.visit_date.isoformat() for visit in visits]
