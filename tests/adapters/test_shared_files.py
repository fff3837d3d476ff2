"""Where shared files are kept, and under which names."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

from adapters.files import SHARED, ProjectFiles, folder_of
from adapters.inbox_files import FileLimits, SharedFiles, safe_name, shown_name
from adapters.reader_process import FileReader
from engine.errors import Forbidden
from engine.events import SharedFile
from engine.ports.library import FileScope
from tests.fakes import file_makers as made
from tests.fakes.late_clock import LateClock
from tests.fakes.tables import table

PROJECT, HERE, THERE = "MATTER-7", "slack:T:C:1", "slack:T:C:2"


class Source:
    """Hands out what it was given, by id."""

    def __init__(self, **files: bytes) -> None:
        self._files = files

    async def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        if file.id not in self._files:
            raise Forbidden("not yours")
        yield self._files[file.id]


def taking(
    root: Path,
    *,
    kinds: tuple[str, ...] = ("csv", "pdf"),
    ahead_s: float = 0.0,
    **files: bytes,
) -> SharedFiles:
    limits = FileLimits(most_mb=1, kinds=kinds)
    return SharedFiles(root, {"slack": Source(**files)}, FileReader(), limits, LateClock(ahead_s))


def shared(id: str, name: str) -> SharedFile:
    return SharedFile(platform="slack", id=id, name=name)


async def test_a_shared_file_is_there_for_its_conversation_alone(tmp_path: Path) -> None:
    taken = await taking(tmp_path, a=b"x,y\n1,2\n").take(PROJECT, HERE, [shared("a", "a.csv")])
    assert [(file.name, file.problem) for file in taken] == [("a.csv", "")]
    files = ProjectFiles(tmp_path)
    assert [info.name for info in await files.infos(FileScope(PROJECT, HERE))] == ["a.csv"]
    assert await files.read(FileScope(PROJECT, HERE), "a.csv") == b"x,y\n1,2\n"
    for project, conversation in ((PROJECT, THERE), (PROJECT, ""), ("OTHER", HERE)):
        assert await files.infos(FileScope(project, conversation)) == []
        assert await files.read(FileScope(project, conversation), "a.csv") is None
        assert await files.extract(FileScope(project, conversation), "a.csv") is None


async def test_it_never_stands_in_for_a_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / PROJECT).mkdir()
    (tmp_path / PROJECT / "a.csv").write_bytes(b"ours\n")
    (taken,) = await taking(tmp_path, a=b"theirs\n").take(PROJECT, HERE, [shared("a", "a.csv")])
    assert taken.name == "a-2.csv"
    assert await ProjectFiles(tmp_path).read(FileScope(PROJECT, HERE), "a.csv") == b"ours\n"


async def test_the_same_again_is_kept_once(tmp_path: Path) -> None:
    again = taking(tmp_path, a=b"one\n", b=b"two\n")
    names = []
    for id in ("a", "b", "a", "b"):
        (taken,) = await again.take(PROJECT, HERE, [shared(id, "a.csv")])
        names.append(taken.name)
    assert names == ["a.csv", "a-2.csv", "a.csv", "a-2.csv"]
    kept = tmp_path / PROJECT / SHARED / folder_of(HERE)
    assert sorted(os.listdir(kept)) == ["a-2.csv", "a.csv"]


async def test_a_kind_that_is_not_wanted_here_is_not_kept(tmp_path: Path) -> None:
    some = taking(tmp_path, kinds=("pdf",), a=b"x,y\n", b=made.pdf())
    taken = await some.take(PROJECT, HERE, [shared("a", "a.csv"), shared("b", "b.pdf")])
    assert [(file.name, file.problem) for file in taken] == [("", "kind"), ("b.pdf", "")]


async def test_who_may_not_have_it_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    (taken,) = await taking(tmp_path).take(PROJECT, HERE, [shared("gone", "a.csv")])
    assert taken.problem == "denied"
    assert os.listdir(tmp_path / PROJECT / SHARED / folder_of(HERE)) == []


async def test_what_a_dead_worker_left_is_taken_away_after_a_day(tmp_path: Path) -> None:
    folder = tmp_path / PROJECT / SHARED / folder_of(HERE)
    folder.mkdir(parents=True)
    (folder / ".incoming-left").touch()
    await taking(tmp_path, ahead_s=86_000).take(PROJECT, HERE, [])
    assert os.listdir(folder) == [".incoming-left"]
    await taking(tmp_path, ahead_s=86_460).take(PROJECT, HERE, [])
    assert os.listdir(folder) == []


async def test_a_project_whose_name_is_a_path_has_no_folder(tmp_path: Path) -> None:
    (taken,) = await taking(tmp_path, a=b"x\n").take("../x", HERE, [shared("a", "a.csv")])
    assert taken.problem == "away"
    assert os.listdir(tmp_path) == []


@table(
    ("sent", "shown", "kept"),
    [
        ("a.csv", "a.csv", "a.csv"),
        ("../../etc/passwd", "passwd", "passwd.csv"),
        ("C:\\Users\\x\\a.csv", "a.csv", "a.csv"),
        ("证据 (1).csv", "证据 (1).csv", "证据_1_.csv"),
        (".hidden", ".hidden", "hidden.csv"),
        ("..", "..", "file.csv"),
        ("", "file", "file.csv"),
        ("a\u202evsc.exe\n\x00.csv", "a vsc.exe .csv", "a_vsc.exe_.csv"),
        ("x.pdf", "x.pdf", "x.pdf.csv"),
        ("-rf.csv", "-rf.csv", "rf.csv"),
        ("字" * 300, "字" * 100, "字" * 40 + ".csv"),
    ],
)
def test_names_are_data(sent: str, shown: str, kept: str) -> None:
    assert shown_name(shared("a", sent)) == shown
    assert safe_name(shown, "csv") == kept
