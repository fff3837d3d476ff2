"""A run of one SOP, step by step with the state as JSON between steps, as a worker runs it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cards.model import Card, Decision, Principal
from engine.frames.intents import Intent
from engine.frames.outcome import StepContext
from engine.frames.replies import Part
from engine.frames.state import AgentState, Run, SopFrame
from engine.mail import CardDecided, CardExpired, RunMail, RunStarted, parse_mail
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.model import Completion, Message, Model, Purpose, ToolCall, ToolOffer
from engine.ports.storage.findings import Check, CheckReport, Withdrawal
from engine.rules.soft import DEFAULT_LIMITS, SoftLimits
from engine.runs.run import advance_run
from engine.runs.step_services import step_services
from engine.services import ServiceLimits, Services
from tests.fakes.services import services_of
from tests.fakes.settings import load_people
from tests.fakes.study import Study, study_toolbox

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "playbooks" / "clinical_qc" / "data"
NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
GOOD: dict[str, Any] = {
    "age": 61,
    "consent_date": "2026-10-01",
    "enrolment_date": "2026-10-05",
    "ecog": 1,
    "medical_history": "2025 年肺炎，已治愈",
}


def documented() -> dict[str, str]:
    """The files of docs/sop.md's example, by the path in their first line."""
    blocks = re.findall(
        r"```yaml\n# (\S+)\n(.*?)```", (ROOT / "docs/sop.md").read_text("utf-8"), re.S
    )
    return dict(blocks)


def with_sop(sop: str) -> dict[str, str]:
    """The example's files with another SOP, whose text is that of the key `sop`."""
    files = documented()
    skill = files["skills/eligibility.yaml"]
    indented = "".join(f"  {line}\n" if line else "\n" for line in sop.splitlines())
    return {**files, "skills/eligibility.yaml": skill[: skill.index("sop:")] + "sop:\n" + indented}


def loaded(files: Mapping[str, str]) -> Playbook:
    facts = study_toolbox().facts
    return load(files, roles=("crc", "reviewer"), held=("reviewer",), tools=facts)


def example() -> Playbook:
    return loaded(documented())


def sop(start: str, outcomes: str = "", **nodes: str) -> Playbook:
    text = "".join(f"  {name}: {node.strip()}\n" for name, node in nodes.items())
    ends = f"outcomes: {{{outcomes}}}\n" if outcomes else ""
    return loaded(with_sop(f"start_node: {start}\nnodes:\n{text}{ends}"))


def verdict(passed: bool = True, *, confidence: float = 0.9, **more: Any) -> Completion:
    """The model's verdict."""
    told = {"passed": passed, "reason": "As it stands.", "confidence": confidence, "evidence": []}
    return said(json.dumps({**told, **more}, ensure_ascii=False))


def said(text: str) -> Completion:
    return Completion(text)


def wants(*calls: tuple[str, Mapping[str, Any]]) -> Completion:
    """The model asks for tool calls."""
    made = (
        ToolCall(id=f"c{n}", name=name, arguments=json.dumps(a))
        for n, (name, a) in enumerate(calls)
    )
    return Completion("", tool_calls=tuple(made))


Answer = Completion | Exception


class Answering:
    """A model that gives the answer whose number is that of the dialogue's answers so far."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.heard: list[tuple[tuple[Message, ...], tuple[ToolOffer, ...]]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        self.heard.append((tuple(messages), tuple(tools)))
        answer = self.answers[sum(m.role == "assistant" for m in messages)]
        if isinstance(answer, Exception):
            raise answer
        return answer


def services(
    model: Model | None, records: Study, *, limits: SoftLimits = DEFAULT_LIMITS
) -> Services:
    tokens = iter(f"token-{number}" for number in range(1000))
    return services_of(
        records=records,
        people=replace(load_people(ROOT / "playbooks" / "people.yaml"), platforms=["web"]),
        model=model,
        new_id=lambda conversation: next(tokens),
        limits=ServiceLimits(soft=limits),
    )


def new_run(playbook: Playbook, data: Mapping[str, Any], *, id: str = "r1") -> Run:
    sop = playbook.skills["eligibility"].sop
    assert sop is not None
    return Run(
        id=id,
        playbook=playbook.id,
        digest=playbook.digest,
        name="筛选",
        conversation="web:local:main",
        lang="en",
        requester=Principal(id="lin", name="Lin", roles=("crc",)),
        text="",
        message="",
        reply="reply",
        part=Part(index=0, intent=Intent(kind="workflow", text="screen"), state="working", text=""),
        slot=False,
        frames=(SopFrame(skill="eligibility", node=sop.start_node),),
        state=AgentState(data=dict(data)),
        started_at=NOW,
    )


def approve(card: Card, by: str = "chen") -> RunMail:
    decision = Decision(choice="approve", person=by, name="Chen", at=NOW)
    return CardDecided(card=card.token, decision=decision)


def reject(card: Card, reason: str = "no") -> RunMail:
    decision = Decision(
        choice="reject", person="chen", name="Chen", at=NOW, values={"reason": reason}
    )
    return CardDecided(card=card.token, decision=decision)


def expire(card: Card) -> RunMail:
    return CardExpired(card=card.token)


@dataclass(frozen=True, slots=True)
class Ran:
    """Where the run is, the cards that it showed, its audit and what it told people."""

    run: Run
    cards: list[Card] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    withdrawn: list[Withdrawal] = field(default_factory=list)

    @property
    def judged(self) -> list[tuple[str, str, str, str]]:
        """Node, result, by whom and what was next, of each node that was left."""
        found = [entry["judged"] for entry in self.log if "judged" in entry]
        return [(j["node"], j["result"], j["by"], j["next"]) for j in found]

    @property
    def end(self) -> tuple[object, ...]:
        """What must not depend on crashes."""
        return (self.run.status, self.run.state, self.judged, [c.rows for c in self.cards])


async def ran(
    run: Run,
    playbook: Playbook,
    given: Services,
    *answers: Callable[[Card], RunMail],
    dies_before: int = -1,
) -> Ran:
    """The run until it rests with no answer left; one step may die unkept, and is done again."""
    result, left, mail = Ran(run), list(answers), RunStarted()
    while True:
        if len(result.log) == dies_before:
            await advance_run(mail, StepContext(result.run, playbook, given))
        services = step_services(given, result.run, playbook)
        stepped = await advance_run(mail, StepContext(result.run, playbook, services))
        after = Run.model_validate_json(stepped.effects.runs[0].body)
        posts = [post for post in stepped.effects.posts if post.kind == "check"]
        kept = [CheckReport.model_validate_json(post.body) for post in posts]
        checks = result.checks + [check for each in kept for check in each.checks]
        ended = result.withdrawn + [each.withdrawn for each in kept if each.withdrawn]
        cards = result.cards + [w.card for w in stepped.effects.cards]
        result = Ran(after, cards, result.log, checks, ended)
        result.log.append(json.loads(stepped.effects.log[0][1]))
        if stepped.front:
            mail = parse_mail(stepped.front)
        elif after.status == "suspended" and left:
            mail = left.pop(0)(result.cards[-1])
        else:
            return result


async def run(
    playbook: Playbook,
    records: Study,
    *answers: Callable[[Card], RunMail],
    model: Answering | None = None,
    **data: Any,
) -> Ran:
    kept = {k: v for k, v in {**GOOD, **data}.items() if v is not None}
    return await ran(new_run(playbook, kept), playbook, services(model, records), *answers)
