"""What a developer sees of the router: `signoff route`, `lint-examples`, and faulty files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.operate.routing import show_routes
from tests.bot.signoff_process import FILES, PLAYBOOKS, ended
from tests.conftest import ROOT
from tests.fakes.settings import make_settings

Change = Callable[[str], str]
KEYS = {"text", "intents"}
INTENT = {
    "kind",
    "text",
    "playbook",
    "request",
    "condition",
    "depends_on",
    "confidence",
    "sure",
} | {
    "lookups",
    "offers",
    "read",
    "why",
}
KINDS = {"qa_query", "workflow", "command", "card_reply", "smalltalk", "unclear"}

CONDITION = "查一下 P003 的 ECOG,如果大于 1 就录入今天的访视"
LINES = (
    ("", b""),
    ("   ", b"   "),
    ("你好", "你好".encode()),
    ("录入P009的体温37.1", "录入P009的体温37.1".encode()),
    (CONDITION, CONDITION.encode()),
    ("起草一份民事起诉状", "起草一份民事起诉状\r".encode()),
    ("👍🏽🎉", "👍🏽🎉".encode()),
    ("\ufffd\ufffd P003 \ufffd", b"\xff\xfe P003 \xe4\xb8"),
    ("\u2028P003\x85的\x0b体重\x00", "\u2028P003\x85的\x0b体重\x00".encode()),
    ("录入" * 50_000, ("录入" * 50_000).encode()),
    ("/cancel", b"/cancel"),
    ('{"text": "x"}', b'{"text": "x"}'),
    ("P003 的 ECOG", "P003 的 ECOG".encode()),
)


async def test_each_line_of_the_input_is_one_line_of_json(tmp_path: Path) -> None:
    given = b"\n".join(raw for _, raw in LINES)
    strict = {"LANG": "POSIX", "PYTHONIOENCODING": "utf-8:strict"}
    answer = await ended(tmp_path, "route", "--json", "-", given=given, **FILES, **strict)
    assert (answer.status, answer.err) == (0, "")
    routed = [json.loads(line) for line in answer.out.splitlines()]
    assert [one["text"] for one in routed] == [text for text, _ in LINES]
    for one in routed:
        assert set(one) == KEYS
        assert one["intents"]
        for number, intent in enumerate(one["intents"]):
            assert set(intent) == INTENT
            assert intent["kind"] in KINDS
            assert isinstance(intent["sure"], bool)
            assert 0 <= intent["confidence"] <= 1
            assert all(0 <= index < number for index in intent["depends_on"])
            assert intent["why"]
            assert intent["text"] in one["text"]
    by_text = {one["text"]: one["intents"] for one in routed}
    (unclear,) = by_text["录入P009的体温37.1"]
    assert not unclear["sure"]
    asked, work = by_text[CONDITION]
    assert (asked["kind"], work["kind"], work["depends_on"]) == ("qa_query", "workflow", [0])
    assert (work["request"], work["condition"]) == ("visit-entry", "如果大于 1")
    assert {"as": "hang", "text": "如果"} in work["read"]
    (complaint,) = by_text["起草一份民事起诉状"]
    assert complaint["playbook"] == "litigation_civil_prosecution"
    assert [i["kind"] for i in by_text["/cancel"]] == ["command"]


async def test_without_json_it_is_explained_in_words(tmp_path: Path) -> None:
    given = f"{CONDITION}\n录入P009的体温37.1\n".encode()
    answer = await ended(tmp_path, "route", "-", given=given, **FILES)
    assert (answer.status, answer.err) == (0, "")
    first, _, second, *_ = answer.out.splitlines()
    assert first == "1. qa_query: 查一下 P003 的 ECOG"
    assert second.startswith("2. workflow clinical_qc/visit-entry")
    assert "if: 如果大于 1" in answer.out
    assert "after: 1" in answer.out
    assert "1. unclear  (not sure): 录入P009的体温37.1" in answer.out
    (meant,) = (line for line in answer.out.splitlines() if "may mean: " in line)
    assert "clinical_qc/data-correction" in meant


async def test_a_folder_may_be_named_behind_the_message(tmp_path: Path) -> None:
    folder, said = ROOT / "examples" / "leave", "I want to take leave from 1 to 5 February"
    named = await ended(tmp_path, "route", said, str(folder))
    assert named.status == 0, named.err
    assert named.out.startswith(f"1. workflow leave/take: {said}")
    inside = await ended(folder, "route", said)
    assert inside.out == named.out
    none = await ended(tmp_path, "route", said, str(tmp_path))
    assert (none.status, none.out) == (2, "")
    assert none.err.endswith("is no project folder: there is no signoff.yaml in it\n")


async def test_the_examples_of_a_named_folder_are_looked_at(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "leave"
    named = await ended(tmp_path, "lint-examples", str(folder), "--only", "leave")
    inside = await ended(folder, "lint-examples", "--only", "leave")
    assert named.status == 0, named.err
    assert (named.out, named.err) == (inside.out, inside.err)
    assert "examples look like another route" in named.out


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """A copy of the shipped playbooks that a test may change."""
    return Path(shutil.copytree(PLAYBOOKS, tmp_path / "playbooks"))


def files(playbooks: Path) -> dict[str, str]:
    return {
        "SIGNOFF_PLAYBOOKS": str(playbooks),
        "SIGNOFF_PEOPLE": str(playbooks / "people.yaml"),
    }


LATER = """\
id: later
name: {zh: 以后, en: Later}
project: X-1
cues: [起草, draft]
requests:
  - id: letter
    name: {zh: 起草信件, en: Draft a letter}
    not_yet: true
    examples: [起草一封信, 帮我起草信件, draft a letter, please draft a letter]
