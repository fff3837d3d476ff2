"""A28: edited after an approval: votes are reset, and what was seen last is what is written."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp

from cards.model import Card
from engine.frames.state import Run
from engine.playbooks.skill import ToolPlan
from engine.reviews.approvals import call_digest, resolve_calls
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer
from tests.fakes.stored import read_entries
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, button, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on
from tests.scenarios.test_platform_walk import (
    ASK_ZH,
    REQUESTER_ID,
    REVIEWER_ID,
    SlackSide,
    TelegramSide,
    slack_settings,
    telegram_settings,
    with_accounts,
)
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_run_traces import PLAYBOOKS, Capture, replayed, the_run, the_trace
from tests.scenarios.test_web_walk import to_review

SECOND_ID = 3003
"""On Telegram, as U0BYSTANDER on Slack: the bystander, who reviews here."""


def with_a_third_reviewer(people: Path) -> Path:
    text = people.read_text()
    old = "    roles: []\n    label: {zh: 旁观者, en: bystander}"
    assert old in text
    people.write_text(text.replace(old, old.replace("[]", "[reviewer]")))
    return people


def form_of(card: Message, **changed: str) -> dict[str, str]:
    """The edit form as it stands, with what a person types into it."""
    form = next(b["form"] for b in card["buttons"] if b["data"].split(":")[2] == "edit")
    return {**{field["name"]: field["value"] for field in form}, **changed}


async def stored(service: Service, token: str) -> Card:
    found = await service.parts.services.decisions.card(token)
    assert found is not None
    return found.card


async def audit(service: Service, run_id: str) -> list[dict[str, Any]]:
    (key,) = await service.parts.store.client.keys(f"*log:{run_id}")
    return await read_entries(service.parts.store.client, key)


async def edited_to(room: WebRoom, value: str) -> Message:
    message = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and not m["card"]["outcome"]
            and value in [row["value"] for row in m["card"]["rows"]]
        )
    )
    card: Message = message["card"]
    return card


def plan_of(service: Service) -> ToolPlan:
    skill = service.parts.reloader.current.snapshot.playbooks["clinical_qc"].skills["visit-record"]
    assert skill.plan is not None
    return skill.plan


async def test_a28_votes_are_reset_and_what_the_last_approver_saw_is_written_on_the_web(
    start: Start, playbooks: Path, people_file: Path
) -> None:
    change(playbooks, "skills/visit-review.yaml", "quorum: 1", "quorum: 2")
    service = await start(playbooks=playbooks, people=with_a_third_reviewer(people_file))
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        first = await stored(service, card["token"])
        await room.tap("chen", card, "approve")
        await room.wait_for(lambda m: "1/2" in text_of(m))
        status, answer = await room.fill("wu", card, "edit", **form_of(card, weight_kg="72"))
        assert (status, answer["ok"]) == (200, True)
        assert "体重：61.5 kg → 72 kg" in answer["text"]
        assert "陈博" in answer["text"], "whose approval no longer counts"

        edited = await edited_to(room, "72 kg")
        assert "吴静" in edited["html"]
        assert "61.5 kg → 72 kg" in edited["html"]
        assert "1/2" not in edited["note"]
        told = await room.wait_for(lambda m: "您的批准已作废" in text_of(m))
        assert "72 kg" in text_of(told)

        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, False)
        assert "内容已更新" in answer["text"]
        status, answer = await room.tap("wu", edited, "approve")
        assert (status, answer["ok"]) == (200, False)
        assert "您修改过" in answer["text"]
        now = await stored(service, card["token"])
        assert (now.votes, now.revision) == ((), first.revision + 1)

        assert (await room.tap("chen", edited, "approve"))[1]["ok"]
        assert (await room.tap("zhao", edited, "approve"))[1]["ok"]
        await room.card("phase_done")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 72
    body, _ = await service.parts.services.decisions.run(now.run) or ("", "")
    state = Run.model_validate_json(body).state
    # The card's digest is that of the calls as they were made.
    assert state.approvals["review"].digest == now.shown_digest != first.shown_digest
    assert call_digest(resolve_calls(plan_of(service), state)) == now.shown_digest
    log = await audit(service, now.run)
    (entry,) = [each for each in log if each.get("result") == "edited"]
    assert (entry["by"], entry["via"]) == ("wu", "web")
    assert entry["changes"] == [{"path": "weight_kg", "before": "61.5 kg", "after": "72 kg"}]
    assert (entry["digest_before"], entry["digest"]) == (first.shown_digest, now.shown_digest)
    assert entry["votes_reset"] == ["chen"]
    (changed,) = [each for each in log if each.get("changes") == {"weight_kg": 72.0}]
    assert changed["mail"]["decision"]["edits"][0]["before"] == "61.5 kg"
    assert (changed["by"], changed["judged"]["by"]) == ("wu", "zhao")


async def test_a28_on_slack_the_form_is_filled_in_and_tells_what_it_changed(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_a_third_reviewer(with_accounts(people_file, slack.team))
    service = await start(people=people, **slack_settings(slack))
    side = SlackSide(service, slack, http)
    async with WebRoom(service.url) as room:
        await to_review(room)
        card = await side.shown("请审核", channel="D0REVIEWER")
        await side.tap(card, "修改内容", user="U0REVIEWER")
        opened = await slack.wait_for(lambda: slack.views[-1] if slack.views else None)
        assert opened is not None
        inputs = {b["block_id"]: b["element"] for b in opened.view["blocks"] if "element" in b}
        stands = {name: element.get("initial_value", "") for name, element in inputs.items()}
        assert stands["weight_kg"] == "61.5"
        assert "不是批准" in opened.view["blocks"][0]["text"]["text"]

        wrong = slack.view_submission(opened, {**stands, "weight_kg": "7" * 16})
        refused = await side.send(wrong)
        assert list(refused["errors"]) == ["weight_kg"]
        answer = await side.send(slack.view_submission(opened, {**stands, "weight_kg": "72"}))
        assert answer["response_action"] == "update"
        assert "61.5 kg → 72 kg" in answer["view"]["blocks"][0]["text"]["text"]

        stale = slack.action(card, "批准", user="U0BYSTANDER")
        other = await side.shown("72 kg", channel="D0BYSTANDER")
        await side.send(stale)
        assert "内容已更新" in slack.ephemerals[-1].text
        assert "Chen Bo 修改" in other.body
        await side.tap(card, "批准", user="U0REVIEWER")
        assert "您修改过" in slack.ephemerals[-1].text
        await side.tap(other, "批准", user="U0BYSTANDER")
        await room.card("phase_done")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 72


async def test_a28_on_telegram_a_reply_gives_only_what_changes(
    start: Start, telegram: TelegramServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    people = with_a_third_reviewer(with_accounts(people_file, "T0"))
    service = await start(people=people, webchat=False, **telegram_settings(telegram))
    chat = TelegramSide(service, telegram, http)
    await chat.send(telegram.message_update(ASK_ZH, chat_id=REQUESTER_ID))
    await chat.shown(REQUESTER_ID, "录入访视")
    said = telegram.message_update("ECOG 2,体重 61.5,血压 121/77", chat_id=REQUESTER_ID)
    await chat.send(said)
    card = await chat.shown(REVIEWER_ID, "请审核")
    other = await chat.shown(SECOND_ID, "请审核")
    stale = telegram.tap_update(other, "批准", name="Min")
    await chat.send(telegram.tap_update(card, "修改内容", name="Bo"))
    prompt = await chat.shown(REVIEWER_ID, "不是批准")
    assert prompt.force_reply
    assert "体重（kg）：… [61.5]" in prompt.text

    await chat.send(telegram.reply_update(prompt, "体重：七十", name="Bo"))
    again = await chat.shown(REVIEWER_ID, "还有需要修改的地方")
    await chat.send(telegram.reply_update(again, "体重：72\n不良事件：皮疹", name="Bo"))
    await chat.shown(REVIEWER_ID, "已修改：体重：61.5 kg → 72 kg；不良事件：未填写 → 皮疹")
    await telegram.wait_for(lambda: "72 kg" in other.text)
    assert "Chen Bo 修改" in other.text

    await chat.send(stale)
    assert "内容已更新" in telegram.callback_answers[-1].text
    await chat.send(telegram.tap_update(card, "批准", name="Bo"))
    assert "您修改过" in telegram.callback_answers[-1].text
    await chat.confirm(other, "批准", name="Min")
    await chat.shown(REQUESTER_ID, "访视已录入")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert (visits[-1].weight_kg, visits[-1].adverse_event) == (72, "皮疹")
    assert visits[-1].ecog == 2, "what the reply did not name stays"


async def test_a28_edited_values_keep_the_rules_before_they_are_written(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        await room.fill("wu", card, "edit", **form_of(card, weight_kg="400"))
        edited = await edited_to(room, "400 kg")
        assert (await room.tap("chen", edited, "approve"))[1]["ok"]
        again = await room.wait_for(
            lambda m: (
                bool(m["card"])
                and m["card"]["token"] != card["token"]
                and bool(m["card"]["problems"])
            )
        )
        asked = again["card"]
        assert "应在 30 到 200 kg 之间" in text_of(asked["problems"])
        # The value that would be approved is still a change of theirs.
        status, answer = await room.tap("wu", asked, "approve")
        assert (status, answer["ok"]) == (200, False)
        assert "您修改过" in answer["text"]
        status, answer = await room.fill("chen", asked, "edit", **form_of(asked, weight_kg="72"))
        assert answer["ok"]
        assert "400 kg → 72 kg" in answer["text"]
        mended = await edited_to(room, "72 kg")
        status, answer = await room.tap("chen", mended, "approve")
        assert "您修改过" in answer["text"]
        assert (await room.tap("wu", mended, "approve"))[1]["ok"]
        await room.card("phase_done")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 72


async def test_a28_who_may_not_decide_may_not_edit_and_a_rejection_drops_the_edits(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        for person, why in (("lin", "须由他人审批"), ("zhao", "不是这张卡片的审批人")):
            status, answer = await room.fill(person, card, "edit", **form_of(card, ecog="3"))
            assert (status, answer["ok"]) == (200, False)
            assert why in answer["text"]
        status, answer = await room.fill("wu", card, "edit", **form_of(card))
        assert (answer["ok"], answer["text"][:6]) == (False, "没有任何改动")
        status, answer = await room.fill("wu", card, "edit", **form_of(card, ecog="x", systolic=""))
        assert (status, sorted(answer["errors"])) == (422, ["ecog", "systolic"])
        await room.fill("wu", card, "edit", **form_of(card, ecog="3"))
        edited = await edited_to(room, "3")
        # Two reviewers in all: chen's change beside wu's would leave nobody to approve.
        status, answer = await room.fill("chen", edited, "edit", **form_of(edited, systolic="120"))
        assert (answer["ok"], "没有其他人" in answer["text"]) == (False, True)
        late = button(card, "edit")
        status, answer = await room.post(
            "forms", "chen", button=late, values=form_of(card, ecog="4"), id="web-test-late"
        )
        assert (answer["ok"], "内容已更新" in answer["text"]) == (False, True)
        await room.fill("wu", edited, "reject", reason="还是请申请人看看")
        back = await room.card("clarify")
        form = next(b["form"] for b in back["buttons"] if b["form"])
        assert {f["name"]: f["value"] for f in form}["ecog"] == "2"


async def test_a28_of_an_edit_and_an_approval_at_once_one_comes_first_and_the_other_is_told(
    start: Start,
) -> None:
    service = await start()
    for number in range(4):
        async with WebRoom(service.url, f"race-{number}") as room:
            card = await to_review(room)
            (_, edited), (_, approved) = await asyncio.gather(
                room.fill("wu", card, "edit", **form_of(card, weight_kg="72")),
                room.tap("chen", card, "approve"),
            )
            now = await stored(service, card["token"])
            if edited["ok"]:
                assert (approved["ok"], "内容已更新" in approved["text"]) == (False, True)
                assert (now.status, now.revision, now.votes) == ("open", 2, ())
            else:
                assert (approved["ok"], "陈博" in edited["text"]) == (True, True)
                assert (now.status, now.edits) == ("decided", ())
                # The visit of today is written: there is no second one to ask for.
                break
            await room.say("lin", "/cancel")
            await nothing_goes_on(service, room.room)


async def test_a28_a_run_with_an_edit_is_replayed_from_its_trace_alike(
    start: Start, tmp_path: Path, capsys: Capture
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await the_run(service)
        await room.fill("wu", card, "edit", **form_of(card, weight_kg="72"))
        await room.tap("chen", await edited_to(room, "72 kg"), "approve")
        await room.card("phase_done")
        await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))
    path = await the_trace(service, run, tmp_path, capsys)
    status, (told,) = await replayed(service, path, PLAYBOOKS, capsys)
    assert (status, told.get("difference"), told.get("fault")) == (0, None, None)
    trace = json.loads(path.read_text())
    changed = [step for step in trace["steps"] if step.get("changes") == {"weight_kg": 72.0}]
    assert [step["by"] for step in changed] == ["wu"]
