"""`signoff init`: what it makes is valid at once, works in the chat, and is one's own."""

from pathlib import Path
from typing import Any

import pytest

from bot.operate.validation import find_problems, find_warnings
from bot.starting.init import InitOptions, machine_zone, make_folder
from engine.errors import DefinitionError
from engine.yaml.source import read_yaml
from tests.bot.signoff_process import ended
from tests.fakes.settings import make_settings

REQUESTS = {
    "Book in a pallet: 3 boxes #1": "en",
    "excuse a pupil's absence": "en",
    'order "null" {x}': "en",
    "预约换轮胎": "zh",
    "申请：3 箱试剂": "zh",
}
NAMES = ("Ada O'Neil", "王小明", "true", '"- x: y"', "007")


def wrong_with(folder: Path) -> list[str]:
    """Every problem and warning of a project folder."""
    connections = folder / "connections.yaml"
    settings = make_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=connections if connections.exists() else None,
        languages=tuple(
            read_yaml((folder / "signoff.yaml").read_text("utf-8"), file="").data["languages"]
        ),
        data_dir=folder / "data",
    )
    return [*find_problems(settings), *find_warnings(settings)]


def made(folder: Path, **wanted: str) -> Path:
    make_folder(InitOptions(folder, asks=False, zone="Europe/Berlin", **wanted))
    return folder


@pytest.mark.parametrize(("request_text", "name"), tuple(zip(REQUESTS, NAMES, strict=True)))
def test_a_folder_is_valid_whatever_is_asked_for_and_by_whom(
    request_text: str, name: str, tmp_path: Path
) -> None:
    lang = REQUESTS[request_text]
    others = {"en": "en,zh", "zh": "zh,en"}
    folder = made(tmp_path / "bot", request=request_text, languages=others[lang], name=name)
    assert wrong_with(folder) == []
    main = next(folder.glob("playbooks/*/playbook.yaml"))
    data = read_yaml(main.read_text("utf-8"), file="").data
    assert request_text[1:] in data["name"]
    people = read_yaml((folder / "people.yaml").read_text("utf-8"), file="").data
    assert people["people"][0]["name"] == name
    comments = [line for path in folder.rglob("*.yaml") for line in path.read_text().splitlines()]
    ours = [line for line in comments if line.startswith("# ") and "$schema" not in line]
    assert len(ours) > 10
    chinese = [line for line in ours if any("一" <= char <= "鿿" for char in line)]
    assert (len(chinese) > len(ours) / 2) is (lang == "zh")
    assert sum(len(p.read_text("utf-8").splitlines()) for p in folder.rglob("*.yaml")) < 200


@pytest.mark.parametrize("languages", ["en,zh", "zh,en", "en", "zh"])
def test_texts_and_examples_are_in_each_language_of_the_folder(
    languages: str, tmp_path: Path
) -> None:
    folder = made(tmp_path / "bot", request="order vaccines", languages=languages, name="Ada")
    assert wrong_with(folder) == []

    def read(pattern: str) -> Any:
        return read_yaml(next(folder.glob(pattern)).read_text("utf-8"), file="").data

    words = {"en": "Needed by", "zh": "需要日期"}
    asked = {"en": "who approves requests", "zh": "谁来审批"}
    wanted = languages.split(",")
    label = read("playbooks/*/playbook.yaml")["data_fields"]["needed_by"]["label"]
    both = {each: words[each] for each in wanted}
    assert label == (both if len(wanted) > 1 else words[languages])
    examples = read("playbooks/*/answers.yaml")["who_approves"]["examples"]
    assert [each for each in asked if asked[each] in examples] == sorted(wanted)


def texts_of(folder: Path, pattern: str) -> Any:
    return read_yaml(next(folder.glob(pattern)).read_text("utf-8"), file="").data


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        (
            {"languages": "en,zh", "request": "book in a pallet", "request_also": "登记托盘入库"},
            {"en": "Book in a pallet", "zh": "登记托盘入库"},
        ),
        (
            {"languages": "zh,en", "request": "登记托盘入库", "request_also": "book in a pallet"},
            {"zh": "登记托盘入库", "en": "Book in a pallet"},
        ),
        ({"languages": "zh,en"}, {"zh": "申请办公用品", "en": "Order office supplies"}),
        ({"languages": "en,zh", "request": "book in a pallet"}, "Book in a pallet"),
    ],
)
def test_the_request_stands_in_both_languages_of_the_folder(
    wanted: dict[str, str], name: Any, tmp_path: Path
) -> None:
    folder = made(tmp_path / "bot", name="Ada", **wanted)
    assert wrong_with(folder) == []
    main = texts_of(folder, "playbooks/*/playbook.yaml")
    assert main["name"] == main["requests"][0]["name"] == name
    assert texts_of(folder, "playbooks/*/skills/ask.yaml")["ask"]["title"] == name
    tests = texts_of(folder, "playbooks/*/tests/*.yaml")
    assert len(tests) == (3 if isinstance(name, str) else 4)


