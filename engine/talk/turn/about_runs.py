"""A question about runs that go on here, answered by their planner in query mode (design §6)."""

from cards.texts import say
from engine.frames.replies import ReplyHead
from engine.frames.run_names import titled
from engine.frames.state import Run
from engine.planner.query import QueryPosition, answer_query, decide_query, query_position
from engine.services import Services
from engine.talk.turn.active import active, all_active


async def about_runs(question: str, head: ReplyHead, services: Services) -> str:
    """How far each active run of the conversation is, and what it waits for (Markdown).

    With a model, what its playbook's retrieval skill finds out about the question comes first.
    """
    runs = await active(head.conversation, services)
    cards = await services.decisions.open_cards(head.conversation)
    told = []
    for run in runs:
        playbook = await services.playbook(run.digest)
        if playbook is not None:
            own = [card for card in cards if card.run == run.id and not card.traits.informs]
            found = await answer_query(run, playbook, question, services)
            told += [found] if found else []
            told.append(_told(run, query_position(run, playbook, own), head))
    return "\n\n".join(told) or say("runs.none", head.lang)


async def stuck(head: ReplyHead, services: Services) -> str:
    """Which runs of the conversation wait for an operator, why, and what can be done; or ""."""
    runs = await all_active(head.conversation, services)
    told = [f"- {run.part.text}" for run in runs if run.status == "blocked"]
    if not told:
        return ""
    return say("runs.stuck", head.lang, runs="\n".join(dict.fromkeys(told)))


async def needs_model(head: ReplyHead, services: Services) -> bool:
    """Whether a retrieval skill of an active run would be asked."""
    if services.model is None:
        return False
    for run in await active(head.conversation, services):
        playbook = await services.playbook(run.digest)
        if playbook and (await decide_query(run, playbook)).plan.action == "call_skill":
            return True
    return False


def _told(run: Run, now: QueryPosition, head: ReplyHead) -> str:
    comma = say("list.items", head.lang)
    text = say("query.phase", head.lang, name=titled(run), phase=now.phase, goal=now.goal)
    if now.missing:
        text += say("query.missing", head.lang, missing=comma.join(now.missing))
    waits = [say("query.card", head.lang, title=title, who=who) for title, who in now.waits_for]
    if waits:
        text += say("query.waits", head.lang, waits=comma.join(waits))
    if run.status == "blocked":
        text += say("query.blocked", head.lang, told=run.part.text)
    return f"- {text}"
