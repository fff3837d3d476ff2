"""The runs that go on in a conversation."""

from contextlib import suppress

from pydantic import ValidationError

from cards.markdown import literal
from engine.frames.state import Run
from engine.turn.services import TurnServices


async def active(conversation: str, services: TurnServices) -> list[Run]:
    """The conversation's runs whose work is not done, oldest first; unreadable ones are left."""
    found = []
    for _, body in await services.decisions.active_runs(conversation):
        with suppress(ValidationError):
            found.append(Run.model_validate_json(body))
    return [run for run in found if run.part.state != "done"]


def titled(run: Run) -> str:
    """The run by its name and the first two things that are known of it, as Markdown."""
    known = [literal(str(value)) for value in list(run.state.data.values())[:2]]
    return " ".join([run.name, *known])
