"""What `signoff init` makes has tests of its own, which pass at once."""

from pathlib import Path

import pytest
import yaml

from bot.starting.init import InitOptions, make_folder
from tests.bot.testing.conftest import FolderPlayer, told


@pytest.mark.parametrize(
    ("lang", "request_text", "name"),
    [
        ("en", "Book in a pallet: 3 boxes #1", "Robin"),
        ("zh", "申请：3 箱试剂", "007"),
    ],
)
async def test_the_tests_of_a_new_folder_pass(
    lang: str, request_text: str, name: str, tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = tmp_path / "bot"
    make_folder(InitOptions(folder, None, name, lang, "UTC", request_text, asks=False))
    played = await play_folder(folder)
    assert len(played) == 3
    assert [each for each in played if not each.passed] == [], told(played)


@pytest.mark.parametrize(
    ("languages", "request_text", "also"),
    [("en,zh", "book in a pallet", "登记托盘入库"), ("zh,en", "登记托盘入库", "book in a pallet")],
)
async def test_a_request_in_both_languages_is_understood_in_both(
    languages: str, request_text: str, also: str, tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = tmp_path / "bot"
    wanted = InitOptions(folder, None, "Ada", languages, "UTC", request_text, also, asks=False)
    make_folder(wanted)
    played = await play_folder(folder)
    assert len(played) == 4
    assert [each for each in played if not each.passed] == [], told(played)


async def test_the_form_of_a_new_folder_is_answered_by_its_label(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = tmp_path / "bot"
    make_folder(InitOptions(folder, None, "Robin", "en", "UTC", "book in a pallet", asks=False))
    written = yaml.safe_load(next(folder.glob("playbooks/*/playbook.yaml")).read_text("utf-8"))
    ((name, field),) = list(written["data_fields"].items())[:1]
    steps = [
        {"robin": "book in a pallet"},
        {"robin": f"{field['label']}: two boxes", "expect": {"state": {name: "two boxes"}}},
    ]
    tests = yaml.safe_dump([{"test": "by its label", "steps": steps}])
    played = [p for p in await play_folder(folder, tests) if p.scenario.name == "by its label"]
    assert [each.passed for each in played] == [True], told(played)
