"""Mail: everything that can lie in a lane and is handled there (design §3)."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from cards.frozen import Frozen
from cards.model import Decision, Lang, Principal
from engine.events import CommandGiven, MessageReceived
from engine.frames.case import CaseAnswer, CaseLetter
from engine.ports.model import ModelUsage


class _Mail(Frozen):
    """Every mail has a kind."""

    kind: str

    def stored(self) -> str:
        """JSON for a lane: the kind and what is not a default, so that older builds read it too."""
        text = self.model_dump_json(exclude_defaults=True, exclude={"kind"})
        return f'{{"kind":"{self.kind}"{"," if text != "{}" else ""}{text[1:]}'


class MessageArrived(_Mail):
    """Talk lane: a person's message."""

    kind: Literal["said"] = "said"
    update: MessageReceived
    principal: Principal


class CommandArrived(_Mail):
    """Control lane: a person's command."""

    kind: Literal["commanded"] = "commanded"
    update: CommandGiven
    principal: Principal


class ServiceNotice(_Mail):
    """Control lane: the service itself says something; `text` is Markdown.

    `thread` is the place inside the conversation where it is said, "" for none.
    """

    kind: Literal["announced"] = "announced"
    id: str
    lang: Lang
    text: str
    thread: str = ""


class StrangerArrived(_Mail):
    """Control lane of an admin's home: who is not admitted wrote, in `where`, by that update."""

    kind: Literal["stranger_came"] = "stranger_came"
    stranger: Principal
    where: str
    update: str


class PartReady(_Mail):
    """Talk lane: the run that part `index` of a reply waited for has ended.

    `retried`: an operator wants the part, which had been given up, handled again.
    """

    kind: Literal["part_ready"] = "part_ready"
    reply: str
    index: int
    completed: bool
    retried: bool = False


class RunStarted(_Mail):
    """Run lane: a new run begins."""

    kind: Literal["started"] = "started"


class RunContinued(_Mail):
    """Run lane: the run goes on from its last persisted step."""

    kind: Literal["continued"] = "continued"


class RunResumed(_Mail):
    """Run lane: an operator lets a blocked run go on, with the mail that it was blocked at.

    `by` and `via` are who did so, and from where, for the log.
    """

    kind: Literal["resumed"] = "resumed"
    by: str = ""
    via: str = ""


class CardDecided(_Mail):
    """Run lane: a card that the run waits for was decided."""

    kind: Literal["card_decided"] = "card_decided"
    card: str
    decision: Decision


class CardExpired(_Mail):
    """Run lane: a card's deadline has passed."""

    kind: Literal["card_expired"] = "card_expired"
    card: str


class ReviewDue(_Mail):
    """Run lane: a clock of an open review came due; the run itself makes no step."""

    kind: Literal["review_due"] = "review_due"
    card: str
    what: Literal["remind", "escalate"]


class ChangeSynced(_Mail):
    """Run lane: the system of record has taken the run's change `number`."""

    kind: Literal["synced"] = "synced"
    number: int


class SyncFailed(_Mail):
    """Run lane: the system of record refused change `number` for good, at this `attempt`."""

    kind: Literal["sync_failed"] = "sync_failed"
    number: int
    attempt: int
    reason: str


class CaseLetterArrived(_Mail):
    """Case lane: a run tells what it changed, or asks what is known."""

    kind: Literal["case_letter"] = "case_letter"
    letter: CaseLetter


class CaseAnswered(_Mail):
    """Run lane: the case has taken the run's letter."""

    kind: Literal["case_answer"] = "case_answer"
    answer: CaseAnswer


class ChildRunReported(_Mail):
    """Run lane: a child run has ended, or is blocked; `patch` is the last change it made, JSON.

    `used` is what it had of the model.
    """

    kind: Literal["child_ran"] = "child_ran"
    run: str
    key: str
    status: str
    patch: str
    reason: str
    used: ModelUsage = ModelUsage()


class AlarmRang(_Mail):
    """Run lane: a moment that the run waits for has come."""

    kind: Literal["alarm_rang"] = "alarm_rang"
    id: str


class FilesJoined(_Mail):
    """Run lane: these files were shared in the run's conversation while it went on."""

    kind: Literal["files_joined"] = "files_joined"
    names: tuple[str, ...]


class GraphOrdered(_Mail):
    """Run lane: `name` (`by`) wants the run's job graph to stop, a job to fail, or it to go on.

    `via` is from where, for the log.
    """

    kind: Literal["graph_ordered"] = "graph_ordered"
    what: Literal["stop", "fail", "recover"]
    by: str
    name: str
    text: str = ""
    job: str = ""
    via: str = ""


class MigrationOrdered(_Mail):
    """Run lane: an operator wants the run to go on with the playbook of digest `to`."""

    kind: Literal["migrated"] = "migrated"
    to: str
    by: str = ""
    via: str = ""


GIVEN_UP = "handling failed, or ended its worker, again and again"
"""Why mail is set aside after its last attempt, for operators."""

TalkMail = MessageArrived | PartReady
RunMail = (
    RunStarted
    | RunContinued
    | RunResumed
    | CardDecided
    | CardExpired
    | ReviewDue
    | ChangeSynced
    | SyncFailed
    | CaseAnswered
    | FilesJoined
    | MigrationOrdered
    | ChildRunReported
    | AlarmRang
    | GraphOrdered
)
Mail = Annotated[
    TalkMail | CommandArrived | ServiceNotice | StrangerArrived | CaseLetterArrived | RunMail,
    Field(discriminator="kind"),
]
_MAIL: TypeAdapter[Mail] = TypeAdapter(Mail)


def parse_mail(text: str) -> Mail:
    """Mail from its JSON; raises pydantic's ValidationError for what no version of us wrote."""
    return _MAIL.validate_json(text)
