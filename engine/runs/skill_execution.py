"""One skill, run by itself for another program: nothing of it is stored or written (spec 000 §3.1).

It is run as any other, step by step, under the limits of force_skill. Nobody is asked: the caller
gets the card, and nothing can have been approved.
"""

import asyncio
import json
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from cards.model import Card, Lang, Principal
from engine.frames.intents import Intent
from engine.frames.outcome import StepContext
from engine.frames.replies import Part
from engine.frames.state import AgentState, ModelFrame, PlannerFrame, Run
from engine.mail import RunContinued, RunMail, RunStarted
from engine.planner.situation import Situation, check_availability
from engine.planner.strategies import force_skill
from engine.playbooks.model import Phase, Playbook
from engine.playbooks.skill import Skill
from engine.runs.run import StepResult, advance_run
from engine.runs.step_services import step_services
from engine.services import Services
from engine.toolbox.toolbox import Toolbox

MAX_STEPS: Final = 200
CALLER: Final = Principal(id="api", name="API")
"""The requester of the run, who holds no role."""

ExecutionOutcome = Literal[
    "done",
    "asks",
    "constraint",
    "failed",
    "no_model",
    "model_away",
    "model_faulty",
    "timeout",
]


@dataclass(frozen=True, slots=True)
class SkillExecution:
    """The skill to run, and on what. `id` names the run.

    `phase` is "" for the first that allows the skill; a phase that is named must allow it.
    `request` is one of the playbook's, "" for any. `project` bounds what tools read.
    """

    id: str
    playbook: Playbook
    skill: Skill
    state: AgentState
    message: str
    lang: Lang
    project: str
    phase: str = ""
    request: str = ""

    @property
    def conversation(self) -> str:
        """The conversation that the run is said to belong to; nothing is ever said there."""
        return f"api:{self.skill.id}"


@dataclass(frozen=True, slots=True)
class SkillResult:
    """What came of the skill, and why. `steps` has the log entry of each step, in order.

    `end` has the run as it is in the end, None when it did not get there; `card` is what it asks.
    """

    outcome: ExecutionOutcome
    why: str
    steps: tuple[dict[str, Any], ...] = ()
    end: StepContext | None = None
    card: Card | None = None

    @property
    def asked_model(self) -> tuple[dict[str, Any], ...]:
        """Every answer of the model, or how it failed."""
        calls = (call for entry in self.steps for call in entry.get("calls", ()))
        return tuple(call for call in calls if call["kind"] == "model")


async def execute_skill(
    order: SkillExecution, services: Services, *, within_s: float, max_steps: int = MAX_STEPS
) -> SkillResult:
    """Run the skill until it is done, asks somebody, cannot go on, or takes too long."""
    phase = _choose_phase(order)
    if phase is None:
        return SkillResult("constraint", f"{order.skill.id} cannot run: its playbook has no phases")
    if barred := await _find_obstacle(order, phase, services.toolbox):
        return SkillResult("constraint", barred)
    if (order.skill.system_prompt or order.skill.planner) and services.model is None:
        return SkillResult("no_model", f"{order.skill.id} needs a model, and none is set")
    services = replace(services, project=lambda _: order.project)
    context = StepContext(_new_run(order, phase, services), _without_sync(order.playbook), services)
    entries: list[dict[str, Any]] = []
    try:
        async with asyncio.timeout(within_s):
            return await _run_to_the_end(context, entries, max_steps)
    except TimeoutError:
        return SkillResult("timeout", f"not done within {within_s:g} s", tuple(entries))


def _choose_phase(order: SkillExecution) -> Phase | None:
    if order.phase:
        return order.playbook.phase(order.phase)
    phases = order.playbook.definition.phases_of(order.request)
    allowing = (phase for phase in phases if _is_allowed_in(phase, order))
    return next(allowing, phases[0] if phases else None)


def _is_allowed_in(phase: Phase, order: SkillExecution) -> bool:
    return order.skill.id in (phase.allowed_skills or order.playbook.definition.allowed_skills)


async def _find_obstacle(order: SkillExecution, phase: Phase, toolbox: Toolbox) -> str:
    """Why the skill cannot run in this phase, "" when it can."""
    skill, state = order.skill, order.state
    if skill.jobs:
        return f"{skill.id} cannot run by itself: its jobs are runs of their own"
    planned = skill.plan.calls if skill.plan else ()
    found = (toolbox.find(call.tool, order.playbook) for call in planned)
    if writes := [tool.name for tool in found if not tool.readonly]:
        return f"{', '.join(writes)}: nobody approved it"
    if order.phase and not skill.api_call_only and not _is_allowed_in(phase, order):
        return f"{skill.id} cannot run: phase {phase.id} does not allow it"
    skills = check_availability(order.playbook, phase, state, force=skill.id)
    now = Situation(order.playbook, order.request, phase, state, skills, force=skill.id)
    plan = await force_skill(now)
    return plan.why if plan and plan.action == "stuck" else ""


def _new_run(order: SkillExecution, phase: Phase, services: Services) -> Run:
    definition = order.playbook.definition
    intent = Intent(kind="workflow", text=order.message, playbook=definition.id)
    return Run(
        id=order.id,
        playbook=definition.id,
        digest=order.playbook.digest,
        request=order.request,
        name=definition.name(order.lang),
        conversation=order.conversation,
        lang=order.lang,
        requester=CALLER,
        text=order.message,
        message=order.message,
        reply="",
        part=Part(index=0, intent=intent, state="working", text=""),
        slot=False,
        frames=(PlannerFrame(phase=phase.id, force=order.skill.id),),
        state=order.state,
        started_at=services.now,
    )


def _without_sync(playbook: Playbook) -> Playbook:
    """The playbook without a system of record."""
    definition = playbook.definition.model_copy(update={"sync": None})
    return playbook.model_copy(update={"definition": definition})


async def _run_to_the_end(
    context: StepContext, entries: list[dict[str, Any]], max_steps: int
) -> SkillResult:
    mail: RunMail = RunStarted()
    while len(entries) < max_steps:
        services = step_services(context.services, context.run, context.playbook)
        stepped = await advance_run(mail, replace(context, services=services))
        run = _read_run(stepped, context.run.id)
        context = replace(context, run=run)
        entries += [json.loads(entry) for _, entry in stepped.effects.log]
        if run.status != "running":
            return _result_of(context, stepped, tuple(entries))
        mail = RunContinued()
        # Steps that wait for nothing must not keep the process from its other work.
        await asyncio.sleep(0)
    return SkillResult("timeout", f"not done after {max_steps} steps", tuple(entries))


def _read_run(stepped: StepResult, run_id: str) -> Run:
    body = next(written.body for written in stepped.effects.runs if written.id == run_id)
    return Run.model_validate_json(body)


def _result_of(
    end: StepContext, stepped: StepResult, entries: tuple[dict[str, Any], ...]
) -> SkillResult:
    run, why = end.run, str(entries[-1]["why"])
    if run.status == "completed":
        return SkillResult("done", why, entries, end)
    card = next((written.card for written in stepped.effects.cards), None)
    away = any(call.get("away") for call in entries[-1].get("calls", ()))
    if run.status != "suspended" or card is None:
        return SkillResult("model_away" if away else "failed", why, entries, end)
    top = run.frames[-1]
    if isinstance(top, ModelFrame) and top.by_hand:
        # In a chat a person would now fill in what the model should have.
        return SkillResult("model_away" if away else "model_faulty", why, entries, end)
    return SkillResult("asks", why, entries, end, card)
