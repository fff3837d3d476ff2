"""Tests as they are read from their files, each step with the place where it stands."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import JsonValue

from adapters.filesystem import read_text
from bot.testing.files.model import (
    SYNC,
    Expectation,
    PersonAction,
    ProgramCall,
    RecordChange,
    ScenarioFile,
    ScenarioHead,
    ScenarioSetup,
    StubCase,
)
from bot.testing.files.stub_cases import read_cases
from cards.policy import seconds
from engine.errors import DefinitionError
from engine.playbooks.load import MAIN
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolDefinition
from engine.yaml.faults import Path as YamlPath
from engine.yaml.faults import suggestion
from engine.yaml.source import Problems, Source, read_yaml, try_build

FOLDER = "tests"
PROGRAM = "program"
SYSTEM = "system"
_NOBODY = ("after", PROGRAM, SYSTEM)
_OWN_KEYS = frozenset({*_NOBODY, "expect"})
_NO_EXPECTATION = Expectation()


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """Who does what, or how much time passes; and what is expected then.

    Instead of a person it may be a program (`call`), or the system of record (`change`).
    """

    source: Source
    path: YamlPath
    person: str = ""
    action: PersonAction | None = None
    call: ProgramCall | None = None
    change: RecordChange | None = None
    after_s: int = 0
    expect: Expectation = _NO_EXPECTATION

    @property
    def folder(self) -> Path:
        """Where its file lies."""
        return Path(self.source.file).parent

    @property
    def place(self) -> str:
        """`file:line: path` of the step."""
        return self._place(self.path)

    def expect_place(self, *keys: str | int) -> str:
        """`file:line: path` of what stands under these keys of its `expect`."""
        return self._place((*self.path, "expect", *keys))

    def _place(self, path: YamlPath) -> str:
        return self.source.problem(path, "").removesuffix(": ")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A test: its name, what is given, and its steps."""

    name: str
    playbook: str
    source: Source
    path: YamlPath
    given: ScenarioSetup
    stubs: Mapping[str, tuple[StubCase, ...] | None]
    """Cases of each tool by name; None for one that asks its own system."""
    steps: tuple[ScenarioStep, ...]

    @property
    def place(self) -> str:
        """`file:line` where it begins."""
        return f"{self.source.file}:{self.source.line(self.path)}"


@dataclass(frozen=True, slots=True)
class ScenarioNames:
    """What the names of a test may be: people by id, tools with their definitions, and skills."""

    people: Collection[str]
    tools: Mapping[str, ToolDefinition | None] = field(default_factory=dict)
    skills: Collection[str] = ()


def find_files(playbooks: Path) -> list[tuple[Path, str]]:
    """The files of tests below a folder of playbooks, each with its playbook ("" for all)."""
    own = [(path, "") for path in sorted(playbooks.glob(f"{FOLDER}/*.yaml"))]
    mains = sorted(playbooks.glob(f"*/{FOLDER}/*.yaml"))
    beside = [(path, "") for path in sorted(playbooks.parent.glob(f"{FOLDER}/*.yaml"))]
    is_project = playbooks.name == "playbooks" and (playbooks.parent / "signoff.yaml").exists()
    return [
        *(beside if is_project else ()),
        *own,
        *((path, path.parent.parent.name) for path in mains),
    ]


def read_scenarios(
    playbooks: Path, people: Collection[str], loaded: Mapping[str, Playbook], problems: Problems
) -> list[Scenario]:
    """Every test of the folder; what is wrong with a file is in `problems`.

    Tests of a playbook that could not be loaded are left out: what they name is not known.
    """
    missing = {main.parent.name for main in playbooks.glob(f"*/{MAIN}")} - loaded.keys()
    found: list[Scenario] = []
    for path, playbook in find_files(playbooks):
        if playbook in missing or (missing and not playbook):
            continue
        found += read_scenario_file(path, playbook, people, loaded, problems)
    return found


def read_scenario_file(
    path: Path,
    playbook: str,
    people: Collection[str],
    loaded: Mapping[str, Playbook],
    problems: Problems,
) -> Iterator[Scenario]:
    """The tests of one file, of a playbook ("" for all); what is wrong with it is in `problems`."""
    mine = [loaded[playbook]] if playbook in loaded else [*loaded.values()]
    tools = {name: tool for each in mine for name, tool in each.tools.items()}
    every = {name: tool for each in loaded.values() for name, tool in each.tools.items()}
    try:
        source = read_yaml(read_text(path), file=str(path))
    except DefinitionError as error:
        problems.extend(error.problems)
        return
    except (OSError, UnicodeDecodeError) as error:
        problems.add(f"{path}:1: cannot be read: {error}")
        return
    skills = {name for each in loaded.values() for name in each.skills}
    known = ScenarioNames(people, {**every, **tools}, skills)
    yield from _FileReader(source, playbook, known, problems).read()


