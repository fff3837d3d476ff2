"""The recorded visits of one subject or of all are checked by rules, in any chat, reading only."""

import html
import re
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.clock import SystemClock
from tests.fakes.study import visits_in
from tests.fakes.study_folder import study_folder, subjects, visit
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start, nothing_goes_on, runs_in

FAULTY = (
    visit("2025-03-03"),
    visit("2025-04-01", ecog=7, weight_kg=90.0, systolic=75, diastolic=80),
    visit("2025-05-02", weight_kg=None, systolic=None),
)


def rows_of(card: Message) -> list[list[str]]:
    """The cells of the card's tables, with their heads."""
    rows = re.findall(r"<tr>(.*?)</tr>", card["html"], re.DOTALL)
    cells = (re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.DOTALL) for row in rows)
    return [[html.unescape(cell) for cell in row] for row in cells]


async def checked(room: WebRoom, text: str) -> Message:
    """The card with the result."""
    await room.say("lin", text)
    return await room.card("phase_done")


@pytest.mark.parametrize(
    ("text", "head", "said"),
    [
        ("对 P003 做质控", ["受试者", "访视", "问题"], "已核查 1 项，发现 0 个问题"),
        ("run QC on P003", ["Subject", "Visits", "Findings"], "Checked: 1. Findings: 0."),
    ],
)
async def test_the_visits_of_one_subject_are_checked_and_nobody_has_to_approve(
    start: Start, text: str, head: list[str], said: str
) -> None:
    service = await start()
    before = visits_in(service.parts.settings.data_dir, "P003")
    async with WebRoom(service.url) as room:
        card = await checked(room, text)
        assert rows_of(card) == [head, ["P003", "4", "0"]]
        assert re.search("发现的问题</strong>：无|Findings</strong>: none", card["html"])
        done = await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        assert said in text_of(done)
        assert len(room.shown) == 1
        await nothing_goes_on(service, room.room)
    assert visits_in(service.parts.settings.data_dir, "P003") == before


async def test_each_fault_is_named_by_visit_item_value_and_rule(
    start: Start, tmp_path: Path
) -> None:
    tomorrow = SystemClock("Asia/Shanghai").today() + timedelta(days=1)
    planted = {"P002": FAULTY, "P003": (visit(tomorrow.isoformat()),)}
    service = await start(playbooks=study_folder(tmp_path, subjects(4, **planted)))
    async with WebRoom(service.url) as room:
        card = await checked(room, "对所有受试者做质控")
        rows = rows_of(card)
        summary = [["P002", "3", "5"], ["P003", "1", "1"], ["P001", "2", "0"], ["P004", "2", "0"]]
        assert rows[1:5] == summary
        assert rows[6:] == [
            ["P002", "2025-04-01", "ECOG 评分", "7", "应在 0 到 5 之间"],
            ["P002", "2025-04-01", "体重", "90", "比上次访视变化超过 10%"],
            ["P002", "2025-04-01", "收缩压", "75", "应高于舒张压"],
            ["P002", "2025-05-02", "体重", "", "缺失"],
            ["P002", "2025-05-02", "收缩压", "", "缺失"],
            ["P003", tomorrow.isoformat(), "访视日期", tomorrow.isoformat(), "晚于今天"],
        ]
        done = await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        assert "已核查 4 项，发现 6 个问题" in text_of(done)


@pytest.mark.parametrize(
    ("text", "said", "near"),
    [("对 P999 做质控", "研究中没有受试者 P999", "P012"), ("QC P999", "no subject P999", "P012")],
)
async def test_a_subject_whom_nobody_knows_is_said_and_the_run_ends(
    start: Start, text: str, said: str, near: str
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", text)
        message = await room.wait_for(lambda m: any(p["state"] == "failed" for p in m["parts"]))
        assert said in text_of(message)
        assert near in text_of(message)
        assert message["card"] is None
        assert await runs_in(service, room) == 0


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ({"subject_id": "p003"}, 1),
        ({"subject_id": "全部"}, 12),
        ("全部受试者", 12),
        ("全部", 12),
        ("all subjects", 12),
        ("P003", 1),
        ("instead", 12),
    ],
)
async def test_whose_data_is_meant_is_asked_and_answered_by_form_button_or_text(
    start: Start, answer: dict[str, str] | str, of: int
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "做质控")
        card = await room.card("clarify")
        labels = [button["label"] for button in card["buttons"]]
        assert labels == ["提交", "全部受试者", "放弃"]
        if answer == "instead":
            await room.tap("lin", card, "instead")
        elif isinstance(answer, str):
            await room.say("lin", answer)
        else:
            await room.fill("lin", card, "submit", **answer)
        done = await room.card("phase_done")
        assert len([row for row in rows_of(done) if len(row) == 3]) == 1 + of
        await room.wait_for(lambda m: f"已核查 {of} 项" in text_of(m))


@pytest.mark.parametrize(
    "text", ["对 P003 和 P005 做质控", "对 03 中心做质控", "除了 P003 以外都做质控"]
)
async def test_what_is_not_surely_one_subject_or_all_is_asked(start: Start, text: str) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", text)
        message = await room.wait_for(lambda m: bool(m["card"]))
        assert message["card"]["kind"] in ("clarify", "select")


async def test_what_is_said_of_all_in_another_piece_is_not_said_of_this(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "P003 的 ECOG 是多少?然后做质控")
        card = await room.card("phase_done")
        assert rows_of(card)[1] == ["P003", "4", "0"]


async def test_what_does_not_fit_is_counted(start: Start, tmp_path: Path) -> None:
    bad = (visit("2025-03-03", ecog=None, systolic=300),)
    faulty = {f"P{n:03}": bad for n in range(81, 121)}
    service = await start(playbooks=study_folder(tmp_path, subjects(120, **faulty)))
    async with WebRoom(service.url) as room:
        card = await checked(room, "run quality control for all subjects")
        rows = rows_of(card)
        summary = [row for row in rows if len(row) == 3]
        findings = [row for row in rows if len(row) == 5]
        assert (len(summary), len(findings)) == (31, 31)
        assert summary[1] == ["P081", "1", "2"]
        assert "and 90 more rows" in card["html"]
        assert "and 50 more rows" in card["html"]
        await room.wait_for(lambda m: "Checked: 120. Findings: 80." in text_of(m))


async def test_of_more_subjects_than_a_table_keeps_those_with_findings_stay(
    start: Start, tmp_path: Path
) -> None:
    study = subjects(1020, P1015=(visit("2025-03-03", ecog=9),))
    service = await start(playbooks=study_folder(tmp_path, study))
    async with WebRoom(service.url) as room:
        card = await checked(room, "对所有受试者做质控")
        assert rows_of(card)[1] == ["P1015", "1", "1"]
        assert "另有 970 行" in card["html"]
        done = await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        assert "已核查 1020 项，发现 1 个问题。汇总只列出问题最多的 1000 项" in text_of(done)
