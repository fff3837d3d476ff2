"""The runs that go on in a conversation."""

from collections.abc import Sequence
from contextlib import suppress

from pydantic import ValidationError

from engine.frames.state import Run
from engine.services import Services


async def active(conversation: str, services: Services) -> list[Run]:
    """The conversation's runs whose work is not done, oldest first, without child runs."""
    found = await all_active(conversation, services)
    return [run for run in found if run.part.state != "done" and not run.parent]


async def all_active(conversation: str, services: Services) -> list[Run]:
    """Every run of the conversation that has not ended; unreadable ones are left."""
    return read_runs(await services.decisions.active_runs(conversation))


def read_runs(active_runs: Sequence[tuple[str, str]]) -> list[Run]:
    """Those that this version can read, of runs with their bodies."""
    found = []
    for _, body in active_runs:
        with suppress(ValidationError):
            found.append(Run.model_validate_json(body))
    return found


def below(run: Run, runs: Sequence[Run]) -> list[Run]:
    """Those of the runs that the run began, and those that they began."""
    own = [each for each in runs if each.parent == run.id]
    return [each for child in own for each in (child, *below(child, runs))]
