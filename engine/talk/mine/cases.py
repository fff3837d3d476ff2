"""The cases that a question is about, and what is known of them (spec 000 §3.3)."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import ValidationError

from cards.model import Lang
from cards.visible import visible
from engine.cases.letters import patch_at
from engine.frames.case import CaseDocument, CaseName, CaseRun
from engine.frames.replies import ReplyHead
from engine.frames.run_names import known_values
from engine.frames.state import AgentState, Attachment, PlannerFrame, Run
from engine.planner.query import answer_query
from engine.playbooks.entity import BY_PLACE
from engine.playbooks.model import Playbook, PlaybookFile
from engine.ports.storage.cases import Cases
from engine.services import Services
from engine.talk.active_runs import read_runs
from engine.talk.mine.summary import summarize
from engine.text.excerpts.known import known_lines
from engine.tools.model import ToolContext

SHOWN_CHARS = 2000
"""So much of a case is shown to a model that answers a question; it reads the rest by a tool."""


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A case with its playbook; `run` is the one request of it, where it shares nothing."""

    playbook: Playbook
    document: CaseDocument
    run: Run | None = None

    @property
    def id(self) -> str:
        """The id of the case."""
        return self.document.name.id

    @property
    def keys(self) -> frozenset[str]:
        """The id of the case, and those of its requests."""
        return frozenset((self.id, *(run.id for run in self.document.runs)))

    @property
    def state(self) -> AgentState:
        """The state that its runs share."""
        if self.run is not None:
            return self.run.state
        state = AgentState()
        for path, value in self.document.values.items():
            state = patch_at(path, value, "").apply(state)
        return state

    def title(self, lang: Lang) -> str:
        """What people call it, as plain text."""
        if self.run is not None:
            return visible(" ".join((self.run.name, *known_values(self.run))))
        name, of = self.playbook.definition.name(lang), self.document.name
        return name if of.of in BY_PLACE else f"{name} {of.key}"


@dataclass(frozen=True, slots=True)
class CasesHere:
    """The cases of a question, the likeliest first, and what it names of which nothing is kept."""

    cases: tuple[KnownCase, ...] = ()
    unknown: tuple[str, ...] = ()

    def knows(self, keys: Iterable[str]) -> bool:
        """Whether one of these is a case of them, or a run of one."""
        return any(not case.keys.isdisjoint(keys) for case in self.cases)


async def read_case(
    name: CaseName, playbook: Playbook, cases: Cases, sees: Callable[[str], bool]
) -> KnownCase | None:
    """The case, if there is one that the person may see. Raises StoreUnavailable."""
    if not sees(name.project):
        return None
    with suppress(ValidationError):
        if body := await cases.read(name.id):
            return KnownCase(playbook, CaseDocument.model_validate_json(body))
    return None


async def names_of_runs(
    head: ReplyHead, services: Services
) -> Mapping[str, tuple[CaseName, Playbook]]:
    """The cases of the requests that were made in the conversation before, the newest first."""
    kept = await services.own_runs.read(head.runs[::-1]) if head.runs else ()
    found: dict[str, tuple[CaseName, Playbook]] = {}
    for run in read_runs([(each.id, each.body) for each in kept]):
        playbook = await services.playbook(run.digest)
        if run.case is not None and playbook is not None and services.sees(run.project):
            found.setdefault(run.case.name.id, (run.case.name, playbook))
    return found


def names_here(
    head: ReplyHead, services: Services, *, by_place: bool = True
) -> Mapping[str, tuple[CaseName, Playbook]]:
    """The cases that what the text names leads to, and those of the place."""
    found = {}
    for playbook in services.playbooks.values():
        definition = playbook.definition
        if project := services.run_project(definition, head.conversation):
            for name in _names_of(definition, project, head):
                if by_place or name.of not in BY_PLACE:
                    found[name.id] = (name, playbook)
    return found


def _names_of(definition: PlaybookFile, project: str, head: ReplyHead) -> Iterable[CaseName]:
    of = definition.case.of
    if not definition.case.is_shared:
        return
    keys = [head.conversation if of == "conversation" else project]
    if of not in BY_PLACE:
        keys = [entity.id for entity in head.entities if entity.kind == of]
    for key in keys:
        yield CaseName(project=project, playbook=definition.id, of=of, key=key)


