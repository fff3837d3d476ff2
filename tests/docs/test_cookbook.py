"""Every answer of the cookbook is a project folder that is valid; what pages quote stands in it."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.operate.validation import find_problems, find_warnings
from bot.testing.run import load_tests, play_all
from bot.wiring.platforms import load_settings
from tests.docs.quoting import Quote, folders_of, is_quoting, quotes
from tests.docs.reading import ROOT, pages
from tests.fakes.tables import table

FOLDERS = sorted(path for path in (ROOT / "examples" / "cookbook").iterdir() if path.is_dir())
PAGE = next(page for page in pages() if page.name == "docs/cookbook.md")
SECRETS = ("STOCK_PASSWORD", "WORKSHOP_TOKEN")
MOST_LINES = 100


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "sample")


async def test_the_tests_of_each_folder_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = dict[str, str]()
    for path in FOLDERS:
        monkeypatch.chdir(path)
        folder, scenarios = load_tests(load_settings(), tmp_path)
        played = await play_all(folder, scenarios, 1, lambda test: None)
        told[path.name] = "\n".join(str(test) for test in played if not test.passed)
        assert played, f"{path}: there are no tests"
    assert {name: failed for name, failed in told.items() if failed} == {}


def test_each_folder_is_valid_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    told = dict[str, Sequence[str]]()
    for folder in FOLDERS:
        monkeypatch.chdir(folder)
        settings = load_settings()
        told[folder.name] = [*find_problems(settings), *find_warnings(settings)]
    assert {name: found for name, found in told.items() if found} == {}
    lines = {each.name: sum(map(_lines, each.rglob("*.yaml"))) for each in FOLDERS}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def _lines(path: Path) -> int:
    return 0 if path.parent.name == "tests" else len(path.read_text("utf-8").splitlines())


def test_a_plain_text_is_for_every_language_and_one_by_language_lacks_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = shutil.copytree(ROOT / "examples" / "cookbook" / "languages", tmp_path / "bot")
    monkeypatch.chdir(folder)
    (file,) = folder.glob("playbooks/*/playbook.yaml")
    text, both = file.read_text("utf-8"), "label: {en: Name, zh: 姓名}"
    told = {}
    for written in (both, "label: Name", "label: {en: Name}"):
        assert both in text
        file.write_text(text.replace(both, written), "utf-8")
        told[written] = [str(each) for each in find_problems(load_settings())]
    *well, (lacking,) = told.values()
    assert well == [[], []]
    assert "data_fields.name.label: lacks zh; a plain text is for every language" in lacking


def test_each_answer_has_a_folder_and_each_folder_an_answer() -> None:
    sections = re.split(r"^## ", PAGE.text, flags=re.MULTILINE)[1:]
    linked = [re.findall(r"\(\.\./examples/cookbook/([\w-]+)\)", text) for text in sections]
    assert [section.splitlines()[0] for section in sections if "Folder" not in section] == [
        "Repeat a check every morning"
    ]
    assert {name for names in linked for name in names} == {folder.name for folder in FOLDERS}
    assert all(len(names) == 1 for names in linked)
    assert len(sections) > 20


def test_pages_of_concepts_link_to_a_folder_that_is_there() -> None:
    told = [page.name for page in pages() if is_quoting(page) and not folders_of(page)]
    assert told == []


@table("quote", quotes(), ids=lambda quote: f"{quote.page}-{quote.file.name}")
def test_what_is_quoted_stands_in_the_file(quote: Quote) -> None:
    assert quote.is_true(), f"{quote.page}: {quote.file} has no such lines:\n{quote.text}"
