"""What a turn may use."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from cards.model import Principal
from engine.frames.outcome import People, Services
from engine.frames.replies import ReplyHead
from engine.playbooks.model import Playbook, Request
from engine.playbooks.startable import startable
from engine.ports.inbox_files import NO_FILES, InboxFiles
from engine.ports.library import Library
from engine.ports.meter import UNHEARD, Meter
from engine.ports.model import Model
from engine.ports.records import Records
from engine.ports.storage.drafts import UNSEEN, Drafting
from engine.ports.storage.findings import Findings
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.store import Decisions
from engine.react import Budget
from engine.talk.turn.tracing import Tracing
from engine.tools.model import Tool, ToolContext
from engine.understanding.learned.table import RouteTable

LoadPlaybook = Callable[[str], Awaitable[Playbook | None]]
"""The playbook of a digest, or None when it is published nowhere."""


@dataclass(frozen=True, slots=True)
class TurnServices:
    """Read-only tools, the current playbooks, cards and replies to read, names for new things.

    `table` is what the router has learned of the playbooks and tools.

    `barred` are requests (`playbook/request`) that the person may not start.

    `derived_id(conversation, *seeds)` gives the same id for the same seeds, so that a turn that
    is handled again names its reply and runs alike.
    """

    records: Records
    tools: tuple[Tool[Any], ...]
    playbooks: Mapping[str, Playbook]
    model: Model | None
    decisions: Decisions
    people: People
    table: RouteTable
    playbook: LoadPlaybook
    new_id: Callable[[str], str]
    derived_id: Callable[..., str]
    now: datetime
    today: date
    zone: str
    reply_after_s: float
    library: Library
    findings: Findings
    inbox: Inbox
    project: Callable[[str], str]
    budget: Budget
    tracing: Tracing
    elapsed_s: Callable[[], float]
    meter: Meter = UNHEARD
    files: InboxFiles = NO_FILES
    drafting: Drafting = UNSEEN
    barred: Mapping[str, Request] = field(default_factory=dict)

    def limited_to(self, person: Principal) -> "TurnServices":
        """The same with what this person may start and read with alone; all else is `barred`.

        Whoever is not admitted any more may do nothing.
        """
        if not self.people.admits(person):
            return replace(self, tools=(), playbooks={})
        playbooks, barred = startable(self.playbooks, person)
        tools = tuple(tool for tool in self.tools if person.holds_one_of(tool.roles))
        return replace(self, tools=tools, playbooks=playbooks, barred=barred)

    def for_steps(self) -> Services:
        """What a skill that only finds out may use."""
        return Services(
            records=self.records,
            people=self.people,
            model=self.model,
            new_id=self.new_id,
            now=self.now,
            today=self.today,
            zone=self.zone,
            library=self.library,
            project=self.project,
            meter=self.meter,
        )

    def tool_context(self, head: ReplyHead) -> ToolContext:
        """What look-ups get: no key and nobody's approval, so that no write can succeed."""
        return ToolContext(
            records=self.records,
            today=self.today,
            project=self.project(head.conversation),
            conversation=head.conversation,
            person=head.principal,
            library=self.library,
            meter=self.meter,
        )
