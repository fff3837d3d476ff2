"""One SOP over every subject at once: child runs, a card where one is needed, one summary."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.frames.state import Run
from engine.ports.storage.findings import Check, Finding, ProjectFindings
from tests.fakes.platforms.patience import until
from tests.fakes.study import subjects_in, visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on, running
from tests.scenarios.test_run_ends import change

SKILL = """
id: every-subject
name: {zh: 逐一核查, en: Check every subject}
description: {zh: 逐一核查受试者, en: Checks every subject}
category: check
kind: sop
provides: [profile.each_status, subject_results]
sop:
  start_node: rules
  batch: {tool: list_subjects, as: subject_id, summary: subject_results, concurrency: 3}
  nodes:
    rules:
      type: hard_rule
      over:
        tool: list_visits
        with: {subject_id: $subject_id}
        for_each: {tool: list_subjects, as: subject_id, only: subject_id}
        entry: visit_date
        count: visits
        findings: found_here
        summary: counted
      rules:
        - field: ecog
          logic: {"<=": [0, {var: ecog}, 0]}
          message: {zh: 应为 0, en: should be 0}
      on_pass: end_passed
      on_fail: judge
    judge:
      type: human_review
      title: {zh: 请复核, en: Please review}
      description: {zh: 有问题, en: There are findings}
      review: {roles: [reviewer]}
      presents: [subject_id, found_here]
      decision: review
      on_approve: end_accepted
      on_reject: end_rejected
  outcomes:
    end_batch: {profile.each_status: done}
"""
FIELDS = """
  found_here:
    label: {zh: 问题, en: Findings}
    type: list
    columns:
      subject_id: {label: {zh: 受试者, en: Subject}}
      visit_date: {label: {zh: 日期, en: Date}}
      field: {label: {zh: 字段, en: Field}}
      value: {label: {zh: 值, en: Value}}
      message: {label: {zh: 说明, en: Message}}
  counted:
    label: {zh: 计数, en: Counts}
    type: list
    columns:
      subject_id: {label: {zh: 受试者, en: Subject}}
      visits: {label: {zh: 访视, en: Visits}, type: integer}
      findings: {label: {zh: 问题, en: Findings}, type: integer}
  subject_results:
    label: {zh: 结果, en: Results}
    type: list
    columns:
      subject_id: {label: {zh: 受试者, en: Subject}}
      result: {label: {zh: 结果, en: Result}}
      problems: {label: {zh: 问题, en: Problems}}

phases:
  - id: every
    name: {zh: 核查, en: Check}
    goal: {zh: 逐一核查, en: Every subject is checked}
    allowed_skills: [every-subject]
    gate_field: profile.each_status
    gate_value: done
    done_card:
      title: {zh: 核查完成, en: Checked}
      text: {zh: 结果如下, en: These are the results}
      shows: [subject_results]