phases: []
"""
TALK = """\
smalltalk: [你好, 谢谢, hello, thank you]
questions: [现在几点, 今天有谁在, what time is it, who is in today]
statements: [我明天休假, 会议改期了, I am off tomorrow, the meeting was moved]
elsewhere: [订一张机票, 播放音乐, book a flight, play some music]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Playbooks of which none can do anything so far."""
    folder = tmp_path / "small"
    (folder / "later").mkdir(parents=True)
    (folder / "later" / "playbook.yaml").write_text(LATER, "utf-8")
    (folder / "talk.yaml").write_text(TALK, "utf-8")
    shutil.copy(PLAYBOOKS / "people.yaml", folder)
    return folder


LISTED = """\
list_rooms:
  description: Rooms
  reads: {connection: house}
  for_questions: false
  result: many
  columns: {no: {label: {zh: 房间, en: Room}}}
"""


async def test_lists_of_names_are_not_read_and_that_is_said(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small / "rooms.csv").write_text("no\nR-1\n", "utf-8")
    (small / "connections.yaml").write_text("house: {kind: sheet, file: rooms.csv}\n", "utf-8")
    (small / "later" / "tools.yaml").write_text(LISTED, "utf-8")
    with (small / "later" / "playbook.yaml").open("a", encoding="utf-8") as file:
        file.write("entities: {room: {name: {zh: 房间, en: Room}, tool: list_rooms, id: no}}\n")
    settings = make_settings(
        playbooks=small, people=small / "people.yaml", connections=small / "connections.yaml"
    )
    assert await show_routes(settings, "draft a letter", as_json=True) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["intents"]
    assert said.err == "lists of names are not read here: later: room (list_rooms)\n"


async def test_an_example_under_two_routes_fails_the_check(tmp_path: Path, small: Path) -> None:
    shipped = await ended(tmp_path, "lint-examples", **files(small))
    assert shipped.status == 0
    assert shipped.out.splitlines()[-1].endswith(" 0 of them stand under two")
    talk = small / "talk.yaml"
    talk.write_text(talk.read_text("utf-8").replace("播放音乐", "起草一封信"), "utf-8")
    twice = await ended(tmp_path, "lint-examples", **files(small))
    assert twice.status == 1
    assert "'起草一封信' looks like later/letter: stands there too" in twice.out
    assert twice.out.splitlines()[-1].endswith(" 1 of them stand under two")


async def test_examples_are_listed_of_one_request_and_those_of_the_folder_come_first(
    tmp_path: Path, small: Path
) -> None:
    (small / "talk.yaml").unlink()
    shipped = await ended(tmp_path, "route", "你好", **files(small))
    assert shipped.out.startswith("1. smalltalk")
    path = small / "later" / "playbook.yaml"
    path.write_text(path.read_text("utf-8").replace("起草一封信", "你好"), "utf-8")
    twice = await ended(tmp_path, "lint-examples", **files(small))
    assert twice.status == 1
    assert twice.out.startswith("later/letter: '你好' looks like talk/smalltalk: stands there too")
    for only in ("later", "later/letter", "talk/smalltalk"):
        told = await ended(tmp_path, "lint-examples", "--only", only, **files(small))
        assert (told.status, "'你好'" in told.out) == (1, True)
    other = await ended(tmp_path, "lint-examples", "--only", "talk/elsewhere", **files(small))
    assert (other.status, "你好" in other.out) == (0, False)
    for only in ("late", "later/lett", "nothing"):
        none = await ended(tmp_path, "lint-examples", "--only", only, **files(small))
        assert (none.status, none.out) == (2, "")
        assert f"there is no playbook or request '{only}' with examples" in none.err


async def test_examples_that_begin_nothing_by_what_they_say_are_told_with_what_mends_them(
    tmp_path: Path, small: Path
) -> None:
    path = small / "later" / "playbook.yaml"
    bad = "起草一封信, 要是他同意就起草一封信, 'do not draft a letter', 今天天气怎么样"
    path.write_text(path.read_text("utf-8").replace("起草一封信", bad), "utf-8")
    told = await ended(tmp_path, "lint-examples", "--only", "later", **files(small))
    assert told.status == 0, told.err
    for text in ("要是他同意就起草一封信", "do not draft a letter"):
        assert f"later/letter: {text!r} hangs on something, or forbids it" in told.out
    assert "later/letter: '今天天气怎么样' looks like" in told.out
    assert ", as in '" in told.out
    assert "2 examples hang on something, or forbid it" in told.out


DRINKS = """\
id: drinks
name: {zh: 饮料, en: Drinks}
project: X-1
cues: [order]
requests:
  - id: coffee
    name: {zh: 订咖啡, en: Order coffee}
    not_yet: true
    examples: [order a jug of coffee, draft a letter of beers, 咖啡订一壶, 周五要啤酒]
