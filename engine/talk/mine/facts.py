"""What is known of a person's requests, and of the cases that they may see, for their questions."""

import json
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from cards.deciding.inbox import inbox_names_of_person
from cards.markdown import format_value
from cards.values import is_money
from engine.cases.letters import patch_at
from engine.events import Actor
from engine.frames.case import CaseDocument
from engine.frames.leaves import value_of
from engine.frames.replies import ReplyHead
from engine.frames.state import AgentState
from engine.playbooks.model import Playbook, PlaybookFile
from engine.ports.storage.own_runs import NO_OWN_RUNS
from engine.services import Services
from engine.talk.mine.cases import KnownCase, names_here, names_of_runs, read_case
from engine.talk.mine.summary import (
    RunSummary,
    is_own,
    may_see,
    own_names,
    read_summaries,
    summarize,
)
from engine.text.entities import fold
from engine.understanding.own_work.reading import WorkReader
from engine.understanding.own_work.subjects import FieldNames, WorkSubject

LoadWork = Callable[[], Awaitable[WorkReader]]
"""What the person has, as it was when somebody first asked for it."""

MOST_RUNS = 15
"""So many runs of each kind are looked at: those that go on, that ended, and that were voted on."""

MOST_NAMED = 200
"""So many of each kind are searched for what a question names and none of these has."""

_MOST_VALUES = 40
_LONGEST_VALUE = 80


@dataclass(frozen=True, slots=True)
class KnownWork:
    """A request with its playbook, or a case of it; `state` has the values that count now."""

    key: str
    playbook: Playbook
    state: AgentState
    summary: RunSummary | None = None
    case: CaseDocument | None = None


async def load_work(head: ReplyHead, services: Services) -> tuple[KnownWork, ...]:
    """What the person may be told of here: their runs, the newest first, then cases.

    Of what this message itself has begun, and still goes on, it asks nothing.
    """
    person = head.principal
    if services.own_runs is NO_OWN_RUNS:
        return ()
    listed = await services.own_runs.find(own_names(person), limit=MOST_RUNS)
    waits = await services.inbox.find_tokens(inbox_names_of_person(person))
    asked = await services.inbox.cards(waits.tokens[:MOST_RUNS])
    concerned = (*listed.voted, *(card.run for card in asked if card.run))
    ids = dict.fromkeys((*listed.living, *listed.ended, *concerned))
    found = await read_summaries(services.own_runs, tuple(ids))
    found += await _older_named(found, head, services)
    summaries = [
        each
        for each in found
        if may_see(each, person, services.people)
        and _may_tell(each, head, services)
        and not (each.end is None and each.run.reply == head.id)
    ]
    summaries.sort(key=lambda each: each.run.started_at, reverse=True)
    works = [work for each in summaries if (work := await _of_run(each, services)) is not None]
    cases = await _cases(head, services, works)
    return (*(_with_case(work, cases) for work in works), *cases.values())


async def _older_named(
    newest: Sequence[RunSummary], head: ReplyHead, services: Services
) -> tuple[RunSummary, ...]:
    """Older requests that are about what the message names, where the newest ones are not."""
    named = {each.id for each in head.entities}
    if not named or any(named & {*map(str, each.run.state.data.values())} for each in newest):
        return ()
    listed = await services.own_runs.find(own_names(head.principal), limit=MOST_NAMED)
    known = {each.run.id for each in newest}
    ids = dict.fromkeys((*listed.living, *listed.ended, *listed.voted))
    kept = await services.own_runs.read([each for each in ids if each not in known])
    having = (each for each in kept if any(f'"{name}"' in each.body for name in named))
    return tuple(each for run in having if (each := summarize(run)) is not None)[:MOST_RUNS]


async def find_work(
    keys: Sequence[str], head: ReplyHead, services: Services
) -> tuple[KnownWork, ...]:
    """Those of these that the person may be told of here, in this order."""
    known = {work.key: work for work in await load_work(head, services)}
    return tuple(known[key] for key in keys if key in known)


async def cases_of_person(head: ReplyHead, services: Services) -> tuple[KnownCase, ...]:
    """The cases of the person's requests, wherever these were made, the newest first.

    Only those of the conversation's project: in another's place nothing is told of them.
    """
    project = services.project(head.conversation)
    listed = await services.own_runs.find(own_names(head.principal), limit=MOST_RUNS)
    runs = await read_summaries(services.own_runs, (*listed.living, *listed.ended))
    found: dict[str, KnownCase] = {}
    for each in sorted(runs, key=lambda summary: summary.run.started_at, reverse=True):
        link, playbook = each.run.case, await services.playbook(each.run.digest)
        is_theirs = is_own(each, head.principal, services.people)
        if link is None or playbook is None or link.name.project != project or not is_theirs:
            continue
        if case := await read_case(link.name, playbook, services.cases, services.sees):
            found.setdefault(case.id, case)
    return tuple(found.values())


