"""A visit to a run: steps that only think share one commit (design §3)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from engine.frames.outcome import StepContext
from engine.frames.state import Run
from engine.mail import RunContinued, RunMail, RunStarted
from engine.ports.storage.store import Effects, PartWrite, Refresh
from engine.runs.run import StepResult, take_step
from engine.runs.step_services import Outside, OutsideAsked, step_services
from engine.services import Services

MOST_STEPS = 16
"""So many steps share one commit at most."""

Take = Callable[[RunMail, StepContext], Awaitable[StepResult]]


async def advance_visit(
    mail: RunMail,
    context: StepContext,
    services: Services,
    *,
    most: int = MOST_STEPS,
    take: Take = take_step,
) -> StepResult:
    """Advance the run by a step, and by what follows as long as that asks nothing of the outside.

    `context` is that of the first step, and its `services` are made of these. Steps share a commit
    while they call no model, tool, file or sync, and neither open nor decide a card; one that opens
    cards and asks nothing may be the last. A step that wants more is not taken: it begins from what
    is persisted. Each step has its own entry in the log.
    """
    outside = Outside()
    first = replace(context, services=_services(outside, context.run, context, services))
    taken = await take(mail, first)
    following = isinstance(mail, RunStarted | RunContinued) and not outside.asked
    steps = 1
    while following and steps < most and taken.run is not None and _is_quiet(taken):
        ahead = await _take_ahead(taken.run, context, services, take)
        if ahead is None:
            break
        taken, steps = _together(taken, ahead), steps + 1
        following = _is_quiet(ahead)
    return taken.written()


async def _take_ahead(
    run: Run, context: StepContext, services: Services, take: Take
) -> StepResult | None:
    """The next step of a run that is not persisted yet; None where it asks for the outside."""
    outside = Outside(closed=True)
    made = _services(outside, run, context, services)
    try:
        # Nothing can be under way: what it follows called nothing.
        ahead = await take(RunContinued(), replace(context, run=run, services=made, follows=True))
    except (OutsideAsked, ExceptionGroup):
        if outside.asked:
            return None
        raise
    sends = any(post.kind in ("sync", "letter") for post in ahead.effects.posts)
    return None if outside.asked or ahead.run is None or sends else ahead


def _services(outside: Outside, run: Run, context: StepContext, services: Services) -> Services:
    return step_services(outside.watch(services), run, context.playbook)


def _is_quiet(step: StepResult) -> bool:
    """Whether the step changed only the run, its log, and what its part says."""
    said = replace(step.effects, parts=(), touches=(), log=())
    return bool(step.front) and not step.park and said == Effects()


def _together(one: StepResult, other: StepResult) -> StepResult:
    """Both steps as one commit: of what both write, the later state."""
    before = replace(one.effects, parts=(), touches=())
    effects = before.plus(other.effects)
    parts: dict[tuple[str, int], PartWrite] = {
        (part.reply, part.index): part for part in (*one.effects.parts, *other.effects.parts)
    }
    touches: dict[str, Refresh] = {}
    for touch in (*one.effects.touches, *other.effects.touches):
        known = touches.get(touch.ref, touch)
        touches[touch.ref] = min(known, touch, key=lambda each: each.due_s)
    effects = replace(effects, parts=tuple(parts.values()), touches=tuple(touches.values()))
    return replace(other, effects=effects)
