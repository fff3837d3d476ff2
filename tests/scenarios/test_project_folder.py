"""A project folder is checked, served and tried by its name, with settings and data of its own."""

from pathlib import Path

import pytest

from tests.bot.signoff_process import answering, ended, serving
from tests.fakes.garage import bookings, write_project
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, new_id, text_of
from tests.scenarios.test_failpoints import insist


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "garage")


async def test_a_folder_is_served_by_its_name(project: Path, tmp_path: Path) -> None:
    port = free_port()
    (project / ".env").write_text(f"PORT={port}\n", encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    async with serving(tmp_path, "run", "garage"):
        await answering(url)
        async with WebRoom(url) as room:
            said = new_id()
            await insist(lambda: room.post("messages", "mia", text="book a hoist", id=said))
            form = await room.card("clarify")
            await room.fill("mia", form, "submit", bay="A1", day="2026-12-03")
            card = await room.card("confirm")
            assert (await room.tap("fred", card, "approve"))[1]["ok"]
            done = await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
            assert "Hoists" in text_of(done)
    assert bookings(project) == [("A1", "2026-12-03", "mia")]
    assert (project / "data").is_dir()
    assert not (tmp_path / "data").exists()


async def test_a_folder_is_checked_and_tried(project: Path, tmp_path: Path) -> None:
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (0, "ok\n")
    asked = await ended(project, "tools", "call", "find_hoist", "--arg", "bay=A1")
    assert "3500 kg" in asked.out
    looked = await ended(tmp_path, "doctor", "garage")
    assert "connection workshop" in looked.out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("languages: [en]\n", "signoff.yaml:1: timezone: is required"),
        ("timezone: Europe/Berlino\n", "signoff.yaml:1: timezone: "),
        ("timezone: UTC\nzone: x\n", "signoff.yaml:2: zone: "),
    ],
)
async def test_what_is_wrong_in_its_file_is_told(tmp_path: Path, text: str, told: str) -> None:
    write_project(tmp_path / "garage", **{"signoff.yaml": text})
    checked = await ended(tmp_path, "validate", "garage")
    assert checked.status == 2
    assert told in checked.err


async def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, told in (("nowhere", "there is no such folder"), ("empty", "is no project folder")):
        served = await ended(tmp_path, "run", name)
        assert (served.status, served.err) == (2, served.err)
        assert told in served.err


async def test_a_folder_of_before_is_read_with_a_warning(tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage")
    (project / "signoff.yaml").unlink()
    (project / "playbooks" / "hoists").rename(project / "hoists")
    looked = await ended(tmp_path, "doctor", "garage")
    assert "has no signoff.yaml" in looked.err
    assert "connection workshop" in looked.out