def reader_of(works: Sequence[KnownWork], head: ReplyHead, services: Services) -> WorkReader:
    """What questions of the person are read against."""
    others = [
        WorkSubject(
            key=f"{playbook.id}/{request.id}",
            names=(*request.name.texts, *playbook.definition.name.texts),
            examples=request.examples,
        )
        for playbook in services.playbooks.values()
        for request in playbook.definition.requests
    ]
    subjects = tuple(_subject(work, head) for work in works)
    return WorkReader(subjects, tuple(others), services.today, head.entities)


async def _of_run(summary: RunSummary, services: Services) -> KnownWork | None:
    playbook = await services.playbook(summary.run.digest)
    if playbook is None:
        return None
    return KnownWork(summary.run.id, playbook, summary.run.state, summary)


def _may_tell(summary: RunSummary, head: ReplyHead, services: Services) -> bool:
    """Whether everybody who reads the answer may read it."""
    platform, workspace, *_ = (*head.conversation.split(":"), "", "")
    actor = Actor(platform=platform, workspace=workspace, user=head.asker or head.principal.id)
    own = services.people.private_place(actor, head.conversation) == head.conversation
    run = summary.run
    return own or services.people.is_open_to(run.conversation, head.conversation, run.project)


async def _cases(
    head: ReplyHead, services: Services, works: Sequence[KnownWork]
) -> Mapping[str, KnownWork]:
    """The cases that a request of this person would go on with here, and those of their runs."""
    names = {
        **await names_of_runs(head, services),
        **{
            link.name.id: (link.name, work.playbook)
            for work in works
            if work.summary is not None and (link := work.summary.run.case) is not None
        },
        **names_here(head, services),
    }
    found = {}
    for name, playbook in names.values():
        if case := await read_case(name, playbook, services.cases, services.sees):
            found[case.id] = KnownWork(case.id, playbook, case.state, case=case.document)
    return found


def _with_case(work: KnownWork, cases: Mapping[str, KnownWork]) -> KnownWork:
    """The request with what its case has by now, where it has ended."""
    link = work.summary.run.case if work.summary else None
    case = cases.get(link.name.id) if link else None
    if case is None or work.summary is None or work.summary.end is None:
        return work
    state = work.state
    for path, value in (case.case.values if case.case else {}).items():
        if path not in work.playbook.definition.case.own:
            state = patch_at(path, value, "").apply(state)
    return KnownWork(work.key, work.playbook, state, work.summary, case.case)


def _subject(work: KnownWork, head: ReplyHead) -> WorkSubject:
    definition, summary = work.playbook.definition, work.summary
    run = summary.run if summary else None
    requests = [r for r in definition.requests if run is None or r.id == run.request]
    own = own_paths(work)
    names = [text for r in requests for text in r.name.texts]
    names += [*definition.name.texts, *([run.name] if run else ())]
    entities = [text for kind in definition.entities.values() for text in kind.name.texts]
    return WorkSubject(
        key=work.key,
        names=(*names, *entities, *definition.cues),
        examples=tuple(example for r in requests for example in r.examples),
        people=_people(work),
        values=_values(work, work.state.data),
        others=_other_options(work),
        fields=tuple(_fields(work, own)),
        named=_named_text(work),
        end=summary.end if summary else None,
        is_here=run is not None and run.conversation == head.conversation,
        is_put_forward=_was_put_forward(summary),
        is_case=run is None,
        own_names=_request_texts(run.request, definition) if run else (),
        sibling_names=tuple(
            text
            for each in definition.requests
            if run and each.id != run.request
            for text in _request_texts(each.id, definition)
        ),
        own_values=_values(work, {p: v for p, v in work.state.data.items() if p in own}),
    )


def _request_texts(request: str, definition: PlaybookFile) -> tuple[str, ...]:
    """What a request and its phases are called, and how people ask for it."""
    found = [text for r in definition.requests if r.id == request for text in r.examples]
    found += [text for r in definition.requests if r.id == request for text in r.name.texts]
    phases = definition.phases_of(request)
    return (*found, *(text for phase in phases for text in phase.name.texts))


