"""What turns and steps of runs may use: one object, made once and passed whole."""

from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import Any

from cards.model import Principal
from engine.playbooks.model import Playbook, PlaybookFile, Request, pattern_kinds
from engine.ports.clock import Clock, FixedClock
from engine.ports.inbox_files import NO_FILES, InboxFiles
from engine.ports.library import NO_LIBRARY, FileScope, Library, Serves
from engine.ports.meter import NO_METER, Meter
from engine.ports.model import GRAPH_BUDGET, RUN_BUDGET, Model, ModelBudget
from engine.ports.pages import FindRunLink, no_run_link
from engine.ports.people import People
from engine.ports.projects import KEEPS_NONE, Projects
from engine.ports.storage.admissions import NO_ADMISSIONS, Admissions
from engine.ports.storage.arrivals import FindWaiting, nothing_waits
from engine.ports.storage.cases import NO_CASES, Cases
from engine.ports.storage.drafts import NO_DRAFTS, DraftSink
from engine.ports.storage.findings import Findings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.own_runs import NO_OWN_RUNS, OwnRuns
from engine.ports.storage.store import Decisions
from engine.projects import NO_PROJECTS, ProjectBook
from engine.react import Budget
from engine.rules.soft import DEFAULT_LIMITS, SoftLimits
from engine.text.entity_kinds import Entities, PatternKind, entities_of
from engine.toolbox.toolbox import Toolbox
from engine.tools import registry
from engine.tools.model import Tool, ToolContext

FindEntities = Callable[[tuple[PatternKind, ...], str, Principal], Entities]
"""Of these patterns, the project and the person: all that a text of theirs may name."""