class _FileReader:
    """Reads one file."""

    def __init__(
        self, source: Source, playbook: str, known: ScenarioNames, problems: Problems
    ) -> None:
        self._source = source
        self._playbook = playbook
        self._known = known
        self._problems = problems

    def read(self) -> Iterator[Scenario]:
        """Its tests; those with faults are left out."""
        base: YamlPath = ()
        shared, data = ScenarioSetup(), self._source.data
        if isinstance(data, dict):
            file = try_build(ScenarioFile, self._source, self._problems)
            if file is None:
                return
            base, shared = ("tests",), file.given
            data = data["tests"]
            self._cases(shared, ("given",))
        if not isinstance(data, list) or not data:
            self._add((), "should be a list of tests, each with `test`, `given` and `steps`")
            return
        names: set[str] = set()
        for number in range(len(data)):
            scenario = self._scenario((*base, number), shared)
            if scenario is None:
                continue
            if scenario.name in names:
                self._add((*base, number, "test"), "another test of this file has this name")
            names.add(scenario.name)
            yield scenario

    def _scenario(self, path: YamlPath, shared: ScenarioSetup) -> Scenario | None:
        head = try_build(ScenarioHead, self._source, self._problems, at=path)
        if head is None:
            return None
        before = len(self._problems)
        own = self._cases(head.given, (*path, "given"))
        given = head.given.over(shared)
        people = {*self._known.people, *given.strangers}
        steps = [self._step((*path, "steps", n), people) for n in range(len(head.steps))]
        if len(self._problems) > before:
            return None
        return Scenario(
            name=head.test,
            playbook=self._playbook,
            source=self._source,
            path=path,
            given=given,
            stubs={**self._cases(shared, ("given",), quiet=True), **own},
            steps=tuple(step for step in steps if step is not None),
        )

    def _cases(
        self, given: ScenarioSetup, path: YamlPath, *, quiet: bool = False
    ) -> dict[str, tuple[StubCase, ...] | None]:
        """What its tools give, by name."""
        found: dict[str, tuple[StubCase, ...] | None] = {}
        problems = Problems() if quiet else self._problems
        for name in given.tools:
            at = (*path, "tools", name)
            if name not in self._known.tools:
                hint = suggestion(name, self._known.tools)
                problems.add(
                    self._source.problem(at, f"there is no such tool; {hint}".removesuffix("; "))
                )
                continue
            found[name] = read_cases(self._source, at, self._known.tools[name], problems)
        return found

    def _step(self, path: YamlPath, people: Collection[str]) -> ScenarioStep | None:
        data = self._source.data
        for key in path:
            data = data[key]
        names = [key for key in data if key not in _OWN_KEYS]
        if len(names) + sum(key in data for key in _NOBODY) != 1:
            others = "`program`, `system`, or `after`"
            self._add(path, f"should have one person who does something, {others}")
            return None
        unknown = [name for name in names if name not in people]
        for name in unknown:
            fault = "nobody of people.yaml, and none of the test's `strangers`"
            self._add((*path, name), f"{fault}; {suggestion(name, people)}")
        step = self._with_expectation(path, people, has="expect" in data)
        if step is None or unknown:
            return None
        if PROGRAM in data:
            return self._program_step(step, (*path, PROGRAM))
        if SYSTEM in data:
            return self._system_step(step, (*path, SYSTEM))
        if step.expect.answer is not None:
            self._add((*path, "expect", "answer"), "`answer` is what a `program` gets")
            return None
        if not names:
            wait = self._wait((*path, "after"), data["after"])
            return None if wait is None else replace(step, after_s=wait)
        action = try_build(PersonAction, self._source, self._problems, at=(*path, names[0]))
        if action is None:
            return None
        for file in action.files:
            place = step.folder / file.path
            if file.path and not place.is_file():
                self._add((*path, names[0]), f"there is no file {place}")
        return replace(step, person=names[0], action=action)

    def _program_step(self, step: ScenarioStep, path: YamlPath) -> ScenarioStep | None:
        call = try_build(ProgramCall, self._source, self._problems, at=path)
        if call is None:
            return None
        if call.calls not in self._known.skills:
            hint = suggestion(call.calls, self._known.skills)
            self._add((*path, "calls"), f"there is no skill {call.calls}; {hint}")
        return replace(step, person=PROGRAM, call=call)

    def _system_step(self, step: ScenarioStep, path: YamlPath) -> ScenarioStep | None:
        change = try_build(RecordChange, self._source, self._problems, at=path)
        return None if change is None else replace(step, person=SYSTEM, change=change)

    def _wait(self, path: YamlPath, written: JsonValue) -> int | None:
        try:
            return seconds(written)
        except ValueError as error:
            self._add(path, str(error))
            return None

    def _with_expectation(
        self, path: YamlPath, people: Collection[str], *, has: bool
    ) -> ScenarioStep | None:
        if not has:
            return ScenarioStep(self._source, path)
        at = (*path, "expect")
        expect = try_build(Expectation, self._source, self._problems, at=at)
        if expect is None:
            return None
        self._check_names(expect, at, people)
        return ScenarioStep(self._source, path, expect=expect)

    def _check_names(self, expect: Expectation, at: YamlPath, people: Collection[str]) -> None:
        named: dict[YamlPath, Collection[str]] = {
            ("told",): expect.told,
            ("not_told",): expect.not_told,
            ("reminded",): expect.reminded or (),
            ("escalated",): expect.escalated or (),
            ("card", "to"): expect.card.to or () if expect.card else (),
        }
        for keys, persons in named.items():
            for person in persons:
                if person not in people:
                    hint = suggestion(person, people)
                    self._add((*at, *keys), f"{person} is nobody of people.yaml; {hint}")
        called = [
            name
            for each in expect.called or ()
            for name in ([each] if isinstance(each, str) else each)
        ]
        for key, tools in (("called", called), ("not_called", expect.not_called)):
            for tool in tools:
                if tool not in self._known.tools and tool != SYNC:
                    hint = suggestion(tool, self._known.tools)
                    self._add((*at, key), f"there is no tool {tool}; {hint}")

    def _add(self, path: YamlPath, message: str) -> None:
        self._problems.add(self._source.problem(path, message.removesuffix("; ")))
