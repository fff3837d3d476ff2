"""What a letter changes in a case, and what the run is answered: no change lost, none doubled."""

import json
from collections.abc import Sequence
from typing import Any

from engine.frames.case import (
    MAX_RUNS,
    CaseAnswer,
    CaseChange,
    CaseDocument,
    CaseLeaf,
    CaseLetter,
    CaseRows,
    CaseRun,
    CaseValue,
)

_MAX_DECISIONS = 200
_MAX_FILES = 1000
_MAX_HEARD = 500


def take_letter(
    document: CaseDocument | None, letter: CaseLetter
) -> tuple[CaseDocument, CaseAnswer]:
    """The case after the letter, and its answer; one that was taken before changes nothing."""
    before = document or CaseDocument(name=letter.case)
    if _is_repeated(before, letter):
        return before, _answer(before, letter, (), repeated=True)
    version = before.version + 1
    leaves, conflicts = dict(before.leaves), []
    for path, change in letter.changes.items():
        leaf = before.leaves.get(path)
        value, is_conflict = _merge(leaf, change)
        if is_conflict:
            conflicts.append(path)
        elif leaf is None or leaf.value != value:
            leaves[path] = CaseLeaf(value=value, version=version, author=letter.author)
    shared = letter.files if letter.is_shared else ()
    after = before.model_copy(
        update={
            "version": version,
            "leaves": leaves,
            "files": tuple(dict.fromkeys((*before.files, *letter.files)))[-_MAX_FILES:],
            "shared": tuple(dict.fromkeys((*before.shared, *shared)))[-_MAX_FILES:],
            "decided": (*before.decided, *letter.decided)[-_MAX_DECISIONS:],
            **_note_sender(before, letter),
            "places": {**letter.places, **before.places},
        }
    )
    return after, _answer(after, letter, tuple(conflicts))


def _is_repeated(document: CaseDocument, letter: CaseLetter) -> bool:
    if letter.run is None:
        return letter.key in document.heard
    return letter.number <= document.taken.get(letter.run.id, 0)


def _note_sender(document: CaseDocument, letter: CaseLetter) -> dict[str, Any]:
    """What the case remembers of who wrote, so that a repeat is known."""
    if letter.run is None:
        return {"heard": (*document.heard, letter.key)[-_MAX_HEARD:]}
    runs = _with_run(document.runs, letter.run)
    kept = {run.id for run in runs}
    taken = {run: number for run, number in document.taken.items() if run in kept}
    return {"runs": runs, "taken": {**taken, letter.run.id: letter.number}}


def _answer(
    document: CaseDocument,
    letter: CaseLetter,
    conflicts: tuple[str, ...],
    *,
    repeated: bool = False,
) -> CaseAnswer:
    """All that is newer than what the run knew, and what stands where it was refused."""
    told = {
        path: leaf
        for path, leaf in document.leaves.items()
        if leaf.version > letter.known or path in letter.changes
    }
    return CaseAnswer(
        number=letter.number,
        version=document.version,
        leaves=told,
        conflicts=conflicts,
        files=document.files,
        places=document.places,
        repeated=repeated,
    )


def _with_run(runs: tuple[CaseRun, ...], run: CaseRun) -> tuple[CaseRun, ...]:
    """The runs with this one as it is now, where it stood; the oldest ended ones go first."""
    if any(each.id == run.id for each in runs):
        return tuple(run if each.id == run.id else each for each in runs)
    more = (*runs, run)
    spare = len(more) - MAX_RUNS
    ended = [each.id for each in more if each.end][: max(0, spare)]
    return tuple(each for each in more if each.id not in ended)


def _merge(leaf: CaseLeaf | None, change: CaseChange) -> tuple[CaseValue | None, bool]:
    """What stands there after the change, and whether that is for a person to decide."""
    if leaf is None or change.forced or leaf.version <= change.base or leaf.value == change.value:
        return change.value, False
    theirs, mine = leaf.value, change.value
    if isinstance(theirs, tuple) and isinstance(mine, tuple):
        merged = merge_rows(change.was or (), mine, theirs, change.row)
        return (theirs, True) if merged is None else (merged, False)
    return theirs, True


def merge_rows(was: CaseRows, mine: CaseRows, theirs: CaseRows, column: str) -> CaseRows | None:
    """Both changes of a list together, in the order of `theirs`; None where they do not agree.

    Rows are told apart by `column`, or by all of their columns where it is "" or does not tell.
    """
    old, ours, others = (_by_name(rows, column) for rows in (was, mine, theirs))
    if old is None or ours is None or others is None:
        return merge_rows(was, mine, theirs, "")
    merged = dict(others)
    for name in dict.fromkeys((*old, *ours)):
        before, own, other = old.get(name), ours.get(name), others.get(name)
        if own in (before, other):
            # Unchanged here, or changed alike.
            continue
        if other != before:
            return None
        if own is None:
            del merged[name]
        else:
            merged[name] = own
    return tuple(merged.values())


def _by_name(rows: CaseRows, column: str) -> dict[str, dict[str, Any]] | None:
    """The rows by what tells them apart; None where the column does not."""
    if not column:
        return _by_content(rows)
    names = [json.dumps(row.get(column), ensure_ascii=False, sort_keys=True) for row in rows]
    known = all(row.get(column) is not None for row in rows) and len(set(names)) == len(names)
    return dict(zip(names, rows, strict=True)) if known else None


def _by_content(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows by all of their columns; rows that are alike are counted."""
    counts: dict[str, int] = {}
    named: dict[str, dict[str, Any]] = {}
    for row in rows:
        text = json.dumps(row, ensure_ascii=False, sort_keys=True)
        counts[text] = counts.get(text, 0) + 1
        named[f"{counts[text]} {text}"] = row
    return named
