"""A run's letters to the case whose state it shares, and what it takes from the answers.

A run writes after each skill, and goes on once the case has answered (design §12).
"""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from cards.markdown import literal
from cards.model import Decision
from cards.texts import say
from engine.frames.case import (
    CaseAnswer,
    CaseAuthor,
    CaseChange,
    CaseConflict,
    CaseDecision,
    CaseLetter,
    CaseLink,
    CaseMark,
    CaseName,
    CaseRows,
    CaseRun,
)
from engine.frames.ends import end_of, standing_failures
from engine.frames.leaves import NO_DIGEST, value_digest, value_of
from engine.frames.state import (
    ENDED,
    AgentState,
    Attachment,
    CaseFrame,
    Patch,
    PlannerFrame,
    Run,
    position_of,
)
from engine.mail import CaseLetterArrived
from engine.planner.phases import PhaseManager
from engine.playbooks.entity import BY_PLACE
from engine.playbooks.model import Playbook
from engine.playbooks.nesting import split_path
from engine.ports.storage.store import Post


def find_case(run: Run, playbook: Playbook, project: str) -> CaseLink | None:
    """The case that the run belongs to, as far as it is known; None for a state of its own.

    An entity's case is known by the entity that the request names, or else by the first field of
    that kind that is filled in.
    """
    of = playbook.definition.case.of
    if not playbook.definition.case.is_shared or run.parent:
        return None
    key = {"conversation": run.conversation, "project": project}.get(of, "")
    if of not in BY_PLACE:
        key = _entity_of(run, playbook, of)
    name = CaseName(project=project, playbook=run.playbook, of=of, key=key)
    return CaseLink(name=name) if key else None


def _entity_of(run: Run, playbook: Playbook, kind: str) -> str:
    """The id of the one entity of that kind that the request is about; "" where that is open."""
    fields = playbook.definition.data_fields.items()
    typed = [run.state.data.get(name) for name, leaf in fields if leaf.entity == kind]
    named = [each for each in run.named or () if each.kind == kind]
    said = [each.id for each in named if each.text in run.text]
    for ids in ([str(value) for value in typed if value], said, [each.id for each in named]):
        if len(set(ids)) == 1:
            return ids[0]
    return ""


def wants_answer(run: Run) -> bool:
    """Whether the run has to hear from its case before it goes on."""
    return run.case is not None and not (run.case.joined or run.case.waits)


def with_letter(run: Run, playbook: Playbook, by: str, now: datetime) -> Run:
    """The run, waiting for its case to take what changed; the run itself when nothing did."""
    link = run.case
    if link is None or run.parent or link.waits or link.conflicts:
        return run
    changes = _changes(run, link, playbook)
    files = tuple(a.name for a in run.state.attachments if a.name not in link.files)
    if link.joined and not (changes or files or link.decided):
        return run
    places = {a.name: a.place or run.conversation for a in run.state.attachments if a.name in files}
    told = {"changes": changes, "files": files, "places": places}
    letter = _letter(run, link, by, now).model_copy(update=told)
    after = link.model_copy(
        update={
            "letters": letter.number,
            "waits": letter,
            "decided": (),
            "files": (*link.files, *files),
        }
    )
    return run.model_copy(update={"case": after, "status": "suspended"})


def note_decision(before: Run, run: Run, decision: Decision, now: datetime) -> Run:
    """The run, which tells its case of a decision on its frame of `before` with its next letter."""
    if run.case is None:
        return run
    new = CaseDecision(
        by=decision.person,
        name=", ".join(dict.fromkeys(each.name for each in decision.deciders)),
        choice=decision.choice,
        about=position_of(before.frames[-1]),
        reason=str(decision.values.get("reason", "")),
        run=run.id,
        at=now,
    )
    # With the letter that this very step has written, or else with the next one.
    link = run.case
    if link.waits is not None:
        letter = link.waits.model_copy(update={"decided": (*link.waits.decided, new)})
        link = link.model_copy(update={"waits": letter})
    else:
        link = link.model_copy(update={"decided": (*link.decided, new)})
    return run.model_copy(update={"case": link})


def letter_posts(before: Run, after: Run, now: datetime) -> tuple[Post, ...]:
    """The letter that is under way from now on, for the outbox; the last one of a run that ends."""
    link = after.case
    if link is None or after.parent:
        return ()
    if after.status in ENDED and (link.joined or link.waits):
        return (_post(_letter(after, link, after.requester.id, now)),)
    known = before.case.waits if before.case else None
    return () if link.waits is None or link.waits == known else (_post(link.waits),)


def send_letter_again(run: Run) -> Run:
    """The run, whose letter that is under way is sent once more."""
    if run.case is None or run.case.waits is None:
        return run
    letter = run.case.waits.model_copy(update={"attempt": run.case.waits.attempt + 1})
    return run.model_copy(update={"case": run.case.model_copy(update={"waits": letter})})


def take_answer(run: Run, answer: CaseAnswer, playbook: Playbook) -> Run:
    """The run with what its case knows; what somebody else changed as well stays to be decided."""
    link = run.case
    assert link is not None, "an answer is to a letter"
    state, marks, conflicts = _take_leaves(run, link, answer, playbook)
    after = link.model_copy(
        update={
            "joined": True,
            "version": answer.version,
            "marks": marks,
            "waits": None,
            "conflicts": conflicts,
            "files": tuple(dict.fromkeys((*link.files, *answer.files))),
        }
    )
    return run.model_copy(update={"state": _with_files(state, answer), "case": after})


