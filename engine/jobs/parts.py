"""What the frames of a job graph share."""

from cards.texts import say
from engine.errors import ModelError, ModelUnavailable, NoModel
from engine.frames.job_graph import LESSON_CHARS, UNUSABLE, cut
from engine.frames.outcome import Done, StepContext
from engine.frames.state import Patch
from engine.playbooks.job_graph import JobsPart


def jobs_part(skill: str, context: StepContext) -> JobsPart:
    """The `jobs:` of a skill of kind job_graph."""
    part = context.playbook.skills[skill].jobs
    assert part is not None, "the loader checks that a job_graph skill has jobs"
    return part


def failed(by: str, verdict: str, told: str) -> Done:
    """A job's child run ends with a verdict that is no success, and what people read of it."""
    patch = Patch(by=by, end=verdict, problems=(cut(told, LESSON_CHARS),))
    return Done(patch, f"{verdict}: {told}")


def model_failed(by: str, error: ModelError, context: StepContext) -> Done:
    """The model gave the job no answer; it is tried again when the model is asked again.

    Without a model it is not.
    """
    if isinstance(error, NoModel):
        return failed(by, UNUSABLE, say("jobs.no_model", context.run.lang))
    after_s = error.retry_after_s if isinstance(error, ModelUnavailable) else 0.0
    done = failed(by, "EXECUTION_ERROR", say("jobs.model_away", context.run.lang))
    patch = done.patch.model_copy(update={"retry_after_s": after_s})
    return Done(patch, f"EXECUTION_ERROR: {error}")
