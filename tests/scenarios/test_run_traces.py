"""A developer asks why a run is where it is, replays it, and moves it to another version."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.operate import runs
from bot.operate.traces import replay_traces
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import ROOT, Service, Start
from tests.scenarios.test_reload_walk import looked
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_web_walk import ASK, GOOD, to_review

Capture = pytest.CaptureFixture[str]
PLAYBOOKS = ROOT / "playbooks"


def printed(capsys: Capture) -> str:
    """What was printed, without the log of the service in the same process."""
    lines = capsys.readouterr().out.splitlines()
    return "\n".join(line for line in lines if not re.match(r"\S{10} \S{8} \[", line))


async def the_run(service: Service) -> str:
    (found,) = await service.parts.services.decisions.active_runs("web:local:main")
    return found[0]


async def the_trace(service: Service, run: str, folder: Path, capsys: Capture) -> Path:
    capsys.readouterr()
    assert await runs.show_run_trace(service.parts.settings, run) == 0
    path = folder / "visit.json"
    path.write_text(printed(capsys), encoding="utf-8")
    return path


async def recorded(service: Service) -> str:
    """A visit with a value out of range, corrected, rejected, approved; the run's id."""
    async with WebRoom(service.url) as room:
        await room.say("lin", ASK["zh"])
        card = await room.card("clarify")
        run = await the_run(service)
        await room.fill("lin", card, "submit", **{**GOOD, "weight_kg": "400"})
        again = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        form = next(b["form"] for b in again["card"]["buttons"] if b["form"])
        kept = {field["name"]: field["value"] for field in form}
        await room.fill("lin", again["card"], "submit", **{**kept, "weight_kg": "62"})
        await room.tap("chen", await room.card("confirm"), "approve")
        await room.card("phase_done")
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        return run


async def replayed(
    service: Service, path: Path, playbooks: Path, capsys: Capture
) -> tuple[int, list[dict[str, Any]]]:
    capsys.readouterr()
    status = await replay_traces(service.parts.settings, path, playbooks, as_json=True)
    return status, json.loads(printed(capsys))


async def test_a_run_is_replayed_as_it_was(start: Start, tmp_path: Path, capsys: Capture) -> None:
    service = await start()
    path = await the_trace(service, await recorded(service), tmp_path, capsys)
    status, (told,) = await replayed(service, path, PLAYBOOKS, capsys)
    assert (status, told.get("difference"), told.get("fault")) == (0, None, None)
    assert told["steps"] > 15


@pytest.mark.parametrize(
    ("file", "old", "new", "what"),
    [
        ("visit-check.yaml", "{var: weight_kg}, 200]", "{var: weight_kg}, 500]", "changes"),
        ("visit-review.yaml", '"equals:passed"}', '"equals:never"}', "to"),
        ("visit-record.yaml", "visit_date: $visit_date", "visit_date: 2026-01-31", "call"),
    ],
)
async def test_a_changed_playbook_differs_where_it_decides_otherwise(
    start: Start,
    playbooks: Path,
    tmp_path: Path,
    capsys: Capture,
    *,
    file: str,
    old: str,
    new: str,
    what: str,
) -> None:
    service = await start()
    path = await the_trace(service, await recorded(service), tmp_path, capsys)
    change(playbooks, f"skills/{file}", old, new)
    status, (told,) = await replayed(service, path, playbooks, capsys)
    assert (status, told["difference"]["what"]) == (1, what)
    assert told["difference"]["recorded"] != told["difference"]["now"]


async def test_a_folder_of_traces_is_a_suite(start: Start, tmp_path: Path, capsys: Capture) -> None:
    service = await start()
    traces = tmp_path / "traces"
    traces.mkdir()
    await the_trace(service, await recorded(service), traces, capsys)
    (traces / "broken.json").write_text("{}", encoding="utf-8")
    status, told = await replayed(service, traces, PLAYBOOKS, capsys)
    assert status == 2
    assert [("fault" in each, each.get("steps", 0) > 0) for each in told] == [
        (True, False),
        (False, True),
    ]


