"""How runs end otherwise: expiry, a changed plan, a missing playbook, an occupied date."""

from pathlib import Path

from engine.frames.state import Run
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_web_walk import ASK, GOOD, to_review, today

HOUR_MS = 3_600_000


def change(playbooks: Path, name: str, old: str, new: str) -> None:
    path = playbooks / "clinical_qc" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def part_says(said: str, state: str) -> object:
    def matches(message: Message) -> bool:
        return any(said in p["html"] and p["state"] == state for p in message["parts"])

    return matches


async def test_a_card_that_nobody_decides_expires_and_the_run_says_so(
    start: Start, playbooks: Path
) -> None:
    change(playbooks, "skills/visit-review.yaml", "four_eyes: true", "deadline_s: 3600")
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        service.parts.store.scripts.offset_ms = HOUR_MS + 1
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, False)
        assert "过期" in answer["text"]
        closed = await room.card("confirm", closed=True)
        assert "过期" in closed["outcome"]
        await room.wait_for(part_says("没有人在期限内决定", "expired"))
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert today() not in [visit.visit_date.isoformat() for visit in visits]


async def test_what_is_written_must_be_what_was_approved(start: Start) -> None:
    """Somebody changes the stored data between the approval and the write (A29)."""
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        (run_id, body), *_ = await service.parts.services.decisions.active_runs("web:local:main")
        run = Run.model_validate_json(body)
        forged = {**run.state.data, "weight_kg": 99.0}
        state = run.state.model_copy(update={"data": forged})
        key = next(k for k in await service.parts.store.client.keys(f"*run:{run_id}"))
        changed = run.model_copy(update={"state": state}).model_dump_json()
        await service.parts.store.client.hset(key, "body", changed)
        await room.tap("chen", card, "approve")
        await room.wait_for(part_says("不一致", "failed"))
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert today() not in [visit.visit_date.isoformat() for visit in visits]


async def test_a_run_goes_on_with_the_playbook_it_began_with(start: Start, playbooks: Path) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        change(playbooks, "playbook.yaml", "Visit recorded", "Changed")
        change(playbooks, "playbook.yaml", "访视已录入", "改过的标题")
        later = await start(playbooks=playbooks)
        async with WebRoom(later.url) as same_room:
            await same_room.tap("chen", card, "approve")
            done = await same_room.card("phase_done")
            assert done["title"] == "访视已录入"


async def test_a_run_whose_playbook_is_missing_is_blocked_and_says_so(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        (run_id, body), *_ = await service.parts.services.decisions.active_runs("web:local:main")
        lost = Run.model_validate_json(body).model_copy(update={"digest": "0" * 64})
        key = next(k for k in await service.parts.store.client.keys(f"*run:{run_id}"))
        await service.parts.store.client.hset(key, "body", lost.model_dump_json())
        await room.tap("chen", card, "approve")
        await room.wait_for(part_says("找不到启动时的流程版本", "failed"))


async def test_an_unknown_subject_goes_back_to_the_requester_before_anybody_reviews(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "录入 P099 今天的访视,ECOG 1,体重 60,血压 120/80")
        back = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        assert back["card"]["kind"] == "clarify"
        assert "P099" in text_of(back["card"]["problems"])


async def test_a_date_that_was_taken_meanwhile_goes_back_to_the_requester(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        first = await to_review(room)
        await room.say("lin", "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80")
        second = await room.wait_for(
            lambda m: bool(m["card"]) and "60 kg" in text_of(m["card"]["rows"])
        )
        await room.tap("chen", first, "approve")
        await room.card("phase_done")
        await room.tap("chen", second["card"], "approve")
        back = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        assert today() in text_of(back["card"]["problems"])
        visits = visits_in(service.parts.settings.data_dir, "P003")
        assert [v.weight_kg for v in visits if v.visit_date.isoformat() == today()] == [61.5]


async def test_what_a_reviewer_writes_is_text_and_no_markup(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        reason = "[approved](http://evil.example) **really** <b>yes</b>"
        await room.fill("chen", card, "reject", reason=reason)
        back = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        (problem,) = back["card"]["problems"]
        assert "<a " not in problem["html"]
        assert "<strong>" not in problem["html"]
        assert "[approved](http://evil.example)" in problem["html"]


async def test_a_question_that_follows_a_workflow_waits_for_it_and_is_then_answered(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "录入 P003 今天的访视,然后查一下 P003 的 ECOG")
        reply = await room.wait_for(lambda m: bool(m["card"]) and len(m["parts"]) == 2)
        assert reply["parts"][1]["state"] == "waiting"
        await room.fill("lin", reply["card"], "submit", **GOOD)
        confirm = await room.card("confirm")
        await room.tap("chen", confirm, "approve")
        answered = await room.wait_for(part_says("<strong>2</strong>", "answered"))
        assert [part["state"] for part in answered["parts"]] == ["done", "answered"]


async def test_what_waited_for_a_run_that_was_cancelled_is_not_done(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "录入 P003 今天的访视,然后查一下 P003 的 ECOG")
        await room.card("clarify")
        await room.say("lin", "/cancel")
        await room.wait_for(part_says("没有完成", "cancelled"))


async def test_two_people_work_in_two_rooms_without_mixing(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url, "one") as one, WebRoom(service.url, "two") as two:
        await one.say("lin", ASK["zh"])
        await two.say("lin", ASK["en"])
        first, second = await one.card("clarify"), await two.card("clarify")
        assert first["token"] != second["token"]
        await one.fill("lin", first, "submit", **GOOD)
        await one.card("confirm")
        assert (await two.card("clarify"))["token"] == second["token"]
