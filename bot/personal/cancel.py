"""A person's runs are ended before they are erased, as `/cancel` ends them."""

from typing import Final

from engine.errors import StaleWrite
from engine.frames.state import Run
from engine.ports.clock import Clock
from engine.ports.storage.store import Decisions
from engine.talk.active_runs import read_runs
from engine.talk.cancellation import cancel_effects

ATTEMPTS: Final = 10


async def cancel_run(decisions: Decisions, run_id: str, by: str, clock: Clock) -> bool:
    """End the run with all below it; whether it has ended. Raises StoreError."""
    for _ in range(ATTEMPTS):
        found = await decisions.run(run_id)
        if found is None or found[1]:
            return True
        run = Run.model_validate_json(found[0])
        if run.parent:
            # It ends with the one above it.
            return True
        others = read_runs(await decisions.active_runs(run.conversation))
        origin = {"by": by, "via": "command line"}
        effects = cancel_effects(run, others, origin=origin, now=clock.now())
        try:
            await decisions.decide(
                run.id, update_id=f"erase:cancel:{run.id}", answer="{}", effects=effects
            )
        except StaleWrite:
            continue
        return True
    return False
