"""Every prompt, made of one small situation: `python -m tests.prompts.make` writes the files."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cards.model import Lang
from engine.documents.prompts import outline_opening, section_opening
from engine.frames.job_graph import Brief, Job, JobFrame
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.outcome import StepContext
from engine.frames.state import (
    DocumentFrame,
    DocumentSection,
    ModelFrame,
)
from engine.jobs.prompts import expert_opening, leader_opening
from engine.planner.llm_planner import llm_planner
from engine.planner.situation import Situation, check_availability
from engine.ports.model import Message
from engine.react.prompts import last_message, system_prompt, user_message
from engine.rules.soft import SoftLimits, SoftRuleEngine
from engine.skills.prompts import run_briefing, skill_opening
from engine.sop.soft_instruction import judged_lines
from engine.text.excerpts.known import known_lines
from engine.tool_plan.planning.draft import draft_plan
from engine.tools.model import ToolContext
from engine.tools.read_only import ReadOnlyTools
from engine.understanding.briefing import Briefing
from engine.understanding.form_model import form_messages
from engine.understanding.router.prompt import sorting_messages
from tests.fakes.scripted_model import ScriptedModel
from tests.prompts.scripted_runs import transcripts
from tests.prompts.situation import (
    LANGUAGES,
    PARTS,
    SAID,
    TODAY,
    briefing,
    context,
    form_card,
    question,
    route_context,
)

GOLDEN = Path(__file__).parent / "golden"
TRANSCRIPTS = Path(__file__).parent / "transcripts"


async def prompts(lang: Lang) -> dict[str, Sequence[Message]]:
    """The first messages of every kind of call, by its name."""
    step, told = context(lang), briefing(lang)
    book = step.playbook
    job = Job(id="one", goal="Check P003", context="", completion_criteria="It is checked")
    brief = Brief(job=job, goal="Check it", room=4)
    expert = next(e for e in book.skills["team"].jobs.experts)  # type: ignore[union-attr]
    writer = book.skills["letter"].document.writer  # type: ignore[union-attr]
    assert writer is not None
    section = DocumentSection(heading="Facts", about="What happened")
    frame = DocumentFrame(skill="letter", title="Letter", sections=(section,))
    soft = SoftRuleEngine(None, ReadOnlyTools((), ToolContext(today=TODAY)), SoftLimits())
    return {
        "answer": _answer(lang, told),
        "route": _route(lang, told),
        "form": form_messages(PARTS[lang][0], form_card(), told.lines()),
        "skill": skill_opening(ModelFrame(skill="read"), "", step),
        "rules": soft.begin("The score is plausible.", judged_lines(step), lang).messages,
        "leader": leader_opening(brief, book.skills["team"].jobs, 0, step),  # type: ignore[arg-type]
        "expert": expert_opening(JobFrame(skill="team", brief=brief), expert, {}, step),
        "outline": outline_opening(writer, "", step),
        "section": section_opening(frame, writer, "", step),
        "plan": await _plan(step),
        "planner": await _planner(step),
    }


def _answer(lang: Lang, told: Briefing) -> tuple[Message, ...]:
    return (
        Message(role="system", content=system_prompt(lang)),
        Message(role="user", content=user_message(question(lang), told.lines())),
        Message(role="assistant", content="(two rounds of calls that failed)"),
        Message(role="user", content=last_message()),
    )


def _route(lang: Lang, told: Briefing) -> tuple[Message, ...]:
    system, user = sorting_messages(SAID[lang][2], route_context(lang), told.lines())
    # How rules read a message is not a matter of the prompt.
    given = {**json.loads(user.content), "rules": []}
    return system, Message(role="user", content=json.dumps(given, ensure_ascii=False))


async def _plan(step: StepContext) -> Sequence[Message]:
    model = ScriptedModel(["[]"] * 3)
    planner = step.playbook.skills["look-up"].planner
    assert planner is not None
    services = replace(step.services, model=model)
    frame = LlmPlanFrame(skill="look-up")
    await draft_plan(frame, planner, replace(step, services=services))
    return model.requests[0].messages


async def _planner(step: StepContext) -> Sequence[Message]:
    model, book, state = ScriptedModel(["{}"] * 2), step.playbook, step.run.state
    phase = book.phase("visit")
    known = known_lines(state.tree(), 4000, has_reader=False)
    await llm_planner(
        Situation(
            book,
            "visit",
            phase,
            state,
            check_availability(book, phase, state),
            model=model,
            material=run_briefing(step, known).lines(),
        )
    )
    return model.requests[0].messages


def as_text(messages: Sequence[Message]) -> str:
    """The messages as a file has them."""
    return "\n".join(f"# {m.role}\n\n{m.content}\n" for m in messages)


async def write() -> None:
    """Write every file anew."""
    for lang in LANGUAGES:
        folder = GOLDEN / lang
        folder.mkdir(parents=True, exist_ok=True)
        for name, messages in (await prompts(lang)).items():
            (folder / f"{name}.md").write_text(as_text(messages), encoding="utf-8")
        folder = TRANSCRIPTS / lang
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (await transcripts(lang)).items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write())
