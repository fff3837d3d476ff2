"""An office with four requests of one person: rejected, done, under review, and waiting."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from cards.model import Card, CardKind, Choice, Decision, Lang, Principal, Review
from engine.frames.intents import Intent
from engine.frames.replies import Part, ReplyHead
from engine.frames.state import AgentState, PlannerFrame, Run
from engine.playbooks.model import Playbook, PlaybookFile
from engine.ports.storage.inbox import OpenCardTokens
from engine.ports.storage.own_runs import KeptRun, OwnRunIds
from engine.services import Services
from engine.text.entity_kinds import NamedEntity
from engine.understanding.context import RouteContext
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from tests.fakes.services import services_of

ANA = Principal(id="ana", name="Ana")
BO = Principal(id="bo", name="Bo", roles=("manager",))
CY = Principal(id="cy", name="Cy", roles=("finance",))
WU = Principal(id="wu", name="Dr. Wu", roles=("partner",))
HERE = "web:local:office"


def _playbooks() -> dict[str, Playbook]:
    text = Path(__file__).with_suffix(".yaml").read_text("utf-8")
    definitions = [PlaybookFile.model_validate(each) for each in yaml.safe_load_all(text)]
    return {d.id: Playbook(definition=d, skills={}, digest=d.id) for d in definitions}


PLAYBOOKS = _playbooks()


def _day(day: int, hour: int = 9) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def _card(
    run: str,
    title: str,
    role: str,
    *,
    by: Principal | None = None,
    kind: CardKind = "confirm",
    choice: str = "approve",
    at: datetime | None = None,
    reason: str = "",
    deadline: datetime | None = None,
    lang: Lang = "en",
    waits: str = "",
) -> Card:
    decision = None
    if by is not None and at is not None:
        values = {"reason": reason} if reason else {}
        decision = Decision(choice=choice, person=by.id, name=by.name, at=at, values=values)
    labels = (("approve", "Approve", "批准"), ("reject", "Reject", "驳回"))
    return Card(
        kind=kind,
        token=f"00-{run}-{role}",
        run=run,
        conversation=HERE,
        lang=lang,
        title=title,
        choices=tuple(Choice(id=i, label=zh if lang == "zh" else en) for i, en, zh in labels),
        review=Review(roles=(role,), approvers=tuple(p.id for p in (BO, CY, WU))),
        requester=ANA.id,
        requester_name=ANA.name,
        waiting_for=waits,
        status="decided" if decision else "open",
        decision=decision,
        deadline=deadline,
    )


def _run(
    playbook: str, name: str, at: datetime, data: dict[str, Any], lang: Lang, **more: Any
) -> Run:
    definition = PLAYBOOKS[playbook].definition
    part = Part(
        index=0, intent=Intent(kind="workflow", text=name), state="working", text="", run=playbook
    )
    return Run(
        id=f"00-{playbook}",
        playbook=playbook,
        digest=playbook,
        request=definition.requests[0].id,
        name=name,
        conversation=f"web:local:{playbook}",
        lang=lang,
        requester=ANA,
        text=name,
        message=name,
        reply="",
        part=part,
        slot=False,
        started_at=at,
        frames=(PlannerFrame(phase=definition.phases[0].id),),
        state=AgentState(data=data),
        **more,
    )


def kept_runs(lang: Lang) -> tuple[KeptRun, ...]:
    """The four requests as they are stored on 6 March, asked for in that language."""
    zh = lang == "zh"
    expense = _run(
        "expenses",
        "报销" if zh else "Expenses",
        _day(2),
        {"number": "E-7", "kind": "hotel", "amount": {"value": 1200, "currency": "EUR"}},
        lang,
        status="completed",
        end="rejected",
        named=(NamedEntity(kind="expense", id="E-7", text="E-7", start=0),),
    )
    leave = _run(
        "leave",
        "请假" if zh else "Leave",
        _day(1),
        {"kind": "annual", "first_day": "2026-04-06", "last_day": "2026-04-10"},
        lang,
        status="completed",
        end="done",
    )
    lawsuit = _run(
        "lawsuit",
        "起草起诉状" if zh else "Draft the complaint",
        _day(3),
        {
            "matter": "M-12",
            "client": "林氏贸易" if zh else "Lin Trading",
            "defendant": "海港食品" if zh else "Harbor Foods",
            "cause": "买卖合同纠纷" if zh else "breach of sales contract",
        },
        lang,
        status="suspended",
    )
    supplies = _run(
        "supplies",
        "采购" if zh else "Supplies",
        _day(5),
        {"item": "手套" if zh else "gloves", "quantity": 40, "supplier": "Medline depot"},
        lang,
        status="suspended",
    )
    review = "请审批" if zh else "Please review"
    draft = "请审核起诉状草稿" if zh else "Please review the draft complaint"
    confirm = "请确认案由" if zh else "Please confirm the cause of action"
    of: tuple[tuple[Run, datetime | None, tuple[Card, ...]], ...] = (
        (
            expense,
            _day(4),
            (
                _card(
                    expense.id,
                    review,
                    "finance",
                    by=CY,
                    choice="reject",
                    at=_day(4),
                    reason="no receipt",
                    lang=lang,
                ),
            ),
        ),
        (leave, _day(2), (_card(leave.id, review, "manager", by=BO, at=_day(2), lang=lang),)),
        (
            lawsuit,
            None,
            (
                _card(lawsuit.id, confirm, "partner", by=WU, at=_day(3, 15), lang=lang),
                _card(lawsuit.id, draft, "reviewer", lang=lang, waits=WU.name),
            ),
        ),
        (
            supplies,
            None,
            (_card(supplies.id, review, "manager", lang=lang, waits=BO.name, deadline=_day(9)),),
        ),
    )
    return tuple(
        KeptRun(
            id=run.id,
            body=run.stored(),
            ended="completed" if ended else "",
            ended_at=ended,
            cards=cards,
        )
        for run, ended, cards in of
    )


@dataclass(frozen=True, slots=True)
class OfficeRuns:
    """The runs of the office, which belong to Ana."""

    runs: tuple[KeptRun, ...]

    async def find(self, names: Sequence[str], *, limit: int) -> OwnRunIds:
        """Ana's, or none."""
        if ANA.id not in names:
            return OwnRunIds()
        living = tuple(each.id for each in self.runs if not each.ended)
        ended = tuple(each.id for each in self.runs if each.ended)
        return OwnRunIds(living=living[::-1][:limit], ended=ended[:limit])

    async def read(self, runs: Sequence[str]) -> Sequence[KeptRun]:
        """Those of these ids."""
        return [each for name in runs for each in self.runs if each.id == name]

    async def repair(self) -> int:
        """Nothing is to be mended."""
        return 0