"""


@pytest.fixture
def batch(playbooks: Path) -> Path:
    return over_every_subject(playbooks)


def over_every_subject(playbooks: Path) -> Path:
    """The sample playbooks, in which quality control goes over every subject."""
    folder = playbooks / "clinical_qc"
    (folder / "skills" / "every-subject.yaml").write_text(SKILL, encoding="utf-8")
    change(playbooks, "playbook.yaml", "\nphases:\n", FIELDS)
    change(
        playbooks,
        "playbook.yaml",
        "profile_fields:\n",
        "profile_fields:\n  each_status: {label: {zh: 核查, en: Check}}\n",
    )
    change(playbooks, "playbook.yaml", "    phases: [scope, quality]\n", "    phases: [every]\n")
    text = (folder / "playbook.yaml").read_text(encoding="utf-8")
    kept, rest = text.split("  - id: scope\n", 1)
    after = rest.partition("  - id: subject\n")
    (folder / "playbook.yaml").write_text(kept + "".join(after[1:]), encoding="utf-8")
    for name in ("qc-scope", "qc-rules"):
        (folder / "skills" / f"{name}.yaml").unlink()
    return playbooks


def found_before(project: str, subject: str) -> Check:
    """What an earlier run of the skill found wrong with the subject."""
    return Check(
        project=project,
        playbook="clinical_qc",
        record=subject,
        skill="every-subject",
        node="rules",
        run="0-earlier",
        conversation="web:local:main",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        findings=(Finding(field="ecog", label="ECOG", message="should be 0"),),
        found=1,
    )


async def stands(service: Service, wanted: Callable[[ProjectFindings], bool]) -> ProjectFindings:
    """What stands of the sample study, as soon as it is as wanted."""

    async def found() -> ProjectFindings | None:
        standing = await service.parts.store.findings.of("SIGNOFF-101", 100)
        return standing if wanted(standing) else None

    standing: ProjectFindings = await until(found)
    return standing


async def runs(service: Service) -> list[Run]:
    found = await service.parts.services.decisions.active_runs("web:local:main")
    return [Run.model_validate_json(body) for _, body in found]


async def approve_all(room: WebRoom, count: int) -> None:
    """A tap of the reviewer on each card as it comes."""
    seen: set[str] = set()

    def new(message: Message) -> bool:
        card = message["card"]
        return bool(card) and card["kind"] == "confirm" and card["token"] not in seen

    for _ in range(count):
        card = (await room.wait_for(new))["card"]
        seen.add(card["token"])
        _, answer = await room.tap("chen", card, "approve")
        assert answer["ok"] is True


async def test_every_subject_is_checked_and_one_summary_tells_it(start: Start, batch: Path) -> None:
    service = await start(playbooks=batch)
    subjects = subjects_in(service.parts.settings.data_dir)
    async with WebRoom(service.url) as room:
        await room.say("lin", "对所有受试者做质控")
        first = await room.card("confirm")
        assert first["title"] == "请复核"
        found = await runs(service)
        (parent,) = [run for run in found if not run.parent]
        children = [run for run in found if run.parent]
        assert 0 < len(children) <= 3
        assert {run.parent for run in children} == {parent.id}
        await room.say("lin", "/runs")
        listed = await room.wait_for(lambda m: "等待" in text_of(m) and "质控" in text_of(m))
        assert text_of(listed).count("<li>") <= 1
        visits = [visits_in(service.parts.settings.data_dir, s) for s in subjects]
        faulty = sum(any(v.ecog for v in each) for each in visits)
        await approve_all(room, faulty)
        done = await room.card("phase_done")
        table = text_of(done)
        assert all(subject in table for subject in subjects)
        assert table.count("end\\\\_accepted") + table.count("end_accepted") == faulty
        chart = (await room.wait_for(lambda m: bool(m["chart"])))["chart"]
        wrong = sum(bool(v.ecog) for each in visits for v in each)
        assert [(bar["label"], bar["value"]) for bar in chart["bars"]] == [
            ("ECOG 评分：应为 0", wrong)
        ]
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
    await nothing_goes_on(service)


async def test_what_was_found_stands_for_each_subject_until_it_is_checked_again(
    start: Start, batch: Path
) -> None:
    service = await start(playbooks=batch)
    data, project = service.parts.settings.data_dir, "SIGNOFF-101"
    visits = [visit for subject in subjects_in(data) for visit in visits_in(data, subject)]
    sound = {v.subject_id for v in visits} - {v.subject_id for v in visits if v.ecog}
    assert sound
    for subject in sound:
        await service.parts.store.findings.keep(found_before(project, subject))
    async with WebRoom(service.url) as room:
        await room.say("lin", "对所有受试者做质控")
        await approve_all(room, len({v.subject_id for v in visits if v.ecog}))
        await room.card("phase_done")
        standing = await stands(service, lambda s: not {c.record for c in s.checks} & sound)
        each = [(c.record, f.entry, f.value) for c in standing.checks for f in c.findings]
        wanted = [(v.subject_id, v.visit_date.isoformat(), str(v.ecog)) for v in visits if v.ecog]
        assert sorted(each) == sorted(wanted)
        await room.say("lin", "/pending")
        await room.wait_for(lambda m: f"未关闭的检查问题：{len(wanted)} 个" in text_of(m))


async def test_one_card_lists_all_subjects_whose_checks_go_ten_in_a_row(
    start: Start, batch: Path
) -> None:
    change(batch, "skills/every-subject.yaml", "  batch: {tool: list_subjects, ", "  # {")
    change(
        batch, "skills/every-subject.yaml", "as: subject_id, only: subject_id}", "as: subject_id}"
    )
    change(batch, "skills/every-subject.yaml", "end_batch:", "end_accepted:")
    change(batch, "skills/every-subject.yaml", "[subject_id, found_here]", "[counted]")
    service = await start(playbooks=batch)
    subjects = subjects_in(service.parts.settings.data_dir)
    async with WebRoom(service.url) as room:
        await room.say("lin", "对所有受试者做质控")
        listed = await room.card("confirm")
        assert all(subject in listed["html"] for subject in subjects)
        await approve_all(room, 1)
        await stands(service, lambda s: bool(s.findings))
    rows = await service.parts.store.client.keys("*row:*/check/*")
    assert len(rows) == -(-len(subjects) // 10)


async def test_cancel_ends_the_children_too(start: Start, batch: Path) -> None:
    service = await start(playbooks=batch)
    async with WebRoom(service.url) as room:
        await room.say("lin", "对所有受试者做质控")
        card = await room.card("confirm")
        await room.say("lin", "/cancel")
        await room.wait_for(lambda m: any(p["state"] == "cancelled" for p in m["parts"]))
        await room.card("confirm", closed=True)
        _, answer = await room.tap("chen", card, "approve")
        assert answer["ok"] is False
    await nothing_goes_on(service)


async def test_a_restart_in_the_middle_checks_nobody_twice(start: Start, batch: Path) -> None:
    service = await start(playbooks=batch)
    settings = service.parts.settings
    async with running(settings) as one, WebRoom(one.url) as room:
        await room.say("lin", "对所有受试者做质控")
        await room.card("confirm")
    async with running(settings) as two, WebRoom(two.url) as room:
        subjects = subjects_in(two.parts.settings.data_dir)
        visits = [visits_in(two.parts.settings.data_dir, s) for s in subjects]
        await approve_all(room, sum(any(v.ecog for v in each) for each in visits))
        done = text_of(await room.card("phase_done"))
        assert [done.count(f"| {s} |") <= 1 for s in subjects]
        found = await two.parts.store.archive.runs(10_000)
        kept = [Run.model_validate_json(history.body) for _, history in found]
        (parent,) = [run for run in kept if not run.parent]
        assert (parent.status, parent.end) == ("completed", "done")
        rows = parent.state.data["subject_results"]
        assert json.dumps([row["subject_id"] for row in rows]) == json.dumps(sorted(subjects))
