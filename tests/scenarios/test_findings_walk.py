"""What a check finds wrong is pending until a later check passes; `/pending` lists it."""

from datetime import UTC, datetime

import pytest

from bot.serve.delivery.delivery import FAULTS
from engine.ports.storage.findings import Check, CheckReport, Finding
from engine.ports.storage.store import Effects, Post
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import ASK, GOOD, today

PENDING = {"zh": "未关闭的检查问题：{n} 个", "en": "Open findings of checks: {n}"}
WRONG = {**GOOD, "weight_kg": "250", "diastolic": "125"}
TOLD = {
    "zh": ("P003：体重，应在 30 到 200 kg 之间", "P003：舒张压，应低于收缩压"),
    "en": ("P003: Weight, should be 30 to 200 kg", "P003: Diastolic pressure, should be below"),
}


WHOSE = {
    "zh": "（林悦 / Lin Yue的「录入一次访视」，",
    "en": "(“Record a visit” of 林悦 / Lin Yue, ",
}


async def until_found(service: Service, count: int) -> None:
    """As soon as so many findings stand in the sample study."""
    project = "SIGNOFF-101"

    async def found() -> bool:
        return (await service.parts.store.findings.of(project, 1)).findings == count

    await until(found)


async def pending(room: WebRoom, person: str, said: str) -> str:
    """What `/pending` answers, which has to say so."""
    known = set(room.shown)
    await room.say(person, "/pending")

    def answers(message: Message) -> bool:
        new = any(view is message for key, view in room.shown.items() if key not in known)
        return new and said in text_of(message)

    return text_of(await room.wait_for(answers))


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_what_a_check_found_is_pending_until_a_later_check_passes(
    start: Start, lang: str
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK[lang])
        await room.fill("lin", await room.card("clarify"), "submit", **WRONG)
        await until_found(service, 2)
        refused = await room.wait_for(lambda m: bool(m["card"] and m["card"]["problems"]))
        listed = await pending(room, "lin", PENDING[lang].format(n=2))
        assert all(told in listed for told in TOLD[lang])
        assert listed.count(WHOSE[lang]) == 2
        # The card that waits for the correction is listed before.
        assert listed.index(refused["card"]["title"]) < listed.index(TOLD[lang][0])
        right = {**GOOD, "subject_id": "P003", "visit_date": today()}
        assert (await room.fill("lin", refused["card"], "submit", **right))[0] == 200
        review = await room.card("confirm")
        await until_found(service, 0)
        listed = await pending(room, "lin", review["title"])
        assert PENDING[lang].partition("{")[0] not in listed


def found(record: str, minute: int, *messages: str) -> Check:
    findings = tuple(Finding(field="f", label="<b>Field</b>", message=m) for m in messages)
    return Check(
        project="SIGNOFF-101",
        playbook="clinical_qc",
        record=record,
        skill="visit-check",
        node="ranges",
        run="0-run",
        conversation="web:local:another",
        at=datetime(2026, 11, 21, 12, minute, tzinfo=UTC),
        findings=findings,
        found=len(findings),
    )


async def test_the_ten_newest_are_listed_as_the_text_they_are(start: Start) -> None:
    service = await start(projects="web:local:other=MATTER-7")
    findings = service.parts.store.findings
    await findings.keep(found("P001", 1, *(f"first {n}" for n in range(7))))
    await findings.keep(found("[P2](https://x.example)", 2, *(f"*next* {n}" for n in range(5))))
    async with WebRoom(service.url) as room:
        listed = await pending(room, "lin", PENDING["en"].format(n=12))
        assert listed.count("<li>") == 11
        assert "&lt;b&gt;Field&lt;/b&gt;, *next* 0 (⟦2026-11-21T12:02Z⟧)" in listed
        assert "<a " not in listed
        assert listed.index("*next* 4") < listed.index("first 0") < listed.index("first 4")
        assert "first 5" not in listed
        assert "… and 2 more" in listed
    async with WebRoom(service.url, "other") as elsewhere:
        await pending(elsewhere, "zhao", "Nothing waits for you.")


async def test_findings_are_the_playbooks_projects_and_seen_by_roles_and_by_who_asked(
    start: Start,
) -> None:
    service = await start(projects="web:local:other=MATTER-7")
    async with (
        WebRoom(service.url, "asked") as asked,
        WebRoom(service.url) as room,
        WebRoom(service.url, "other") as elsewhere,
    ):
        await asked.say("lin", ASK["en"])
        await asked.fill("lin", await asked.card("clarify"), "submit", **WRONG)
        await until_found(service, 2)
        assert (await service.parts.store.findings.of("MATTER-7", 1)).findings == 0
        # Who has no role sees nobody else's, and who asked sees their own wherever they are.
        await pending(room, "zhao", "Nothing waits for you.")
        assert TOLD["en"][0] in await pending(asked, "lin", PENDING["en"].format(n=2))
        assert TOLD["en"][0] in await pending(room, "chen", PENDING["en"].format(n=2))
        await pending(elsewhere, "chen", "Nothing waits for you.")
        await asked.say("lin", "/cancel")
        await until_found(service, 0)
        await pending(room, "chen", "Nothing waits for you.")


async def test_a_person_without_roles_sees_what_was_found_in_runs_of_their_own(
    start: Start,
) -> None:
    service = await start()
    others = found("P001", 1, "of lin").model_copy(update={"requester": "lin"})
    before = found("P002", 2, "of nobody known")
    said = "Record a visit is over"
    own = found("0-run", 3, "my own", said).model_copy(
        update={"requester": "zhao", "run": "0-run", "title": "Record a visit"}
    )
    await service.parts.store.findings.keep(others, before, own)
    async with WebRoom(service.url) as room:
        listed = await pending(room, "zhao", PENDING["en"].format(n=2))
        assert "Record a visit: &lt;b&gt;Field&lt;/b&gt;, my own" in listed
        # What the message says itself is not said before it too.
        assert f"<li>&lt;b&gt;Field&lt;/b&gt;: {said}" in listed
        assert "0-run" not in listed
        assert "of lin" not in listed
        assert "of nobody known" not in listed


@pytest.mark.parametrize("lost", ["unreadable", "expired"])
async def test_checks_that_cannot_be_kept_hold_up_no_later_ones(start: Start, lost: str) -> None:
    service = await start()
    parts, lane = service.parts, "talk:web:local:nobody"
    good = CheckReport(checks=(found("P001", 1, "first"),)).stored()
    for row, body in (("r/check/1", "no JSON"), ("r/check/2", good)):
        post = Post(row, "checks:SIGNOFF-101", "check", row, due_s=3600, body=body)
        await parts.services.decisions.decide(
            parts.services.new_id(lane), update_id=row, answer="", effects=Effects(posts=(post,))
        )
    (key,) = await parts.store.client.keys("*:row:r/check/1")
    if lost == "expired":
        await parts.store.client.delete(key)
    else:
        await parts.store.client.hset(key, "attempts", FAULTS)
    parts.store.scripts.offset_ms = 3_600_000
    await until_found(service, 1)