def entities_without_lists(
    patterns: tuple[PatternKind, ...], project: str, person: Principal
) -> Entities:
    """What the patterns find, where there is no list."""
    return entities_of(patterns)


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """`keep_s` is 0 where no trace is kept; `mask` takes personal data out of a text.

    `project` is that of a conversation.
    """

    keep_s: float
    mask: Callable[[str], str]
    project: Callable[[str], str] = lambda conversation: ""


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What the settings bound; a playbook may name its own budgets for a run and a job graph.

    `run_days` is for how long a run that has ended is kept, `case_keep_s` for how long a case is
    after its last change: by project where `case_keep_of` has it.
    """

    reply_after_s: float = 2.0
    react: Budget = field(default_factory=Budget)
    soft: SoftLimits = DEFAULT_LIMITS
    case_keep_s: float = 2 * 365 * 86400.0
    run: ModelBudget = RUN_BUDGET
    graph: ModelBudget = GRAPH_BUDGET
    run_days: float = 90.0
    case_keep_of: Mapping[str, float] = field(default_factory=dict)

    def keep_case_s(self, project: str) -> float:
        """For how long a case of that project is kept."""
        return self.case_keep_of.get(project, self.case_keep_s)


@dataclass(frozen=True)
class Services:
    """Ports, names for new things, and limits.

    `playbook(digest)` finds a published playbook, None for one that is not.
    `project(conversation)` is the project that the conversation belongs to, or of a run its own;
    `projects()` are all of them. The person whose turn it is `sees` only some.
    `derived_id(conversation, *seeds)` gives the same id for the same seeds, so that a turn that is
    handled again gives its reply and runs the same ids.

    `playbooks`, `tools` (which only read) and `entity_kinds` are those of the moment at which a
    turn began; `barred` are requests (`playbook/request`) that the person may not start,
    `elsewhere` the playbooks that the conversation's project may not run. Steps of a run use their
    pinned playbook and its tools of the `toolbox` instead; `call`, `rehearse` and `pin` are their
    way to tools, and `recorded_calls()` gives the answers of the model and of tools so far.
    """

    clock: Clock
    zone: str
    people: People
    model: Model | None
    decisions: Decisions
    findings: Findings
    inbox: Inbox
    playbook: Callable[[str], Awaitable[Playbook | None]]
    new_id: Callable[[str], str]
    derived_id: Callable[..., str]
    project: Callable[[str], str]
    tracing: TraceSettings
    projects: Callable[[], ProjectBook] = lambda: NO_PROJECTS
    kept_projects: Projects = KEEPS_NONE
    sees: Callable[[str], bool] = lambda project: True
    library: Library = NO_LIBRARY
    files: InboxFiles = NO_FILES
    drafting: DraftSink = NO_DRAFTS
    admissions: Admissions = NO_ADMISSIONS
    waiting: FindWaiting = nothing_waits
    cases: Cases = NO_CASES
    own_runs: OwnRuns = NO_OWN_RUNS
    run_link: FindRunLink = no_run_link
    meter: Meter = NO_METER
    limits: ServiceLimits = ServiceLimits()
    playbooks: Mapping[str, Playbook] = field(default_factory=dict)
    tools: tuple[Tool[Any], ...] = ()
    toolbox: Toolbox = field(default_factory=Toolbox)
    entity_kinds: tuple[PatternKind, ...] = ()
    listed_entities: FindEntities = entities_without_lists
    barred: Mapping[str, Request] = field(default_factory=dict)
    elsewhere: Mapping[str, Playbook] = field(default_factory=dict)
    call: registry.CallTool = registry.call
    rehearse: registry.CallTool = registry.rehearse
    pin: registry.CallTool = registry.pin
    recorded_calls: Callable[[], tuple[dict[str, Any], ...]] = tuple

    @property
    def now(self) -> datetime:
        """The current moment, aware, UTC."""
        return self.clock.now()

    @property
    def today(self) -> date:
        """Today's date in the service's time zone."""
        return self.clock.today()

    def frozen_at(self, now: datetime, today: date | None = None, **changes: Any) -> "Services":
        """The same services at a moment that stays, with these changes.

        The day is the clock's unless it is given.
        """
        clock = FixedClock(now, today or self.today, self.clock)
        return self.with_changes(clock=clock, **changes)

    def with_changes(self, **changes: Any) -> "Services":
        """The same services with these changes; each step makes some, and asks no field for it."""
        copied = object.__new__(Services)
        copied.__dict__.update(self.__dict__, **changes)
        return copied

    def limited_to(self, person: Principal, conversation: str = "") -> "Services":
        """The same services with only what this person may start and the tools they may use.

        Requests that they may not start are `barred`; who is not admitted has neither. Answers of
        another project are none in the conversation; of tools of one name its project's counts.
        """

        def sees(project: str) -> bool:
            return self.people.may_see(person, project)

        if not self.people.is_admitted(person):
            return self.with_changes(tools=(), playbooks={}, sees=sees)
        of = self.project(conversation) if conversation else None
        book, bound = self.projects(), self.projects().is_bound(conversation)
        own = {each.definition.project for each in self.playbooks.values()}
        seen = frozenset(project for project in (*own, of or "") if sees(project))
        key = (id(self.playbooks), id(book), *map(id, self.tools), person.roles, of, bound, seen)
        if (kept := _LIMITED.get(key)) is None:
            if len(_LIMITED) >= _MAX_LIMITED:
                _LIMITED.clear()
            # It holds what it was made of, so that nothing else gets one of their ids.
            made = self._limit(person, conversation, seen)
            kept = _LIMITED[key] = (self.playbooks, self.tools, book), made
        return self.with_changes(sees=sees, **kept[1])

    def _limit(self, person: Principal, conversation: str, seen: Collection[str]) -> dict[str, Any]:
        """What somebody with these roles, who sees these projects, may start and use there."""
        left, barred = startable_playbooks(self.playbooks, person)
        tools: Sequence[Tool[Any]] = [t for t in self.tools if person.holds_one_of(t.roles)]
        # What is asked for in the wrong place is understood all the same, and what is looked up
        # needs no request that they may start.
        known = {*left, *(tool.playbook for tool in tools)}
        kinds = pattern_kinds(p.definition for name, p in self.playbooks.items() if name in known)
        elsewhere: dict[str, Playbook] = {}
        if conversation:
            tools = tools_of_project(tools, self.project(conversation), self.projects().serves)
            runs_in = {n: self.run_project(p.definition, conversation) for n, p in left.items()}
            elsewhere = {name: left[name] for name, own in runs_in.items() if own not in seen}
        return {
            "tools": tuple(tools),
            "playbooks": {n: p for n, p in left.items() if n not in elsewhere}
            if elsewhere
            else left,
            "barred": barred,
            "elsewhere": elsewhere,
            "entity_kinds": kinds,
        }

    def run_project(self, playbook: PlaybookFile, conversation: str) -> str | None:
        """The project of a run that is asked for there; None where the playbook cannot run."""
        return self.projects().run_project(conversation, playbook.id, playbook.project)

    def within(self, project: str) -> "Services":
        """The same services for what belongs to that project; "" changes nothing."""
        return self.with_changes(project=lambda _: project) if project else self

    def serving(self, conversation: str) -> Serves:
        """What serves the conversation's project; nothing does where it has none."""
        project = self.project(conversation)
        return partial(self.projects().serves, project) if project else lambda playbook, own: False

    def entities(
        self, conversation: str, person: Principal, kinds: tuple[PatternKind, ...] = ()
    ) -> Entities:
        """What texts of the person may name there: of `kinds`, or all patterns, and the lists."""
        return self.listed_entities(kinds or self.entity_kinds, self.project(conversation), person)

    def file_scope(self, conversation: str) -> FileScope:
        """Whose files are looked up in the conversation, and in its runs."""
        return FileScope(
            self.project(conversation), conversation, shared_in=self._home(conversation)
        )

    def _home(self, conversation: str) -> str:
        """The project of a conversation that nobody bound; "" where that is the run's own."""
        book = self.projects()
        home = "" if book.is_bound(conversation) else book.of(conversation)
        return home if home != self.project(conversation) else ""

    def tool_context(
        self, conversation: str, person: Principal, *, key: str = "", by: str = ""
    ) -> ToolContext:
        """What a call of a tool may use; a write needs its idempotency key and approver."""
        project = self.project(conversation)
        serves = self.serving(conversation)
        own = (
            playbook.definition
            for playbook in self.playbooks.values()
            if serves(playbook.id, playbook.definition.project)
        )
        return ToolContext(
            today=self.today,
            now=self.now,
            key=key,
            by=by,
            project=project,
            conversation=conversation,
            person=person,
            library=self.library,
            meter=self.meter,
            entities=self.entities(conversation, person),
            elements=tuple(dict.fromkeys(kind for each in own for kind in each.element_kinds)),
            writing=self.toolbox.writing(self.playbooks.values()),
            projects=self.projects(),
            shared_in=self._home(conversation),
            kept_projects=self.kept_projects,
            place=lambda: self.people.room_of(conversation),
        )


