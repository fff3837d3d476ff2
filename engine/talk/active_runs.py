"""The runs that go on in a conversation, and what a question about them is answered (design §6)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pydantic import ValidationError

from cards.markdown import literal
from cards.texts import say
from engine.frames.replies import ReplyHead
from engine.frames.run_names import run_title
from engine.frames.state import Run
from engine.planner.query import QueryPosition, answer_query, decide_query, query_position
from engine.reviews.awaited import awaited_text
from engine.services import Services


async def unfinished_runs(conversation: str, services: Services) -> list[Run]:
    """The conversation's runs whose work is not done, oldest first, without child runs."""
    found = await all_active_runs(conversation, services)
    return [run for run in found if run.part.state != "done" and not run.parent]


async def all_active_runs(conversation: str, services: Services) -> list[Run]:
    """Every run of the conversation that has not ended, of projects that the person sees.

    Unreadable ones are left out.
    """
    found = read_runs(await services.decisions.active_runs(conversation))
    return [run for run in found if services.sees(run.project)]


def read_runs(active_runs: Sequence[tuple[str, str]]) -> list[Run]:
    """The runs of these (id, body) that this version can read."""
    found = []
    for _, body in active_runs:
        with suppress(ValidationError):
            found.append(Run.model_validate_json(body))
    return found


def descendants(run: Run, runs: Sequence[Run]) -> list[Run]:
    """The child runs of the run among `runs`, and theirs."""
    own = [each for each in runs if each.parent == run.id]
    return [each for child in own for each in (child, *descendants(child, runs))]


async def answer_about_runs(question: str, head: ReplyHead, services: Services) -> str:
    """How far each active run of the conversation is, and what it waits for (Markdown).

    With a model, what its playbook's retrieval skill finds out about the question comes first.
    """
    runs = await unfinished_runs(head.conversation, services)
    cards = await services.decisions.open_cards(head.conversation)
    texts = []
    for run in runs:
        playbook = await services.playbook(run.digest)
        if playbook is not None:
            own = [card for card in cards if card.run == run.id and not card.traits.informs]
            found = await answer_query(run, playbook, question, services)
            texts += [found] if found else []
            waits = [
                (literal(card.title), awaited_text(card, services.people, head.lang))
                for card in own
            ]
            position = replace(query_position(run, playbook, own), waits_for=tuple(waits))
            texts.append(_run_text(run, position, head))
    return "\n\n".join(texts) or say("runs.none", head.lang)


async def blocked_runs_text(head: ReplyHead, services: Services) -> str:
    """Which runs of the conversation wait for an operator, why, and what can be done; or ""."""
    runs = await all_active_runs(head.conversation, services)
    texts = [f"- {run.part.text}" for run in runs if run.status == "blocked"]
    if not texts:
        return ""
    return say("runs.stuck", head.lang, runs="\n".join(dict.fromkeys(texts)))


async def question_needs_model(head: ReplyHead, services: Services) -> bool:
    """Whether a retrieval skill of an active run would be asked."""
    if services.model is None:
        return False
    for run in await unfinished_runs(head.conversation, services):
        playbook = await services.playbook(run.digest)
        if playbook and (await decide_query(run, playbook)).plan.action == "call_skill":
            return True
    return False


def _run_text(run: Run, position: QueryPosition, head: ReplyHead) -> str:
    comma = say("list.items", head.lang)
    text = say(
        "query.phase", head.lang, name=run_title(run), phase=position.phase, goal=position.goal
    )
    if position.missing:
        text += say("query.missing", head.lang, missing=comma.join(position.missing))
    waits = [
        say("query.card", head.lang, title=title, who=who) for title, who in position.waits_for
    ]
    if waits:
        text += say("query.waits", head.lang, waits=comma.join(waits))
    if run.status == "blocked":
        text += say("query.blocked", head.lang, told=run.part.text)
    return f"- {text}"
