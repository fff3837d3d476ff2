"""On job graphs: their progress, their jobs' questions, and what is said when one stands still."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "jobs.progress": "“{name}”: {n} of {of} jobs done…",
    "jobs.stopped": "“{name}”: stopped ({error})",
    "jobs.failed": "“{name}”: failed ({error})",
    "jobs.line": "- {state} {goal} ({expert})",
    "jobs.more": "- … and {n} more",
    "jobs.state.created": "○ to do:",
    "jobs.state.planning": "◌ being planned:",
    "jobs.state.again": "↻ tried again soon:",
    "jobs.state.running": "▶ under way:",
    "jobs.state.waiting": "❓ waits for your answer:",
    "jobs.state.blocked": "⚠ needs an operator:",
    "jobs.state.finished": "✔ done:",
    "jobs.state.failed": "✘ failed:",
    "jobs.state.stopped": "■ stopped:",
    # a job's question
    "jobs.asks": "{name}: {expert} has a question",
    "jobs.about": "Job: {goal}",
    "jobs.writes": "Expert {expert} wants this for the job “{goal}”.",
    "jobs.same_experts": "two parts of the plan made experts of the same name",
    "jobs.answer": "Answer",
    # the card of a graph that stands still
    "jobs.card.stopped": "{name}: stopped",
    "jobs.card.failed": "{name}: failed",
    "jobs.card.text": (
        "Why: {error}\n\nIf it goes on, finished jobs keep their results and the others run again."
    ),
    "jobs.choice.recover": "Go on",
    "jobs.choice.change": "Go on, but differently",
    "jobs.choice.end": "End it",
    # why it stands still
    "jobs.by": "{name} stopped it",
    "jobs.by_text": "{name} stopped it: {text}",
    "jobs.no_model": (
        "no language model is configured; set OPENAI_API_KEY and LLM_MODEL, then let it go on"
    ),
    "jobs.budget_used": (
        "its budget of the language model ({calls} calls or {tokens} tokens) is used up; it has as "
        "much again when it goes on"
    ),
    "jobs.model_away": "the language model is away",
    "jobs.faulty_plan": "{n} times the model gave no usable jobs: {faults}",
    "jobs.faulty_answer": "{n} times the model gave no usable answer: {faults}",
    "jobs.sent_back": "its input was made anew {n} times and still is no good: {why}",
    "jobs.too_complicated": (
        "a job is too complicated, and must not be decomposed any further: {why}"
    ),
    "jobs.too_many": "more than {n} jobs would be needed",
    # commands
    "stop.none": "There is no job graph under way that you can stop.",
    "stop.done": "Stopping “{name}”; what has begun ends, but is not used any more.",
    "recover.none": "There is no job graph standing still that you can let go on.",
    "recover.done": "“{name}” goes on.",
    # in the drawing
    "graph.kind.job": "job",
    "graph.detail.state": "state",
    "graph.detail.expert": "expert",
    "graph.detail.attempts": "attempts",
    "graph.detail.part_of": "part of",
    "graph.detail.error": "error",
    "graph.detail.experts": "experts",
}
