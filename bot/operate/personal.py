"""`signoff people export` and `erase`: what is kept of a person, for who may ask for it."""

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters.filesystem import read_text
from bot.operate.aside import operator
from bot.operate.people import report_unknown_person
from bot.operate.people_file import READ_AGAIN, write_people
from bot.operate.validation import find_problems
from bot.people.directory import Directory, load_people
from bot.people.edit import remove_person
from bot.people.file import Person
from bot.personal.cancel import cancel_run
from bot.personal.erase import Eraser, Erasure, ErasureResult
from bot.personal.export import collect, find_files, write_export
from bot.personal.marks import PersonMarks, Survey
from bot.personal.sweep import survey
from bot.settings import Settings
from bot.wiring.clock import open_clock
from bot.wiring.people import PersonalData, open_personal_data

ACCOUNT: Final = re.compile(r"[a-z]+:[^\s:]+(:[^\s:]+)?")


@dataclass(frozen=True, slots=True)
class PersonQuery:
    """Whom it is about: an id of people.yaml or an account, and by what else they are known."""

    person: str
    accounts: Sequence[str] = ()
    names: Sequence[str] = ()

    def marks(self, listed: Person | None, people: Directory) -> PersonMarks | None:
        """What names them; None where nothing is known of the person."""
        ids, names = {self.person, *self.accounts}, set(self.names)
        if listed is not None:
            ids |= set(people.accounts_of(listed))
            names |= {listed.name, listed.email} - {""}
        elif not (self.accounts or ACCOUNT.fullmatch(self.person)):
            return None
        # With their workspace in front, and without it.
        users = {each.partition(":")[2] for each in ids if ":" in each}
        users |= {each.rpartition(":")[2] for each in users}
        return PersonMarks(ids=frozenset(ids), users=frozenset(users), names=frozenset(names))


async def export_person(settings: Settings, query: PersonQuery, *, to: Path | None) -> int:
    """Write all that is kept of the person into a new folder; 1 for nobody of that id."""
    people = load_people(settings.people, settings.accounts)
    listed = _find(people, query.person)
    marks = query.marks(listed, people)
    if marks is None:
        return report_unknown_person(people, query.person)
    folder = to or Path(f"{re.sub(r'[^A-Za-z0-9-]+', '-', query.person)}-data")
    if folder.exists():
        print(f"{folder}: is there already; name another folder with --to", file=sys.stderr)
        return 1
    async with open_personal_data(settings) as data:
        found = await survey(data.records, marks, settings.accounts)
        document = {
            "person": query.person,
            "at": open_clock(settings).now().isoformat(),
            "people.yaml": listed.model_dump(mode="json") if listed else None,
            **await collect(data.records, found),
        }
        files = await find_files(data.files, found)
        document["files"] = [
            {"project": f.project, "name": f.name, "at": f.at.isoformat()} for f in files
        ]
        for path in write_export(folder, document, files):
            print(path)
    return 0


async def erase_person(settings: Settings, query: PersonQuery, *, yes: bool, cancel: bool) -> int:
    """Erase the person; 1 where something keeps it from being done, or nobody is known so."""
    people = load_people(settings.people, settings.accounts)
    async with open_personal_data(settings) as data:
        eraser = Eraser(data.records, data.erasures, data.files, settings.accounts)
        digest = await data.erasures.digest(query.person)
        name, before = await eraser.find(query.person, digest)
        marks = _all_marks(query, people, before)
        if marks is None:
            return report_unknown_person(people, query.person)
        known = before.evidence if before else None
        found = await survey(data.records, marks, settings.accounts, known)
        faults = _faults(query.person, people, found, cancel=cancel)
        if faults := [*faults, *_role_faults(settings, people, query.person)]:
            print(*faults, sep="\n", file=sys.stderr)
            return 1
        if not yes and not _is_confirmed(query.person):
            print("nothing was erased", file=sys.stderr)
            return 1
        now = open_clock(settings).now()
        name = await eraser.begin(digest, found, now, name)
        _take_out(settings, people, query.person)
        if not await _cancel_all(data, found, settings):
            return 1
        await data.sign_out(query.person)
        # Cancelled runs have more to erase than those that went on.
        found = await survey(data.records, found.marks, settings.accounts, found.evidence)
        result = await eraser.erase(name, found, now, digest)
    return _tell(query.person, result)


