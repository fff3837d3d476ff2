"""Steps that the frames of a job graph share."""

from typing import TypeVar

from cards.clipping import shorten
from cards.texts import say
from engine.dialogue import (
    MAX_FAULTY,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
    unanswered_text,
)
from engine.errors import ModelError, ModelUnavailable, NoModel
from engine.frames.job_graph import LESSON_CHARS, UNUSABLE, JobFrame, LeaderFrame
from engine.frames.outcome import Done, Next, StepContext
from engine.frames.state import Patch
from engine.playbooks.job_graph import JobsPart

F = TypeVar("F", JobFrame, LeaderFrame)
T = TypeVar("T")


def jobs_part(skill: str, context: StepContext) -> JobsPart:
    """The `jobs:` of a skill of kind job_graph."""
    part = context.playbook.skills[skill].jobs
    assert part is not None, "the loader checks that a job_graph skill has jobs"
    return part


def end_job(by: str, verdict: str, reason: str) -> Done:
    """End a job's child run with a verdict other than success, and the reason for people."""
    patch = Patch(by=by, end=verdict, problems=(shorten(reason, LESSON_CHARS),))
    return Done(patch, f"{verdict}: {reason}")


async def advance_job(
    frame: F, task: ModelTask[T], context: StepContext, *, verdict: str, text: str
) -> DialogueResult[F, T] | Next | Done:
    """The model's valid answer, or else the next step, which may be the job's end.

    Without an answer that can be used, the job ends with `verdict` and the catalogue's `text`.
    """
    try:
        outcome = await advance_dialogue(frame, task, context.services.model)
    except NoModel:
        return end_job(frame.skill, UNUSABLE, say("jobs.no_model", context.run.lang))
    except ModelError as error:
        return _end_without_model(frame.skill, error, context)
    match outcome:
        case DialogueProgress():
            return Next(outcome.dialogue, outcome.why)
        case DialogueFailure(faults=faults):
            reason = say(text, context.run.lang, n=MAX_FAULTY, faults="; ".join(faults))
            return end_job(frame.skill, verdict, reason)
        case DialogueResult():
            return outcome


def _end_without_model(by: str, error: ModelError, context: StepContext) -> Done:
    """End the attempt without an answer; the next one waits as long as the model asks for."""
    after_s = error.retry_after_s if isinstance(error, ModelUnavailable) else 0.0
    lang = context.run.lang
    text = unanswered_text(error, lang, away="jobs.model_away", limited="model.limit.reached")
    done = end_job(by, "EXECUTION_ERROR", text)
    patch = done.patch.model_copy(update={"retry_after_s": after_s})
    return Done(patch, f"EXECUTION_ERROR: {error}")