def own_paths(work: KnownWork) -> frozenset[str]:
    """The fields that the request asks for or finds out, and those that its reviewers changed."""
    if work.summary is None:
        return frozenset()
    definition, skills = work.playbook.definition, work.playbook.skills
    if not definition.case.is_shared:
        return frozenset(work.state.data)
    phases = definition.phases_of(work.summary.run.request)
    names = {n for phase in phases for n in phase.allowed_skills or definition.allowed_skills}
    provided = {path for name in names & skills.keys() for path in skills[name].provides}
    edited = {each.name for card in work.summary.cards for each in card.edits}
    asked = {path for phase in phases for path in phase.checkpoints}
    return frozenset(asked | provided | edited)


def _was_put_forward(summary: RunSummary | None) -> bool:
    """Whether it is more than a form that is still being filled in."""
    if summary is None:
        return False
    return summary.end is not None or any(card.review.by_policy for card in summary.cards)


def _people(work: KnownWork) -> tuple[str, ...]:
    """The names of who asked, who decides or decided, and what their cards are called."""
    if work.summary is None:
        return ()
    decided = [card.decision.name for card in work.summary.reviews if card.decision]
    voted = [vote.name for card in work.summary.cards for vote in card.votes]
    titles = [text for card in work.summary.cards for text in (card.title, card.waiting_for)]
    return (work.summary.run.requester.name, *decided, *voted, *titles)


def _months(value: object) -> tuple[str, ...]:
    """What people call the month of a date."""
    try:
        day = date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return ()
    return (f"{day:%B}", f"{day.month}月") if day else ()


def _values(work: KnownWork, data: Mapping[str, Any]) -> tuple[str, ...]:
    """What the request is about, as people write it: values, labels of options, ids and names."""
    definition, found = work.playbook.definition, list[str]()
    for path, value in data.items():
        leaf = definition.leaf(path)
        if is_money(value):
            amount, currency = f"{value['value']:g}", str(value["currency"])
            found += [f"{amount} {currency}", f"{amount}{currency}", amount]
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            text = format_value(value)
            found += [text, *(leaf.labels[text].texts if leaf and text in leaf.labels else ())]
        found += _months(value)
    named = (work.summary.run.named or ()) if work.summary else ()
    found += [text for each in named for text in (each.id, each.text)]
    kept = [text for text in found if 1 < len(text) <= _LONGEST_VALUE]
    return tuple(dict.fromkeys(kept))[:_MOST_VALUES]


def _named_text(work: KnownWork) -> str:
    """All that it has and is called by, folded."""
    named = (work.summary.run.named or ()) if work.summary else ()
    own = [text for each in named for text in (each.id, each.text)]
    key = work.case.name.key if work.case else ""
    values = json.dumps(work.state.data, ensure_ascii=False, default=str)
    return fold("\n".join((key, *own, *_people(work), values)))


def _parts(label: str) -> Iterable[str]:
    """A label, and what stands in it in brackets or behind a stroke, each by itself."""
    return filter(None, (part.strip() for part in re.split(r"[()（）/／、,，]", label)))


def _other_options(work: KnownWork) -> tuple[str, ...]:
    """What people call the options that were not chosen."""
    found: list[str] = []
    for path, leaf in work.playbook.definition.data_fields.items():
        chosen = work.state.data.get(path)
        for option in leaf.options if chosen is not None else ():
            labels = leaf.labels[option].texts if option in leaf.labels else ()
            found += (option, *labels) if option != chosen else ()
    return tuple(text for text in found if text.isalpha() or not text.isascii())


def _fields(work: KnownWork, own: Collection[str]) -> Iterable[FieldNames]:
    definition = work.playbook.definition
    leaves: list[tuple[str, Any]] = [*definition.data_fields.items()]
    leaves += [(f"profile.{name}", leaf) for name, leaf in definition.profile_fields.items()]
    for path, leaf in leaves:
        value = value_of(path, work.state)
        labels = [part for text in leaf.label.texts for part in _parts(text)]
        said = [name for text in (*leaf.label.texts, *labels, *leaf.cues) for name in _forms(text)]
        names = tuple(dict.fromkeys(said))
        options = tuple(
            (option, *(leaf.labels[option].texts if option in leaf.labels else ()))
            for option in leaf.options
        )
        is_known, is_own = value not in (None, "", ()), path in own
        yield FieldNames(path, names, leaf.type, is_known, options, is_own)


def _forms(name: str) -> tuple[str, ...]:
    """A name, and how it is written without its hyphen."""
    if not re.search("[a-z]-[a-z]", name):
        return (name,)
    return name, name.replace("-", ""), name.replace("-", " ")


def work_loader(head: ReplyHead, services: Services) -> LoadWork:
    """Reads what the person has, once, when somebody asks for it."""
    kept: list[WorkReader] = []

    async def load() -> WorkReader:
        if not kept:
            kept.append(reader_of(await load_work(head, services), head, services))
        return kept[0]

    return load
