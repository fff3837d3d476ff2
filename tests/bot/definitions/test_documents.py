from pathlib import Path

import pytest

from bot.definitions.documents import MAX_SECTIONS, load_documents
from engine.errors import DefinitionError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "guides" / "documents"
    folder.mkdir(parents=True)
    return folder


def test_a_document_is_a_title_and_sections(folder: Path) -> None:
    text = (
        "\ufeff# House rules #\n\nBefore all.\n\n## 1 Doors & keys\n\nShut\nthem.\n\nLock them.\n"
    )
    (folder / "house.en.md").write_text(text, "utf-8")
    (folder / "notes.txt").write_text("not a document")
    (document,) = load_documents(folder.parents[1], {"guides": "P", "absent": "P"})
    assert (document.project, document.playbook, document.title) == ("P", "guides", "House rules")
    before, doors = document.sections
    assert (before.heading, before.paragraphs) == ("", ("Before all.",))
    assert (doors.heading, doors.paragraphs) == ("1 Doors & keys", ("Shut them.", "Lock them."))
    assert document.link(doors) == "documents/guides/house.en.md#1-Doors-%26-keys"
    assert document.link(before) == "documents/guides/house.en.md"


def test_a_long_section_is_quoted_in_pieces(folder: Path) -> None:
    paragraphs = [letter * 300 for letter in "abcd"]
    (folder / "long.md").write_text("# T\n## S\n" + "\n\n".join(paragraphs))
    (document,) = load_documents(folder.parents[1], {"guides": "P"})
    pieces = list(document.sections[0].passages())
    assert [len(piece) for piece in pieces] == [601, 601]
    assert "\n".join(pieces).split("\n") == paragraphs


def test_every_faulty_document_is_told_with_its_place(folder: Path) -> None:
    (folder / "a.md").write_text("no title\n")
    (folder / "b.md").write_bytes(b"# \xff\n")
    (folder / "c.md").write_text("# T\n" + "x" * 1_000_001)
    (folder / "d.md").mkdir()
    with pytest.raises(DefinitionError) as caught:
        load_documents(folder.parents[1], {"guides": "P"})
    assert [line.replace(str(folder), "") for line in caught.value.problems] == [
        "/a.md:1: should begin with a line '# TITLE'",
        "/b.md:1: is not UTF-8 text",
        "/c.md:1: is longer than 1000000 characters",
        "/d.md:1: cannot be read: Is a directory",
    ]


def test_more_sections_than_are_searched_are_told(folder: Path) -> None:
    for name in ("a.md", "b.md"):
        sections = "".join(f"## {n}\n\nx\n\n" for n in range(MAX_SECTIONS // 2 + 1))
        (folder / name).write_text(f"# T\n\n{sections}")
    with pytest.raises(DefinitionError, match=f"documents of P have {MAX_SECTIONS + 2} sections"):
        load_documents(folder.parents[1], {"guides": "P"})
