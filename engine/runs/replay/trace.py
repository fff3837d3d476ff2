"""A run's trace: how it ended, and each of its steps with what the model and tools answered."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from cards.frozen import Frozen
from engine.frames.state import PlannerFrame, Run
from engine.playbooks.model import Playbook
from engine.runs.material import with_material


class RunTrace(Frozen):
    """What is needed to run it again; it holds what people wrote, unmasked."""

    schema_version: Literal[1] = 1
    run: Run
    steps: tuple[dict[str, Any], ...]


def trace_of(run: Run, entries: Sequence[str]) -> RunTrace:
    """The trace of a run from its audit."""
    read = [json.loads(entry) for entry in entries]
    return RunTrace(run=run, steps=tuple(entry for entry in read if "outcome" in entry))


def rewound(run: Run, playbook: Playbook) -> Run:
    """The run as it began, in this playbook."""
    phases = playbook.definition.phases_of(run.request)
    begun = Run(
        id=run.id,
        playbook=playbook.id,
        digest=playbook.digest,
        request=run.request,
        name=run.name,
        conversation=run.conversation,
        lang=run.lang,
        requester=run.requester,
        text=run.text,
        message=run.message,
        reply=run.reply,
        part=run.part,
        slot=False,
        frames=(PlannerFrame(phase=phases[0].id),),
        started_at=run.started_at,
    )
    return with_material(begun, playbook, run.state.recent)
