"""A visit to a run: steps that only think share one commit (design §3)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, replace
from operator import attrgetter

from engine.frames.outcome import StepContext
from engine.mail import CardDecided, RunContinued, RunMail, RunStarted
from engine.ports.storage.store import Effects, PartWrite, Refresh
from engine.runs.run import StepResult, take_step
from engine.runs.step_services import Outside, OutsideAsked, step_services
from engine.services import Services

MOST_STEPS = 16
"""So many steps share one commit at most."""
_CONTINUED = RunContinued()
_GOES_ON = (RunStarted, RunContinued, CardDecided)
_QUIET = frozenset({"parts", "touches", "log", "posts", "timers"})
_LOUD = attrgetter(*(each.name for each in fields(Effects) if each.name not in _QUIET))

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
    while they call no model, tool, file or sync and open no card; one that opens cards or tries a
    call without making it may be the last. A step that wants more is not taken: it begins from what
    is persisted. What a person decided is in the mail, which stays until the commit. Each step has
    its own entry in the log.
    """
    outside = Outside()
    watched = outside.watch(services)
    made = step_services(watched, context.run, context.playbook)
    taken = await take(mail, replace(context, services=made))
    following = isinstance(mail, _GOES_ON) and not outside.asked and _is_quiet(taken)
    steps = [taken]
    while following and len(steps) < most and taken.run is not None:
        outside.close()
        made = step_services(watched, taken.run, context.playbook)
        # Nothing can be under way: what it follows called nothing.
        ahead_of = replace(context, run=taken.run, services=made, follows=True)
        ahead = await _take_ahead(ahead_of, outside, take)
        if ahead is None:
            break
        steps.append(taken := ahead)
        following = not outside.asked and _is_quiet(taken)
    return _together(steps).written()


async def _take_ahead(context: StepContext, outside: Outside, take: Take) -> StepResult | None:
    """The next step of a run that is not persisted yet; None where the outside refuses it."""
    try:
        ahead = await take(_CONTINUED, context)
    except (OutsideAsked, ExceptionGroup):
        if outside.refused:
            return None
        raise
    sends = any(post.kind in ("sync", "letter") for post in ahead.effects.posts)
    return None if outside.refused or ahead.run is None or sends else ahead


def _is_quiet(step: StepResult) -> bool:
    """Whether the step changed only the run, its log, what its part says, and what was checked.

    Clocks of a card that was decided may stop.
    """
    written = step.effects
    is_known = all(post.kind == "check" for post in written.posts)
    only_stops = all(timer.at is None for timer in written.timers)
    goes_on = bool(step.front) and not step.park
    return goes_on and is_known and only_stops and not any(_LOUD(written))


def _together(steps: Sequence[StepResult]) -> StepResult:
    """The steps, all but the last quiet, as one commit: of what several write, the later state."""
    *_, last = steps
    if len(steps) == 1:
        return last
    written = [step.effects for step in steps]
    parts: dict[tuple[str, int], PartWrite] = {
        (part.reply, part.index): part for each in written for part in each.parts
    }
    touches: dict[str, Refresh] = {}
    for touch in (touch for each in written for touch in each.touches):
        known = touches.get(touch.ref, touch)
        touches[touch.ref] = min(known, touch, key=lambda refresh: refresh.due_s)
    effects = replace(
        last.effects,
        parts=tuple(parts.values()),
        touches=tuple(touches.values()),
        posts=tuple(post for each in written for post in each.posts),
        timers=tuple(timer for each in written for timer in each.timers),
        log=tuple(entry for each in written for entry in each.log),
    )
    return replace(last, effects=effects)