@pytest.mark.parametrize("sample", ["expenses", "leave", "clinical", "litigation"])
def test_a_sample_is_copied_and_becomes_ones_own(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPENSES_TOKEN", "try")
    folder = made(tmp_path / "my-bot", sample=sample)
    assert wrong_with(folder)[1:] == []  # nobody approves what the head of the company claims
    main = next(folder.glob("playbooks/*/playbook.yaml")).read_text("utf-8")
    assert "\nproject: MY-BOT\n" in main
    tests = [path.read_text("utf-8") for path in folder.glob("playbooks/*/tests/*.yaml")]
    named = [line for text in tests for line in text.splitlines() if "project:" in line]
    assert all("project: MY-BOT" in line for line in named)
    assert bool(named) is (sample == "litigation")
    assert "timezone: Europe/Berlin" in (folder / "signoff.yaml").read_text()
    assert ".env" in (folder / ".gitignore").read_text()
    assert (folder / "api.py").exists() is (sample == "expenses")


@pytest.mark.parametrize(
    ("answer", "phrase", "file"),
    [
        ("options", "I want to book a room", "rooms.csv"),
        ("answers", "when is the pool open", "playbooks/pool/tests/pool.yaml"),
    ],
)
def test_an_answer_of_the_cookbook_is_copied(
    answer: str, phrase: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made(tmp_path / "my-bot", sample=f"cookbook/{answer}")
    assert wrong_with(folder) == []
    assert (folder / file).is_file()
    assert phrase in capsys.readouterr().out


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "people.yaml").write_text("mine")
    with pytest.raises(DefinitionError, match=r"people\.yaml: is there already"):
        made(folder)
    assert [path.name for path in folder.iterdir()] == ["people.yaml"]
    (folder / "people.yaml").unlink()
    (folder / ".git").mkdir()
    made(folder)
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")] == [
        f"  signoff {word} {folder}" for word in ("validate", "test", "run")
    ]


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"sample": "leeve"}, "--from: there is no sample 'leeve'; did you mean 'leave'?"),
        ({"languages": "en,klingon"}, "--languages: should be some of zh, en"),
        ({"zone": "Mars/Base"}, "--timezone: should be an IANA time zone, as in Europe/Berlin"),
        ({"request": " \n"}, "--request: should be a line of at most 80 characters"),
        ({"request_also": "订货"}, "--request-also: goes with --languages en,zh"),
        ({"languages": "en,zh", "request_also": " "}, "--request-also: should be a line of at"),
        ({"name": "x" * 100}, "--name: should be a line of at most 80 characters"),
    ],
)
def test_a_wrong_option_is_told_and_nothing_is_written(
    wanted: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(DefinitionError) as caught:
        make_folder(InitOptions(tmp_path / "bot", asks=False, **wanted))
    assert str(caught.value).startswith(told)
    assert not (tmp_path / "bot").exists()


@pytest.mark.parametrize("option", ["--request", "--request-also"])
async def test_an_option_that_is_given_twice_is_refused_and_nothing_is_written(
    option: str, tmp_path: Path
) -> None:
    twice = (option, "make a key", option, "order a desk")
    told = await ended(tmp_path, "init", "door", "--languages", "en,zh", *twice, "--yes")
    assert told.status == 2
    assert f"{option}: given 2 times ('make a key', 'order a desk')" in told.err
    assert not (tmp_path / "door").exists()


async def test_it_asks_in_the_terminal_and_says_what_is_next(tmp_path: Path) -> None:
    answers = "klingon\nzh\n小王\n\n预约换轮胎\n".encode()
    told = await ended(tmp_path, "init", "garage", given=answers, TZ="Asia/Tokyo")
    assert told.status == 0, told.err
    assert "should be some of zh, en" in told.out
    assert "时区 [Asia/Tokyo]" in told.out
    assert told.out.splitlines()[-1].endswith("预约换轮胎")
    assert "timezone: Asia/Tokyo" in (tmp_path / "garage" / "signoff.yaml").read_text("utf-8")
    both = "en,zh\nAda\n\norder vaccines\n订购疫苗\n".encode()
    asked = await ended(tmp_path, "init", "clinic", given=both, TZ="Asia/Tokyo")
    assert "The same in 中文 [order vaccines]: " in asked.out
    main = (tmp_path / "clinic/playbooks/order-vaccines/playbook.yaml").read_text("utf-8")
    assert "name: {en: Order vaccines, zh: 订购疫苗}" in main
    # A sample is complete: nothing is asked, and the time zone that was taken is told.
    sample = await ended(tmp_path, "init", "stand", "--from", "cookbook/case", TZ="Asia/Tokyo")
    assert sample.status == 0, sample.err
    assert sample.out.splitlines()[-1].startswith("Its days are those of Asia/Tokyo")
    assert "timezone: Asia/Tokyo" in (tmp_path / "stand" / "signoff.yaml").read_text("utf-8")
    cut = await ended(tmp_path, "init", "school", given=b"en\n")
    assert (cut.status, cut.err) == (2, "init: the input ended; with --yes nothing is asked\n")
    assert not (tmp_path / "school").exists()
    for command in ("run", "test"):
        nowhere = await ended(tmp_path, command)
        assert nowhere.status == 2
        assert nowhere.err.startswith("there is no project folder here: `signoff init my-bot` ")


@pytest.mark.parametrize(("tz", "zone"), [("Asia/Tokyo", "Asia/Tokyo"), ("<x>-3", "UTC")])
def test_the_zone_of_the_machine_is_one_that_has_a_name(
    tz: str, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", tz)
    assert machine_zone() == zone
