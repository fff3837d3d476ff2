"""Changes for the system of record: sent at least once, in order, one at a time (spec 003)."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from cards.model import SUBMIT, Decision, Vote
from engine.frames.leaves import NO_DIGEST, value_digest, value_of
from engine.frames.state import ENDED, Run, position_of
from engine.playbooks.model import Playbook, PlaybookFile
from engine.ports.storage.store import Post
from engine.ports.systems.sync import Change, ChangeDecision, ChangeEnd, ChangeVote
from engine.sop.ends import SIGNOFF

MOST_DECISIONS: Final = 20
"""So many decisions a change tells, the newest."""

_NO_DECISIONS: Final = frozenset((SUBMIT, "withdraw"))


def ends_target(definition: PlaybookFile) -> str:
    """Where ends of the playbook's runs are sent, "" for nowhere."""
    sync = definition.sync
    return sync.to if sync and sync.ends else ""


def add_change(run: Run, playbook: Playbook, by: str, now: datetime, project: str = "") -> Run:
    """The run with one more change to send, if a synced field changed since the last one."""
    sync = playbook.definition.sync
    if sync is None or run.parent:
        # What a child found out is sent by its parent.
        return run
    values = {path: value_of(path, run.state) for path in sync.fields}
    digests = {path: value_digest(value) for path, value in values.items()}
    changed = {p: values[p] for p in values if digests[p] != run.sent.get(p, NO_DIGEST)}
    if not changed:
        return run
    change = _next_change(
        run,
        to=sync.to,
        project=project,
        by=by,
        by_kind="skill" if by in playbook.skills else "person",
        at=now,
        fields=changed,
    )
    update = {
        "decided": (),
        "outgoing": (*run.outgoing, change),
        "changes": change.number,
        "sent": {path: digest for path, digest in digests.items() if digest != NO_DIGEST},
    }
    return run.model_copy(update=update)


def _next_change(run: Run, **more: Any) -> Change:
    """The run's next change, with what is the same in all of them."""
    return Change(
        run=run.id,
        playbook=run.playbook,
        request=run.request,
        request_key=run.part.intent.key,
        conversation=run.conversation,
        requester=run.requester.id,
        number=run.changes + 1,
        case={"of": run.case.name.of, "key": run.case.name.key} if run.case else None,
        decided=run.decided,
        **more,
    )


def end_posts(run: Run, now: datetime, by: str) -> tuple[Post, ...]:
    """The last change of a run that has ended now: how; none where its playbook wants none.

    `by` is who ended it, "" where nobody did.
    """
    if not run.ends_to or run.parent:
        return ()
    ended = ChangeEnd(state=run.part.state, text=run.part.full_text())
    change = _next_change(
        run,
        to=run.ends_to,
        project=run.project,
        by=by or SIGNOFF,
        by_kind="person" if by else "",
        at=now,
        fields={},
        ended=ended,
    )
    return (_post(change),)


def note_decision(run: Run, playbook: Playbook, decision: Decision) -> Run:
    """The run, whose next change tells what people decided now; forms only give values."""
    if playbook.definition.sync is None or run.parent or decision.choice in _NO_DECISIONS:
        return run
    told = ChangeDecision(
        about=position_of(run.frames[-1]).partition(":")[2],
        choice=decision.choice,
        option=decision.option,
        reason=str(decision.values.get("reason") or decision.values.get("feedback") or ""),
        votes=tuple(map(_vote, decision.votes or (decision,))),
    )
    if told in run.decided:
        # The step is tried again.
        return run
    return run.model_copy(update={"decided": (*run.decided, told)[-MOST_DECISIONS:]})


def _vote(given: Vote | Decision) -> ChangeVote:
    reason = given.values.get("reason", "") if isinstance(given, Decision) else given.reason
    return ChangeVote(
        person=given.person,
        name=given.name,
        choice=given.choice,
        at=given.at,
        reason=str(reason),
        seat=given.seat,
    )


def note_known(run: Run, playbook: Playbook, paths: Iterable[str]) -> Run:
    """The run, which need not send what stands at these paths: its case has it from others."""
    sync = playbook.definition.sync
    known = {
        path: value_digest(value_of(path, run.state))
        for path in (sync.fields if sync else ())
        if path in set(paths)
    }
    sent = {path: digest for path, digest in {**run.sent, **known}.items() if digest != NO_DIGEST}
    return run.model_copy(update={"sent": sent})


def remove_taken_change(run: Run, number: int) -> Run:
    """The run without the change that was taken; the run itself for any other number."""
    if not _under_way(run, number):
        return run
    return run.model_copy(update={"outgoing": run.outgoing[1:]})


def is_about_current_change(run: Run, number: int, attempt: int) -> bool:
    """Whether this refusal is about the change that is under way, at its last attempt."""
    return _under_way(run, number) and run.outgoing[0].attempt == attempt


def send_again(run: Run) -> Run:
    """The run, for which the change that is under way is sent once more."""
    if not run.outgoing:
        return run
    first = run.outgoing[0]
    first = first.model_copy(update={"attempt": first.attempt + 1})
    return run.model_copy(update={"outgoing": (first, *run.outgoing[1:])})


def change_posts(before: Run, after: Run) -> tuple[Post, ...]:
    """The change that is under way from now on, for the outbox; all of them when the run ends."""
    if after.status in ENDED:
        return unsent_posts(after)
    if not after.outgoing or after.outgoing[:1] == before.outgoing[:1]:
        return ()
    return (_post(after.outgoing[0]),)


def unsent_posts(run: Run) -> tuple[Post, ...]:
    """The changes that an ended run has not sent; all at once, as no answer reaches it any more.

    A destination's rows keep their order.
    """
    return tuple(_post(change) for change in run.outgoing[1:])


def _post(change: Change) -> Post:
    return Post(
        row=change.row,
        conversation=f"sync:{change.run}",
        kind="sync",
        ref=change.row,
        body=change.model_dump_json(),
    )


def _under_way(run: Run, number: int) -> bool:
    return bool(run.outgoing) and run.outgoing[0].number == number
