import os
import resource
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.files import MAX_BYTES, MAX_FILES, ProjectFiles
from engine.errors import ToolFailed
from engine.ports.library import FileScope

PROJECT = "MATTER-7"
SCOPE = FileScope(PROJECT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files" / PROJECT
    folder.mkdir(parents=True)
    (tmp_path / "files" / "OTHER").mkdir()
    (tmp_path / "files" / "OTHER" / "secret.txt").write_text("hush")
    return folder


@pytest.fixture
def files(folder: Path) -> ProjectFiles:
    return ProjectFiles(folder.parent)


async def test_files_are_told_by_name_and_read_whole(folder: Path, files: ProjectFiles) -> None:
    (folder / "notes.md").write_text("你好", "utf-8")
    (folder / "a.csv").write_text("x")
    os.utime(folder / "a.csv", (0, 86_400))
    first, second = await files.infos(SCOPE)
    assert (first.name, first.size_bytes, first.media_type) == ("a.csv", 1, "text/csv")
    assert first.changed_at == datetime(1970, 1, 2, tzinfo=UTC)
    assert (second.name, second.media_type) == ("notes.md", "text/markdown")
    assert await files.read(SCOPE, "notes.md") == "你好".encode()


@pytest.mark.parametrize(
    "name",
    [
        "../OTHER/secret.txt",
        "..",
        ".",
        "",
        "/etc/hostname",
        "sub/inner.txt",
        "sub",
        "./notes.md",
        "NOTES.MD",
        "notes.md\x00",
        "link.txt",
        "pipe",
        ".hidden",
    ],
)
async def test_only_a_file_right_in_the_folder_is_read(
    name: str, folder: Path, files: ProjectFiles
) -> None:
    (folder / "notes.md").write_text("x")
    (folder / "sub").mkdir()
    (folder / "sub" / "inner.txt").write_text("x")
    (folder / "link.txt").symlink_to(folder.parent / "OTHER" / "secret.txt")
    (folder / ".hidden").write_text("x")
    os.mkfifo(folder / "pipe")
    assert await files.read(SCOPE, name) is None
    assert [info.name for info in await files.infos(SCOPE)] == ["notes.md"]


@pytest.mark.parametrize("project", ["", ".", "..", "../files/OTHER", "linked", "absent", "a.txt"])
async def test_a_project_without_a_folder_of_its_own_has_no_files(
    project: str, folder: Path, files: ProjectFiles
) -> None:
    (folder.parent / "linked").symlink_to(folder.parent / "OTHER")
    (folder.parent / "a.txt").write_text("x")
    assert await files.infos(FileScope(project)) == []
    assert await files.read(FileScope(project), "secret.txt") is None


async def test_a_file_of_the_largest_size_is_read_and_no_larger_one(
    folder: Path, files: ProjectFiles
) -> None:
    (folder / "large.txt").write_bytes(b"x" * MAX_BYTES)
    assert len(await files.read(SCOPE, "large.txt") or b"") == MAX_BYTES
    (folder / "large.txt").write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(ToolFailed, match="larger than 5 MiB"):
        await files.read(SCOPE, "large.txt")


async def test_of_very_many_files_the_first_are_told(folder: Path, files: ProjectFiles) -> None:
    for number in range(MAX_FILES + 1):
        (folder / f"{number:05}.txt").touch()
    infos = await files.infos(SCOPE)
    assert (len(infos), infos[-1].name) == (MAX_FILES, f"{MAX_FILES - 1:05}.txt")


async def test_a_folder_that_cannot_be_opened_is_a_failure_and_no_empty_one(
    folder: Path, files: ProjectFiles
) -> None:
    (folder / "notes.md").write_text("x")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # No more files can be opened, by root neither.
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        for attempt in (files.infos(SCOPE), files.read(SCOPE, "notes.md")):
            with pytest.raises(ToolFailed, match="cannot be read at the moment"):
                await attempt
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert await files.read(SCOPE, "notes.md") == b"x"