def _find(people: Directory, person: str) -> Person | None:
    return next((each for each in people.people if each.id == person), None)


def _all_marks(query: PersonQuery, people: Directory, before: Erasure | None) -> PersonMarks | None:
    """Also those of an erasing that was begun; who was erased before is known by the id alone."""
    marks = query.marks(_find(people, query.person), people)
    if before is None:
        return marks
    alone = PersonMarks(ids=frozenset({query.person}))
    known = before.evidence.marks if before.evidence else alone
    return known.joined(marks or PersonMarks(names=frozenset(query.names)))


def _faults(person: str, people: Directory, found: Survey, *, cancel: bool) -> list[str]:
    """Why it cannot be done now, and what to do."""
    lines = []
    for each in people.people:
        stands_in = each.delegate.person if each.delegate else ""
        for key, other in (("delegate", stands_in), ("manager", each.manager)):
            if other == person and each.id != person:
                lines.append(f"people.yaml: {each.id}: {key} is {person}; name somebody else first")
    live = sorted(run for run, ended in found.runs.items() if not ended)
    if live and not cancel:
        lines.append(
            f"{person}: {len(live)} requests go on: {', '.join(live)}; finish them, or cancel them"
            " with --cancel"
        )
    if found.unhandled:
        lines.append(
            f"{person}: {found.unhandled} messages or changes of theirs are not handled yet; start"
            " a worker, then run this again"
        )
    return lines


def _role_faults(settings: Settings, people: Directory, person: str) -> list[str]:
    """What would keep processes from starting once the person is out of people.yaml."""
    if _find(people, person) is None or not settings.playbooks.is_dir():
        return []
    before = set(find_problems(settings, with_tests=False))
    with tempfile.TemporaryDirectory() as folder:
        without = Path(folder) / settings.people.name
        without.write_text(remove_person(read_text(settings.people), person), "utf-8")
        changed = settings.model_copy(update={"people": without})
        after = find_problems(changed, with_tests=False)
    told = [line for line in after if line not in before]
    return [f"without {person} no process would start: {line}" for line in told]


def _is_confirmed(person: str) -> bool:
    told = f"This cannot be taken back. Type {person} to erase what is kept of them: "
    print(told, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip() == person


def _take_out(settings: Settings, people: Directory, person: str) -> None:
    if _find(people, person) is None:
        return
    text = remove_person(read_text(settings.people), person)
    write_people(settings.people, text, settings.accounts)
    print(f"{settings.people}: {person} is taken out, comments are left; {READ_AGAIN}")


async def _cancel_all(data: PersonalData, found: Survey, settings: Settings) -> bool:
    for run, ended in found.runs.items():
        if ended:
            continue
        if not await cancel_run(data.decisions, run, operator(), open_clock(settings)):
            print(f"{run}: changes all the time; run this again", file=sys.stderr)
            return False
    return True


def _tell(person: str, result: ErasureResult) -> int:
    for kind, count in sorted(result.changed.items()):
        # The mark that this command itself leaves when it signs the person out.
        if kind == "login_era":
            continue
        print(f"{kind}: {count}")
    print(f"files: {result.files}")
    for card, run in sorted(result.survey.waiting.items()):
        print(
            f"card {card} of run {run or '-'} waited for {person} alone: give its seat to somebody"
            " on the run's page"
        )
    if result.left:
        print(
            f"{person}: {result.left} records were in use or on their way; run this again to"
            " finish",
            file=sys.stderr,
        )
        return 1
    if names := sorted(result.survey.named_in):
        print(
            f"requests and cards of others that go on name them in their texts: {', '.join(names)};"
            " run this again after their end, with --name"
        )
    print(f"{person}: erased; what has to stay names {result.pseudonym}")
    return 0
