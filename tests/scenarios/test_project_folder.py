"""A project folder is checked, served and tried by its name, with settings and data of its own."""

import re
from pathlib import Path

import pytest

from tests.bot.signoff_process import ROOT, answering, ended, serving
from tests.fakes.garage import bookings, write_project
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, new_id, text_of
from tests.scenarios.conftest import Start
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
    examples = await ended(tmp_path / "garage", "lint-examples")
    assert "talk/" not in examples.out


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


def in_english(name: str, text: str) -> str:
    """The file with plain texts in place of those in two languages; roles have one name."""
    plain = re.sub(r"\{zh: [^{}]*?, en: ([^{}]*)\}", r"\1", text)
    return re.sub(r"zh: [^{}]*?, en: (\w+)", r"name: \1", plain) if name == "people.yaml" else plain


async def test_one_language_is_enough(tmp_path: Path, start: Start) -> None:
    project = write_project(tmp_path / "garage")
    (project / "signoff.yaml").write_text("languages: [en]\ntimezone: UTC\n", encoding="utf-8")
    files = [*project.rglob("*.yaml")]
    for path in files:
        path.write_text(in_english(path.name, path.read_text("utf-8")), encoding="utf-8")
    assert not any("zh:" in path.read_text("utf-8") for path in files)
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (0, "ok\n")
    service = await start(
        playbooks=project / "playbooks",
        people=project / "people.yaml",
        connections=project / "connections.yaml",
        languages=("en",),
    )
    async with WebRoom(service.url) as room:
        await room.say("mia", "please book a hoist")
        form = await room.card("clarify")
        assert "Which bay, and which day?" in text_of(form)
        await room.say("mia", "今天天气怎么样？")
        await room.wait_for(
            lambda m: any("Nothing that I can look up here" in p["html"] for p in m["parts"])
        )


async def test_a_text_that_lacks_a_language_of_the_folder_is_told(tmp_path: Path) -> None:
    write_project(tmp_path / "garage", **{"signoff.yaml": "languages: [en, zh]\ntimezone: UTC\n"})
    main = tmp_path / "garage" / "playbooks" / "hoists" / "playbook.yaml"
    text = main.read_text("utf-8").replace("{zh: 举升机, en: Hoists}", "{en: Hoists}")
    main.write_text(text, encoding="utf-8")
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (
        1,
        "playbooks/hoists/playbook.yaml:2: name: lacks zh; a plain text is for every language\n",
    )


async def test_a_time_zone_that_nobody_chose_is_told(tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage")
    chosen = await ended(tmp_path, "doctor", "garage")
    assert "time zone" in chosen.out
    assert "nothing says which" not in chosen.out
    (project / "signoff.yaml").unlink()
    (project / "playbooks" / "hoists").rename(project / "hoists")
    looked = await ended(tmp_path, "doctor", "garage")
    assert "Asia/Shanghai; nothing says which" in looked.out


async def test_playbooks_may_lie_in_the_folder_itself(tmp_path: Path) -> None:
    project = write_project(tmp_path / "garage")
    (project / "playbooks" / "hoists").rename(project / "hoists")
    (project / "playbooks").rename(tmp_path / "rest")
    checked = await ended(tmp_path, "validate", "garage")
    assert (checked.status, checked.out) == (0, "ok\n")
    assert "is read as a folder of playbooks" not in checked.err


@pytest.mark.parametrize("sample", ["expenses", "leave"])
async def test_a_sample_is_valid_and_small(sample: str, tmp_path: Path) -> None:
    folder = ROOT / "examples" / sample
    checked = await ended(tmp_path, "validate", str(folder), EXPENSES_TOKEN="secret")
    assert (checked.status, checked.out) == (0, "ok\n")
    files = [path for path in folder.rglob("*.yaml") if path.parent.name != "tests"]
    lines = [line for path in files for line in path.read_text("utf-8").splitlines()]
    # A good tenth of them are what people say, in two languages.
    assert len(lines) < 220


async def test_options_come_from_a_tool_that_lists(tmp_path: Path) -> None:
    main = write_project(tmp_path / "garage") / "playbooks" / "hoists" / "playbook.yaml"
    bay = "{label: {zh: 工位, en: Bay}, cues: [bay], identity: true}"
    listed = bay.replace(
        "cues:", "type: choice, options_from: {tool: find_hoist, value: bay}, cues:"
    )
    main.write_text(main.read_text("utf-8").replace(bay, listed), "utf-8")
    checked = await ended(tmp_path, "validate", "garage")
    assert checked.status == 1
    assert "'find_hoist' gives no list; in tools.yaml a list is `result: many`" in checked.out


def with_listed_bays(project: Path) -> None:
    """The bay of a booking becomes one of a list, which has a name for each."""
    folder = project / "playbooks" / "hoists"
    changes = {
        "playbook.yaml": (
            (
                "cues: [book,",
                "entities: {hoist: {name: {zh: 举升机, en: Hoist}, tool: list_hoists, "
                "id: bay, names: [called]}}\ncues: [book,",
            ),
            ("cues: [bay], identity: true", "type: entity, entity: hoist, identity: true"),
        ),
        "tools.yaml": (
            (
                "SELECT bay, lifts_kg FROM hoists",
                "SELECT bay, lifts_kg, CASE bay WHEN 'A1' "
                "THEN 'front' ELSE 'rear' END AS called FROM hoists",
            ),
            ("  examples: [which", "    called: {label: {zh: 名称, en: Name}}\n  examples: [which"),
            (
                "    bay: {label: {zh: 工位, en: Bay}}\n    day:",
                "    bay: {label: {zh: 工位, en: Bay}, type: entity, entity: hoist}\n    day:",
            ),
        ),
    }
    for name, changed in changes.items():
        text = (folder / name).read_text("utf-8")
        for old, new in changed:
            assert old in text
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")


async def test_with_processes_apart_a_form_takes_only_what_a_list_has(
    project: Path, tmp_path: Path
) -> None:
    with_listed_bays(project)
    port = free_port()
    (project / ".env").write_text(f"PORT={port}\n", encoding="utf-8")
    url = f"http://127.0.0.1:{port}"
    async with serving(tmp_path, "run", "garage"):
        await answering(url)
        async with WebRoom(url) as room:
            said = new_id()
            await insist(lambda: room.post("messages", "mia", text="book a hoist", id=said))
            form = await room.card("clarify")
            told = await room.fill("mia", form, "submit", bay="nonsense", day="2026-12-03")
            assert "This names none that is known here, or several: nonsense" in str(told)
            await room.fill("mia", form, "submit", bay="Rear", day="2026-12-03")
            card = await room.card("confirm")
            assert "B2" in text_of(card)
            assert "Rear" not in text_of(card)
