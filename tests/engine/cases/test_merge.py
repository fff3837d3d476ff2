"""Letters of runs, in any order and repeated: no change of a case is lost, and none is doubled."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cases.merge import merge_rows, take_letter
from engine.frames.case import (
    CaseAnswer,
    CaseAuthor,
    CaseChange,
    CaseDocument,
    CaseLetter,
    CaseName,
    CaseRows,
    CaseRun,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
NAME = CaseName(project="DEPOT", playbook="orders", of="order", key="O-1")


def rows(*texts: str) -> CaseRows:
    """`a1` is the row with the name a that says 1."""
    return tuple({"name": text[0], "says": text[1:]} for text in texts)


@pytest.mark.parametrize(
    ("was", "mine", "theirs", "merged"),
    [
        ([], ["a1"], ["b1"], ["b1", "a1"]),
        (["a1"], ["a1", "b1"], ["a1", "c1"], ["a1", "c1", "b1"]),
        (["a1"], ["a2"], ["a1", "b1"], ["a2", "b1"]),
        (["a1"], ["a1"], ["a2"], ["a2"]),
        (["a1"], ["a2"], ["a2"], ["a2"]),
        (["a1", "b1"], ["b1"], ["a1", "b2"], ["b2"]),
        (["a1"], [], [], []),
        (["a1"], ["a2"], ["a3"], None),
        (["a1"], ["a2"], [], None),
        (["a1"], [], ["a2"], None),
        ([], ["a1"], ["a2"], None),
    ],
)
def test_rows_of_a_name_merge(
    was: list[str], mine: list[str], theirs: list[str], merged: list[str] | None
) -> None:
    found = merge_rows(rows(*was), rows(*mine), rows(*theirs), "name")
    assert found == (None if merged is None else rows(*merged))


@pytest.mark.parametrize("column", ["", "name", "unknown"])
def test_rows_that_nothing_tells_apart_are_all_there(column: str) -> None:
    twice = rows("a1", "a1")
    assert merge_rows((), twice, rows("b1"), column) == rows("b1", "a1", "a1")
    assert merge_rows(twice, rows("a1"), (*twice, *rows("c1")), column) == rows("a1", "c1")


@dataclass
class Author:
    """A run as far as its case sees it: what it wants there, knows of it, and has not heard yet."""

    name: str
    letters: int = 0
    known: int = 0
    version: int = 0
    list_version: int = 0
    was: CaseRows = ()
    list: CaseRows = ()
    waits: CaseLetter | None = None
    story: str = ""

    def write(self, number: int) -> CaseLetter:
        """Its next letter: it goes on with the story that it knows, and adds a row of its own."""
        row = {"name": f"{self.name}{number}"}
        self.list = (*self.list, row)
        self.letters += 1
        self.story += f"{self.name}{number} "
        changes = {
            "rows": CaseChange(value=self.list, base=self.list_version, was=self.was, row="name"),
            "story": CaseChange(value=self.story, base=self.version),
        }
        run = CaseRun(id=self.name, name="order", requester="ana", conversation="x", started_at=NOW)
        self.waits = CaseLetter(
            case=NAME,
            run=run,
            number=self.letters,
            known=self.known,
            changes=changes,
            author=CaseAuthor(by="ana", run=self.name, at=NOW),
        )
        return self.waits

    def read(self, answer: CaseAnswer) -> bool:
        """Take the answer; whether the case has taken its part of the story."""
        self.waits = None
        self.known = answer.version
        listed, story = answer.leaves["rows"], answer.leaves["story"]
        assert isinstance(listed.value, tuple)
        self.list = self.was = listed.value
        self.list_version, self.version = listed.version, story.version
        self.story = str(story.value)
        return "story" not in answer.conflicts


@given(st.data())
def test_whatever_comes_late_or_twice_every_change_is_there_once(data: st.DataObject) -> None:
    authors = [Author(name) for name in "abc"]
    document: CaseDocument | None = None
    sent: list[CaseLetter] = []
    written = taken = 0
    for step in range(data.draw(st.integers(1, 20))):
        author = data.draw(st.sampled_from(authors))
        if author.waits is None:
            sent.append(author.write(step))
            written += 1
        letter = data.draw(st.sampled_from(sent))
        document, answer = take_letter(document, letter)
        if answer.repeated:
            continue
        reader = next(each for each in authors if each.name == letter.run.id)
        taken += reader.read(answer)
    for author in authors:
        if author.waits is not None:
            document, answer = take_letter(document, author.waits)
            taken += author.read(answer)
    assert document is not None
    listed = document.values["rows"]
    assert isinstance(listed, tuple)
    names = [row["name"] for row in listed]
    assert len(names) == len(set(names)) == written
    assert len(str(document.values["story"]).split()) == taken
