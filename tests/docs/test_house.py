"""The rooms are as docs/rooms.md draws them, and none of them is crowded."""

import re
from collections import Counter
from functools import cache

from tests.docs.reading import ROOT
from tests.docs.rooms import HOUSE, PAGE, crowded, rooms, written

MOST = 15
"""Modules of one folder; a language has one for each topic."""

OF_A_SAMPLE = re.compile(
    r"ecog|clinical|litigation|plaintiff|subject_id|visit_date|systolic|\bcra\b|\bcounsels?\b"
    "|护士|法官|律师|开庭|锁库",
    re.IGNORECASE,
)
"""Words of the sample playbooks; `recognised` holds one of them by chance, and is left out too."""

CODE = frozenset({".py", ".lua", ".js", ".html", ".css", ".yaml", ".json"})

VAGUE = {
    *("told", "said", "shown", "found", "given", "asked", "kept", "held", "seen", "heard", "known"),
    *("named", "listed", "wanted", "begun", "opened", "handed", "edited", "recorded", "judged"),
    *("chosen", "mended", "taken", "spoken"),
}
"""Past participles alone: what was told, to whom, by whom?"""

NOT_RENAMED = ("adapters/knowledge/", "engine/text/wording")
PUBLISHED = frozenset({"Shown", "Wanted"})
"""Schemas of the HTTP API's own document."""


TOP_CLASS = re.compile(r"^class (\w+)")
DEFINED = re.compile(r"^\s*(?:async def|def|class) (\w+)")


@cache
def definitions() -> list[tuple[str, int, str]]:
    """The lines that begin a class or a function, with their files and numbers."""
    return [
        (str(path.relative_to(ROOT)), number, line)
        for top in HOUSE
        for path in sorted((ROOT / top).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if DEFINED.match(line)
    ]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == written(), "run `make reference`"


def test_each_room_says_what_it_is() -> None:
    for top in HOUSE:
        assert [name for name, told in rooms(top).items() if not told.endswith(".")] == []


def test_no_room_is_crowded() -> None:
    assert [each for each in crowded(MOST) if each.parent != ROOT / "cards" / "texts"] == []


def test_no_three_files_share_a_prefix_that_wants_to_be_a_folder() -> None:
    # A tool's module has the tool's name.
    folders = {p.parent for top in HOUSE for p in (ROOT / top).rglob("*.py")}
    for folder in folders - {ROOT / "engine" / "tools" / "files"}:
        prefixes = Counter(p.stem.partition("_")[0] for p in folder.glob("[!_]*.py"))
        assert [each for each, count in prefixes.items() if count > 2] == [], folder


def test_no_word_of_a_sample_stands_in_the_code() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for top in HOUSE
        for path in sorted((ROOT / top).rglob("*"))
        if path.is_file() and path.suffix in CODE
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if OF_A_SAMPLE.search(line)
    ]
    assert found == []


def test_a_class_name_means_one_thing() -> None:
    places = Counter(name for _, _, line in definitions() for name in TOP_CLASS.findall(line))
    assert [name for name, count in places.items() if count > 1] == []


def test_no_name_is_a_participle_alone() -> None:
    found = [
        f"{path}:{number}: {name}"
        for path, number, line in definitions()
        if not path.startswith(NOT_RENAMED)
        for name in DEFINED.findall(line)
        if name.lower() in VAGUE and name not in PUBLISHED
    ]
    assert found == []


def test_no_test_waits_without_saying_for_what() -> None:
    # What a test waits for is said by `within` of tests/fakes/platforms/patience.py.
    waiting = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path.name.startswith(("test_", "conftest"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "asyncio." + "timeout(" in line
    ]
    assert waiting == []