_LIMITED: dict[Hashable, tuple[object, dict[str, Any]]] = {}
_MAX_LIMITED = 256


def tools_of_project(
    tools: Iterable[Tool[Any]], project: str, serves: Callable[[str, str, str], bool]
) -> Sequence[Tool[Any]]:
    """The tools, one of each name: where several have it, one that serves the project.

    None of them where the project is not known: which is meant, nobody can tell. Answers that do
    not serve it are left out.
    """
    by_name: dict[str, list[Tool[Any]]] = {}
    for tool in tools:
        if not tool.is_answer or serves(project, tool.playbook, tool.project):
            by_name.setdefault(tool.name, []).append(tool)
    kept = (_only_of(named, project, serves) for named in by_name.values())
    return [tool for tool in kept if tool is not None]


def _only_of(
    named: Sequence[Tool[Any]], project: str, serves: Callable[[str, str, str], bool]
) -> Tool[Any] | None:
    own = [each for each in named if project and serves(project, each.playbook, each.project)]
    if own or len(named) == 1:
        return (own or named)[0]
    # With a project, that of another one tells that it is none of this one.
    return named[0] if project else None


def startable_playbooks(
    playbooks: Mapping[str, Playbook], person: Principal
) -> tuple[Mapping[str, Playbook], Mapping[str, Request]]:
    """The playbooks with the requests that this person's roles may start, and all other requests.

    The latter are by `playbook/request`. A playbook of which nothing is left is left out; the
    others keep their digest, since a run of them is one of the whole playbook.
    """
    barred = {
        f"{playbook.id}/{request.id}": request
        for playbook in playbooks.values()
        for request in playbook.definition.requests
        if not person.holds_one_of(request.roles)
    }
    if not barred:
        return playbooks, {}
    left = {name: _without_requests(playbook, barred) for name, playbook in playbooks.items()}
    return {name: each for name, each in left.items() if each.definition.requests}, barred


def _without_requests(playbook: Playbook, barred: Mapping[str, Request]) -> Playbook:
    definition = playbook.definition
    requests = tuple(r for r in definition.requests if f"{playbook.id}/{r.id}" not in barred)
    if len(requests) == len(definition.requests):
        return playbook
    update = {"definition": definition.model_copy(update={"requests": requests})}
    return playbook.model_copy(update=update)