async def cases_here(head: ReplyHead, services: Services) -> CasesHere:
    """What the text names goes before what was asked for here, and that before the place."""
    named = names_here(head, services, by_place=False)
    names = named or {**await names_of_runs(head, services), **names_here(head, services)}
    read = [
        (name, await read_case(name, playbook, services.cases, services.sees))
        for name, playbook in names.values()
    ]
    cases = tuple(case for _, case in read if case is not None)
    known = {case.document.name.key for case in cases}
    unknown = [name.key for name, _ in read if name.id in named and name.key not in known]
    return CasesHere(cases, tuple(dict.fromkeys(unknown)))


async def requests_here(head: ReplyHead, services: Services) -> tuple[KnownCase, ...]:
    """The newest requests that were begun in the conversation, each a case of its own."""
    kept = await services.own_runs.read(head.runs[::-1]) if head.runs else ()
    found = []
    for summary in filter(None, map(summarize, kept)):
        run, playbook = summary.run, await services.playbook(summary.run.digest)
        if playbook is None or not services.sees(run.project):
            continue
        told = CaseRun(
            id=run.id,
            name=run.name,
            request=run.request,
            requester=run.requester.id,
            requester_name=run.requester.name,
            conversation=run.conversation,
            started_at=run.started_at,
            end=summary.end,
        )
        name = CaseName(project=run.project, playbook=run.playbook, of="request", key=run.id)
        files = tuple(each.name for each in run.state.attachments)
        found.append(KnownCase(playbook, CaseDocument(name=name, files=files, runs=(told,)), run))
    return tuple(found)


def files_of(here: CasesHere, head: ReplyHead, services: Services) -> tuple[tuple[str, str], ...]:
    """Files of the cases from elsewhere that all who read the answer may read.

    What its sender gave to the case itself is read wherever the case is.
    """
    return tuple(
        (name, place)
        for case in here.cases
        for name, place in case.document.places.items()
        if place != head.conversation
        and (
            name in case.document.shared
            or services.people.is_open_to(place, head.conversation, case.document.name.project)
        )
    )


def with_case_files(
    context: ToolContext, here: CasesHere, head: ReplyHead, services: Services
) -> ToolContext:
    """The context, which finds the files of the cases too."""
    return replace(context, elsewhere=files_of(here, head, services))


def known_to_model(here: CasesHere, lang: Lang) -> tuple[str, ...]:
    """What is known of the cases, as lines of a prompt."""
    told = {case.title(lang): _as_data(case, lang) for case in here.cases}
    return known_lines(told, SHOWN_CHARS, has_reader=False) if told else ()


def _as_data(case: KnownCase, lang: Lang) -> dict[str, object]:
    definition, document = case.playbook.definition, case.document
    values = {
        leaf.label(lang): value
        for path, value in document.values.items()
        if (leaf := definition.leaf(path)) is not None
    }
    requests = [
        {"name": run.name, "by": run.requester_name, "end": run.end or "", "reason": run.reason}
        for run in document.runs[-3:]
    ]
    paths = [*definition.data_fields, *(f"profile.{name}" for name in definition.profile_fields)]
    unknown = [
        leaf.label(lang)
        for path in paths
        if path not in document.values
        and path not in definition.case.own
        and (leaf := definition.leaf(path)) is not None
    ]
    told = {"not_known": unknown, "requests": requests, "files": list(document.files)}
    return {**values, **told}


async def ask_retrieval(question: str, here: CasesHere, head: ReplyHead, services: Services) -> str:
    """What the retrieval skill that fits best finds out of the likeliest case; "" for nothing."""
    for case in here.cases[:1]:
        kept = await services.own_runs.read([run.id for run in case.document.runs[-1:]])
        for run in read_runs([(each.id, each.body) for each in kept]):
            asked = _as_asked(run, case, head, files_of(here, head, services))
            return await answer_query(asked, case.playbook, question, services)
    return ""


def _as_asked(
    run: Run, case: KnownCase, head: ReplyHead, elsewhere: tuple[tuple[str, str], ...]
) -> Run:
    """A copy of the case's newest run, which has all that the case knows, for who asks here."""
    files = tuple(Attachment(name=name, place=place) for name, place in elsewhere)
    phase = case.playbook.definition.phases_of(run.request)[0]
    return run.model_copy(
        update={
            "conversation": head.conversation,
            "requester": head.principal,
            "lang": head.lang,
            "state": case.state.model_copy(update={"attachments": files}),
            "frames": (PlannerFrame(phase=phase.id),),
        }
    )
