"""Playbooks of a project folder share skills: a change is for new runs of all that use them."""

from pathlib import Path

import pytest

from tests.bot.signoff_process import ended
from tests.fakes.garage import APPROVE, ASK, MAIN, TOOLS, WRITE, bookings, write_project
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_reload_walk import looked

KEYS = MAIN.replace("id: hoists", "id: parking", 1).replace("en: Hoists", "en: Parking")
KEYS = KEYS.replace("cues: [book, reserve]", "cues: [park]")
EXAMPLES = KEYS[KEYS.index("      - book a hoist") : KEYS.index("decision_fields")]
KEYS = KEYS.replace(EXAMPLES, "      - park a car\n      - please park my car\n      - 停一辆车\n")
OWN = "playbooks/hoists/skills/{}.yaml"
SHARED = {"ask-booking": ASK, "approve-booking": APPROVE, "write-booking": WRITE}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder in which two playbooks have no skills but those that they share."""
    files = {f"skills/{name}.yaml": text for name, text in SHARED.items()}
    files["playbooks/parking/playbook.yaml"] = KEYS
    files["playbooks/parking/tools.yaml"] = TOOLS
    folder = write_project(tmp_path / "garage", **files)
    for name in SHARED:
        (folder / OWN.format(name)).unlink()
    return folder


async def serve(start: Start, project: Path) -> Service:
    return await start(
        playbooks=project / "playbooks",
        people=project / "people.yaml",
        connections=project / "connections.yaml",
        skills=project / "skills",
    )


async def approve(room: WebRoom, said: str, bay: str) -> None:
    await room.say("mia", said)
    form = await room.card("clarify")
    await room.fill("mia", form, "submit", bay=bay, day="2026-12-01")
    assert (await room.tap("fred", await room.card("confirm"), "approve"))[1]["ok"]
    await room.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


async def test_two_playbooks_use_the_same_skills(start: Start, project: Path) -> None:
    service = await serve(start, project)
    async with WebRoom(service.url, "one") as one, WebRoom(service.url, "two") as two:
        await approve(one, "book a hoist", "A1")
        await approve(two, "park a car", "B2")
    assert [bay for bay, _, _ in bookings(project)] == ["A1", "B2"]


async def test_a_run_keeps_the_shared_skill_that_it_began_with(start: Start, project: Path) -> None:
    service = await serve(start, project)
    async with WebRoom(service.url, "old") as old, WebRoom(service.url, "new") as new:
        await old.say("mia", "book a hoist")
        form = await old.card("clarify")
        shared = project / "skills" / "approve-booking.yaml"
        shared.write_text(APPROVE.replace("[foreman]", "[mechanic], four_eyes: false"), "utf-8")
        await looked(service)
        await new.say("fred", "park a car")
        other = await new.card("clarify")
        await new.fill("fred", other, "submit", bay="A1", day="2026-12-02")
        assert "mechanic" in text_of(await new.card("confirm"))
        await old.fill("mia", form, "submit", bay="B2", day="2026-12-01")
        card = await old.card("confirm")
        assert "foreman" in text_of(card)
        assert (await old.tap("mia", card, "approve"))[1]["ok"] is False
        assert (await old.tap("fred", card, "approve"))[1]["ok"]
        await old.wait_for(lambda m: any(part["state"] == "done" for part in m["parts"]))


async def test_the_folder_is_checked_whole_and_each_fault_told_once(
    project: Path, tmp_path: Path
) -> None:
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (0, "ok\n")
    (project / "skills" / "ask-booking.yaml").write_text(ASK.replace("kind: prompt", "kind: x"))
    (project / "skills" / "unused.yaml").write_text("id: [\n")
    checked = await ended(tmp_path, "validate", "garage")
    assert checked.status == 1
    lines = checked.out.splitlines()
    assert len([line for line in lines if line.startswith("skills/ask-booking.yaml:5: kind")]) == 1
    assert len([line for line in lines if line.startswith("skills/unused.yaml:")]) == 1
