"""A person's requests by the case that they belong to, and where each case stands (design §12)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.planner.phases import PhaseManager, goals
from engine.playbooks.model import Playbook
from engine.ports.storage.cases import Cases
from engine.talk.mine.cases import KnownCase, read_case
from engine.talk.mine.summary import RunSummary

FindPlaybook = Callable[[str], Awaitable[Playbook | None]]


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """A case and those of these requests that are of it, in the order in which they came."""

    case: KnownCase
    runs: tuple[RunSummary, ...]

    @property
    def newest(self) -> RunSummary:
        """The request that was made last: where it answers, the case goes on."""
        return max(self.runs, key=lambda each: each.run.started_at)


async def group_by_case(
    runs: Sequence[RunSummary],
    playbook: FindPlaybook,
    cases: Cases,
    sees: Callable[[str], bool],
) -> tuple[CaseGroup, ...]:
    """The cases of these requests that the person may see. Raises StoreUnavailable."""
    members: dict[str, list[RunSummary]] = {}
    found: dict[str, KnownCase] = {}
    for each in runs:
        if (link := each.run.case) is None:
            continue
        name = link.name
        members.setdefault(name.id, []).append(each)
        definition = None if name.id in found else await playbook(each.run.digest)
        if definition and (case := await read_case(name, definition, cases, sees)):
            found[name.id] = case
    return tuple(CaseGroup(case, tuple(members[key])) for key, case in found.items())


def standing_text(case: KnownCase, lang: Lang) -> str:
    """What of the case is settled, and what its requests have to settle still (Markdown)."""
    definition, state = case.playbook.definition, case.state
    manager = PhaseManager(case.playbook)
    shared = [
        phase
        for phase in manager.phases
        if not any(goal.field in definition.case.own for goal in goals(phase))
    ]
    opened = [phase for phase in shared if manager.missing(phase, state)]
    parts = (
        ("mine.settled", [phase for phase in shared if phase not in opened]),
        ("mine.not_settled", opened),
    )
    comma = say("list.items", lang)
    texts = [
        say(key, lang, phases=comma.join(literal(phase.name(lang)) for phase in phases))
        for key, phases in parts
        if phases
    ]
    return " ".join(texts)