phases: []
"""


async def test_what_is_near_to_other_work_says_which_words_it_shares_and_with_whom(
    tmp_path: Path, small: Path
) -> None:
    (small / "drinks").mkdir()
    (small / "drinks" / "playbook.yaml").write_text(DRINKS, "utf-8")
    told = await ended(tmp_path, "lint-examples", "--only", "drinks", **files(small))
    assert told.status == 0, told.err
    (beers,) = (line for line in told.out.splitlines() if "letter of beers" in line)
    assert "'draft a letter of beers' looks like later: " in beers
    assert "it shares 'draft' of later/letter, 'letter' of later/letter; name what is to" in beers
    assert " -0.00" not in told.out
    # With few examples all of them are near to something.
    whole = await ended(tmp_path, "lint-examples", **files(small))
    assert "letter of beers" not in whole.out
    few = next(each for each in whole.out.splitlines() if each.startswith("drinks/coffee: "))
    assert " of its 4 examples look like another route, " in few
    assert few.endswith("write more; --only drinks/coffee lists them")
    listed = json.loads((await ended(tmp_path, "lint-examples", "--json", **files(small))).out)
    assert "'draft' of later/letter, 'letter' of later/letter" in {one["shares"] for one in listed}


async def test_a_new_folder_has_no_doubtful_examples(tmp_path: Path) -> None:
    both = ("--languages", "en,zh", "--request-also", "给访客配一把钥匙")
    made = await ended(tmp_path, "init", "door", *both, "--request", "make a key", "--yes")
    assert made.status == 0, made.err
    told = await ended(tmp_path / "door", "lint-examples")
    assert (told.status, told.out.splitlines()) == (
        0,
        ["0 examples look like another route, 0 of them stand under two"],
    )


async def test_what_can_do_nothing_yet_needs_no_phases_and_all_else_does(
    tmp_path: Path, small: Path
) -> None:
    loaded = await ended(tmp_path, "route", "起草一封信", **files(small))
    assert (loaded.status, loaded.err) == (0, "")
    assert loaded.out.startswith("1. workflow later/letter")
    path = small / "later" / "playbook.yaml"
    able = LATER.replace("    not_yet: true\n", "")
    path.write_text(able, "utf-8")
    refused = await ended(tmp_path, "validate", str(small), **files(small))
    assert refused.status == 1
    line = able.splitlines().index("phases: []") + 1
    assert f"{path}:{line}: phases: " in refused.out
    (small / "talk.yaml").write_text("x: 1\n", "utf-8")
    stopped = await ended(tmp_path, "route", "x", **files(small))
    assert (stopped.status, stopped.out) == (2, "")
    assert f"{path}:{line}: phases: " in stopped.err
    assert f"{small / 'talk.yaml'}:" in stopped.err


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda text: text.replace("smalltalk:\n", "small:\n", 1), "small"),
        (lambda text: text.replace("  - 您好\n", "  - {a: 1}\n", 1), "{a: 1}"),
        (lambda text: "- 你好\n", "- 你好"),
        (lambda text: text + "\t- x\n", "\t- x"),
    ],
    ids=["unknown key", "not a text", "a list", "no YAML"],
)
async def test_talk_that_is_faulty_is_refused_where_it_stands(
    tmp_path: Path, playbooks: Path, change: Change, where: str
) -> None:
    talk = playbooks / "talk.yaml"
    talk.write_text(change(talk.read_text("utf-8")), "utf-8")
    answer = await ended(tmp_path, "validate", **files(playbooks))
    assert answer.status == 1
    problems = [line for line in answer.out.splitlines() if line.startswith(f"{talk}:")]
    added = [line for line in answer.out.splitlines() if line.startswith("    add: ")]
    assert len(problems) + len(added) == len(answer.out.splitlines())
    lines = [problem.removeprefix(f"{talk}:").split(":")[0] for problem in problems]
    text = talk.read_text("utf-8").splitlines()
    assert any(where in text[int(line) - 1] for line in lines)