async def test_why_each_skill_is_in_or_out_is_explained(start: Start, capsys: Capture) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await to_review(room)
    run = await the_run(service)
    capsys.readouterr()
    assert await runs.show_explanation(service.parts.settings, run, as_json=True) == 0
    told = json.loads(printed(capsys))
    skills = {each["skill"]: (each["available"], each["why"]) for each in told["skills"]}
    assert told["phase"] == "review"
    assert told["missing"] == ["decisions.review"]
    assert skills["visit-review"][0]
    assert "profile.check_status" in skills["visit-review"][1]
    assert skills["visit-record"] == (False, "phase review does not allow it")
    changed = {path: step["by"] for step in told["steps"] for path in step["changed"]}
    assert changed["ecog"] == "lin"
    assert changed["profile.check_status"] == "visit-check"
    assert await runs.show_explanation(service.parts.settings, run, as_json=False) == 0
    lines = printed(capsys)
    assert "out  visit-record: phase review does not allow it" in lines
    assert "deterministic: " in lines


async def test_runs_are_listed_the_newest_first(start: Start, capsys: Capture) -> None:
    service = await start()
    done = await recorded(service)
    async with WebRoom(service.url, "other") as room:
        await room.say("zhao", ASK["en"])
        await room.card("clarify")
    capsys.readouterr()
    assert await runs.list_runs(service.parts.settings, as_json=True) == 0
    newest, oldest = json.loads(printed(capsys))
    assert (newest["status"], newest["at"], newest["requester"]) == (
        "suspended",
        "prompt:visit-collect",
        "zhao",
    )
    assert (oldest["run"], oldest["playbook"]) == (done, "clinical_qc")
    assert oldest["name"] not in ("", oldest["playbook"], oldest["run"])
    assert await runs.list_runs(service.parts.settings, as_json=False) == 0
    assert printed(capsys).splitlines()[0].startswith(newest["run"])
    # What is left out is told, beside the list.
    assert await runs.list_runs(service.parts.settings, as_json=True, limit=1) == 0
    out, err = capsys.readouterr()
    listed = json.loads(next(line for line in out.splitlines() if line.startswith("[{")))
    assert [each["run"] for each in listed] == [newest["run"]]
    assert "these are the newest 1; --limit 2 lists more" in err
    assert await runs.list_runs(service.parts.settings, as_json=True, limit=2) == 0
    assert "--limit" not in capsys.readouterr().err


async def test_no_such_run_is_said(start: Start, capsys: Capture) -> None:
    service = await start()
    assert await runs.show_explanation(service.parts.settings, "00nothing", as_json=False) == 1
    assert await runs.show_run_trace(service.parts.settings, "nothing") == 1
    assert "no run is kept under this id" in capsys.readouterr().err


async def moved(
    service: Service, run: str, capsys: Capture, *, dry_run: bool = False
) -> tuple[int, dict[str, Any]]:
    """Migrated to what is current."""
    capsys.readouterr()
    settings = service.parts.settings
    status = await runs.migrate_run(settings, run, "current", dry_run=dry_run, as_json=True)
    return status, json.loads(printed(capsys))


async def test_a_run_whose_question_is_unchanged_waits_as_before(
    start: Start, playbooks: Path, capsys: Capture
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await the_run(service)
        change(playbooks, "playbook.yaml", "访视已录入", "改过的标题")
        await looked(service)
        assert await moved(service, run, capsys, dry_run=True) == (
            0,
            {
                "faults": [],
                "asks_again": "",
                "to": service.parts.reloader.current.snapshot.playbooks["clinical_qc"].digest,
            },
        )
        status, _ = await moved(service, run, capsys)
        assert status == 0
        status, answer = await room.tap("chen", card, "approve")
        assert (status, answer["ok"]) == (200, True)
        assert (await room.card("phase_done"))["title"] == "改过的标题"