class OfficePeople:
    """Whoever asks is alone where they ask."""

    everybody = (ANA, BO, CY, WU)

    def scope_to(self, conversation: str, project: str | None = None) -> "OfficePeople":
        """They are the same everywhere."""
        return self

    def scope_of(self, card: Card) -> "OfficePeople":
        """Nor does it matter where a card lies."""
        return self

    def deciders(self, review: Review) -> list[Principal]:
        """Whoever holds one of its roles."""
        return [each for each in self.everybody if set(review.roles) & set(each.roles)]

    def refresh(self, principal: Principal) -> Principal:
        """Everybody is who they were."""
        return principal

    def private_place(self, actor: object, conversation: str) -> str:
        """There."""
        return conversation

    def find_listed(self, handle: str) -> Principal | None:
        """By id."""
        return next((each for each in self.everybody if each.id == handle), None)


class NoInbox:
    """Nothing waits for Ana."""

    async def find_tokens(self, names: Sequence[str]) -> OpenCardTokens:
        """None."""
        return OpenCardTokens()

    async def cards(self, tokens: Sequence[str]) -> Sequence[Card]:
        """None."""
        return ()

    async def active_runs(self, conversation: str) -> Sequence[tuple[str, str]]:
        """None goes on here."""
        return ()


def office_services(lang: Lang) -> Services:
    """What a turn may use there."""

    async def playbook(digest: str) -> Playbook | None:
        return PLAYBOOKS.get(digest)

    return services_of(
        people=OfficePeople(),
        own_runs=OfficeRuns(kept_runs(lang)),
        inbox=NoInbox(),
        decisions=NoInbox(),
        playbook=playbook,
        playbooks=PLAYBOOKS,
        model=None,
        now=datetime(2026, 3, 6, 9, tzinfo=UTC),
    )


def head_of(text: str, lang: Lang, person: Principal = ANA) -> ReplyHead:
    """The head of a reply to that text."""
    return ReplyHead(
        id="00-reply", conversation=HERE, lang=lang, principal=person, text=text, at=_day(6)
    )


def office_table(talk: Talk) -> RouteTable:
    """What the router has learned of the office."""
    return RouteTable({p.id: p.definition for p in PLAYBOOKS.values()}, (), talk)


def context_of(table: RouteTable, lang: Lang, work: Any) -> RouteContext:
    """A message of Ana's is read so."""
    return RouteContext(
        table=table,
        entities=table.entities,
        tools=(),
        open_cards=(),
        principal=ANA,
        today=_day(6).date(),
        recent=(),
        lang=lang,
        work=work,
    )