def _take_leaves(
    run: Run, link: CaseLink, answer: CaseAnswer, playbook: Playbook
) -> tuple[AgentState, dict[str, CaseMark], tuple[CaseConflict, ...]]:
    """The state with the case's leaves, what is known of them, and those in conflict."""
    state, marks, conflicts = run.state, dict(link.marks), []
    own, value_faults = playbook.definition.case.own, playbook.definition.value_faults
    told = link.waits.changes if link.waits and not answer.repeated else {}
    for path, leaf in answer.leaves.items():
        if path in own or (leaf.value is not None and value_faults(path, leaf.value)):
            # It is nothing that this playbook shares, or not any more.
            continue
        known = marks[path].digest if path in marks else NO_DIGEST
        mine = value_digest(value_of(path, state))
        is_lost = path not in told and mine not in (known, value_digest(leaf.value))
        if path in answer.conflicts or is_lost:
            conflicts.append(CaseConflict(path=path, theirs=leaf))
        else:
            state = patch_at(path, leaf.value, leaf.author.by).apply(state)
        marks[path] = _mark(leaf.value, leaf.version)
    return state, marks, tuple(conflicts)


def _with_files(state: AgentState, answer: CaseAnswer) -> AgentState:
    """The state with the files that other requests of the case were given."""
    known = {file.name for file in state.attachments}
    more = tuple(
        Attachment(name=name, tried=True, place=answer.places.get(name, ""))
        for name in answer.files
        if name not in known
    )
    return state.model_copy(update={"attachments": (*state.attachments, *more)})


def with_conflict_frame(run: Run) -> Run:
    """The run, in which its requester is to decide on what was changed meanwhile."""
    assert run.case is not None, "conflicts are with a case"
    frame = CaseFrame(conflicts=run.case.conflicts, held=run.result)
    return run.model_copy(update={"frames": (*run.frames, frame), "result": None})


def without_conflict_frame(run: Run, frame: CaseFrame) -> Run:
    """The run once all of them are decided, as if the frame had never been."""
    assert run.case is not None, "conflicts are with a case"
    remarks = (*run.case.remarks, *frame.remarks)
    link = run.case.model_copy(update={"conflicts": (), "remarks": remarks})
    update = {"frames": run.frames[:-1], "result": frame.held, "case": link}
    return run.model_copy(update=update)


def with_remark(run: Run, text: str) -> Run:
    """The run, whose part says this from now on."""
    assert run.case is not None, "remarks are about a case"
    link = run.case.model_copy(update={"remarks": (*run.case.remarks, text)})
    return run.model_copy(update={"case": link})


def pass_phases(before: Run, run: Run, playbook: Playbook, said: Collection[str]) -> Run:
    """The run past the phases that the case has completed, and not the run, which is told.

    `said` are fields for which the message has a value of its own.
    """
    top = run.frames[0]
    if not isinstance(top, PlannerFrame):
        return run
    manager = PhaseManager(playbook, run.request)
    passed = [
        phase
        for phase in manager.phases
        if manager.missing(phase, before.state)
        and not manager.missing(phase, run.state)
        and set(said).isdisjoint(phase.checkpoints)
    ]
    if not passed:
        return run
    names = say("list.items", run.lang).join(literal(p.name(run.lang)) for p in passed)
    ids = tuple(p.id for p in passed)
    frame = top.model_copy(update={"announced": (*top.announced, *ids), "passed": ids})
    run = run.model_copy(update={"frames": (frame, *run.frames[1:])})
    return with_remark(run, say("case.passed", run.lang, phases=names))


def _letter(run: Run, link: CaseLink, by: str, now: datetime) -> CaseLetter:
    """The run's next letter, with nothing but itself and what was decided."""
    end = end_of(run)
    about = CaseRun(
        id=run.id,
        name=run.name,
        request=run.request,
        requester=run.requester.id,
        requester_name=run.requester.name,
        conversation=run.conversation,
        started_at=run.started_at,
        end=end,
        reason="\n\n".join(e.said for e in standing_failures(run.state) if e.said) if end else "",
        ended_at=now if end else None,
    )
    return CaseLetter(
        case=link.name,
        run=about,
        number=link.letters + 1,
        known=link.version,
        decided=link.decided,
        author=CaseAuthor(by=by, name=run.requester.name, run=run.id, at=now),
    )


def _changes(run: Run, link: CaseLink, playbook: Playbook) -> dict[str, CaseChange]:
    """What the run has and the case does not, by path; None for what it cleared."""
    rows, own = playbook.definition.case.rows, playbook.definition.case.own
    state = run.state
    whole = Patch(by="", profile=state.profile, decisions=state.decisions, data=state.data)
    changes = {}
    for path in dict.fromkeys((*whole.paths, *link.marks)):
        mark, value = link.marks.get(path), value_of(path, run.state)
        if path in own or value_digest(value) == (mark.digest if mark else NO_DIGEST):
            continue
        changes[path] = CaseChange(
            value=value,
            base=mark.version if mark else 0,
            was=mark.rows if mark else None,
            row=rows.get(path, ""),
        )
    return changes


def patch_at(path: str, value: Any, by: str) -> Patch:
    """The change that sets a path to a value, or clears it with None."""
    section, name = split_path(path)
    return Patch.model_validate({"by": by, section or "data": {name: value}})


def _mark(value: Any, version: int) -> CaseMark:
    rows: CaseRows | None = value if isinstance(value, tuple) else None
    return CaseMark(version=version, digest=value_digest(value), rows=rows)


def _post(letter: CaseLetter) -> Post:
    return mail_post(letter.case.lane, CaseLetterArrived(letter=letter).stored(), letter.row)


def mail_post(lane: str, mail: str, key: str) -> Post:
    """The outbox row that takes mail to a lane of another partition, once by its `key`."""
    body = json.dumps({"lane": lane, "mail": mail, "key": key}, ensure_ascii=False)
    return Post(row=key, conversation=f"lane:{lane}", kind="letter", ref=key, body=body)
