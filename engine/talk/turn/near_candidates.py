"""What is offered for a question that nothing answers: questions near it, and work it may mean."""

from collections.abc import Iterator

from cards.model import Lang
from cards.texts import say
from engine.frames.intents import Candidate, Intent
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.text.entities import fold
from engine.understanding.lookups.find import cue_found
from engine.understanding.lookups.near import MOST_NEAR, near_questions
from engine.understanding.own_work.bearing import asks_whether_possible
from engine.understanding.own_work.kinds import asks_for_more


def near_candidates(
    intent: Intent, head: ReplyHead, services: Services
) -> tuple[tuple[Candidate, ...], str]:
    """The questions near it that look-ups answer and the work that it may mean, and what to say."""
    near = _near(intent, head, services, or_any=False)
    meant = tuple(_work_meant(intent, head, services))[:1]
    if near or meant:
        return (*meant, *near)[:MOST_NEAR], _unanswered_text(intent, "answer.not_here", head.lang)
    # A model that is only away may answer the same question later.
    any_ = () if services.model else _near(intent, head, services, or_any=True)
    return any_, _unanswered_text(intent, "answer.nothing_near", head.lang)


def _near(
    intent: Intent, head: ReplyHead, services: Services, *, or_any: bool
) -> tuple[Candidate, ...]:
    near = near_questions(
        intent.text,
        services.tools,
        head.lang,
        today=services.today,
        entities=services.entities(head.conversation, head.principal),
        or_any=or_any,
        texts=intent.near,
    )
    return tuple(Candidate(kind="qa_query", lookup=lookup, name=name) for lookup, name in near)


def _work_meant(intent: Intent, head: ReplyHead, services: Services) -> Iterator[Candidate]:
    """Work of which the question has a cue, and a thing that names what that is of."""
    if not asks_whether_possible(intent.text):
        return
    said = fold(intent.text)
    entities = services.entities(head.conversation, head.principal)
    named = {kind for kind, _ in entities.kinds_and_ids(intent.text)}
    for playbook in services.playbooks.values():
        own = playbook.definition
        of = {leaf.entity for leaf in own.data_fields.values() if leaf.identity}
        able = (r.id for r in own.requests if not r.not_yet)
        request = next((r for r in able if f"{playbook.id}/{r}" not in services.barred), "")
        if request and named & of and cue_found(said, own.cues):
            yield Candidate(kind="workflow", playbook=playbook.id, request=request)


def _unanswered_text(intent: Intent, key: str, lang: Lang) -> str:
    """That nothing answers the question: to ask for one thing, where it asks for several."""
    if asks_for_more(fold(intent.text)):
        return say("answer.near", lang, why=say("answer.no_model", lang)).strip()
    return say(key, lang)
