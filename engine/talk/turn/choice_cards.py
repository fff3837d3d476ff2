"""Cards of a talk turn: what was meant, or whether a condition holds (spec 003, select)."""

from collections.abc import Collection, Iterable
from datetime import timedelta

from cards.clipping import clip
from cards.markdown import literal
from cards.model import Card, Choice, Lang, Review
from cards.texts import say
from engine.frames.intents import Candidate, Intent
from engine.frames.replies import Part, ReplyHead
from engine.frames.shared_files import kept_names
from engine.playbooks.model import Playbook, Request
from engine.services import Services

OPEN_FOR = timedelta(days=1)
MAX_CHOICES = 3
MORE_CHOICES = 8
"""So many are on each further card."""

LABEL_CHARS = 60
NAME_CHARS = 44
"""So much of a request's name stands behind the words that begin it."""

KEY = "choose:"
"""How the semantic key of these cards begins."""

NONE = "none"
MORE = "more"
"""What else can be asked for: a further card."""

CHOSEN = "chosen on a card"
"""How the reason begins of what a person chose."""


def new_choice_card(part: Part, head: ReplyHead, services: Services) -> Card:
    """A select card for the person who wrote: what the part means, or whether to start it."""
    lang, intent = head.lang, part.intent
    none = say("choose.not_now" if intent.condition else "choose.none", lang)
    labels = _labels(intent, lang, services)
    choices = tuple(
        Choice(id=str(n), label=text) for n, text in enumerate(labels, intent.passed + 1)
    )
    if intent.condition and len(choices) == 1:
        choices = (choices[0].model_copy(update={"style": "primary"}),)
    if not (intent.condition or intent.is_of_files) and _others(_shown(intent), services):
        choices = (*choices, Choice(id=MORE, label=say("choose.more", lang)))
    key = "choose.condition_title" if intent.condition else "choose.title"
    return Card(
        kind="select",
        token=services.new_id(head.conversation),
        run="",
        reply=head.id,
        part=part.index,
        conversation=head.conversation,
        project=services.project(head.conversation),
        lang=lang,
        title=say("choose.file_title" if intent.is_of_files else key, lang),
        text=_card_text(part, head),
        choices=(*choices, Choice(id=NONE, label=none)),
        review=Review(persons=(head.principal.id,)),
        **head.principal.as_requester(),
        waiting_for=head.principal.name,
        task_key=f"{KEY}{head.id}:{part.index}",
        deadline=services.now + OPEN_FOR,
    )


def is_choice_card(card: Card) -> bool:
    """Whether it asks who wrote what they meant."""
    return card.task_key.startswith(KEY)


def _labels(intent: Intent, lang: Lang, services: Services) -> list[str]:
    """What the buttons say; work under a condition is named, so that it is known what starts."""
    if not intent.condition:
        return [candidate_label(c, lang, services) for c in _shown(intent)[intent.passed :]]
    if intent.kind != "workflow":
        return [say("choose.go_on", lang)]
    own = Candidate(kind="workflow", playbook=intent.playbook, request=intent.request)
    return [
        say("choose.start", lang, name=clip(_request_name(c, lang, services), NAME_CHARS))
        for c in (intent.candidates[:MAX_CHOICES] or (own,))
    ]


def _shown(intent: Intent) -> tuple[Candidate, ...]:
    """The candidates that its cards have offered, the newest among them."""
    newest = MORE_CHOICES if intent.passed else MAX_CHOICES
    return intent.candidates[: intent.passed + newest]


def _others(offered: Iterable[Candidate], services: Services) -> set[tuple[str, str]]:
    """What else the person may ask for, as playbook and request, and what can be done."""
    able = {
        (playbook.id, request.id)
        for playbook in services.playbooks.values()
        for request in playbook.definition.requests
        if not request.not_yet and f"{playbook.id}/{request.id}" not in services.barred
    }
    return able - {(each.playbook, each.request) for each in offered}


def with_others(intent: Intent, ranked: Iterable[Candidate], services: Services) -> Intent:
    """The intent for a further card: what none has offered yet, the likeliest of it first.

    `ranked` are requests by how likely they are meant, whether or not they were offered.
    """
    shown = _shown(intent)
    left = _others(shown, services)
    others = [each for each in ranked if (each.playbook, each.request) in left]
    if all(each.kind != "qa_query" for each in shown):
        others.insert(0, Candidate(kind="qa_query"))
    return intent.model_copy(
        update={"candidates": (*shown, *others[:MORE_CHOICES]), "passed": len(shown)}
    )


def _card_text(part: Part, head: ReplyHead) -> str:
    intent, lang = part.intent, head.lang
    if intent.is_of_files:
        names = map(literal, kept_names(head.files))
        return say("choose.file", lang, names=say("list.items", lang).join(names))
    said = literal(clip(intent.text, 300))
    if intent.condition:
        key = "choose.condition" if part.index else "choose.condition_alone"
        return say(key, lang, said=said, condition=literal(intent.condition))
    told = say("choose.said", lang, said=said)
    return f"{told}\n{say(f'choose.note.{intent.note}', lang)}" if intent.note else told


def open_choice_text(part: Part, lang: Lang) -> str:
    """What it says while its card is open."""
    is_by_result = part.intent.condition and part.index
    return say("choose.condition_part" if is_by_result else "choose.part", lang)


def candidate_label(candidate: Candidate, lang: Lang, services: Services) -> str:
    """A candidate as a button says it."""
    if candidate.kind == "case_file" or candidate.lookup:
        return clip(candidate.name, LABEL_CHARS)
    if candidate.kind == "qa_query":
        return say("choose.question", lang)
    name = _request_name(candidate, lang, services)
    playbook = services.playbooks[candidate.playbook].definition.name(lang)
    return clip(name if name == playbook else f"{name} · {playbook}", LABEL_CHARS)


def _request_name(candidate: Candidate, lang: Lang, services: Services) -> str:
    definition = services.playbooks[candidate.playbook].definition
    request = next((r for r in definition.requests if r.id == candidate.request), None)
    return (request or definition).name(lang)


def without_unavailable(
    intent: Intent, playbooks: Collection[str], barred: Collection[str] = ()
) -> Intent:
    """The intent without candidates that this person cannot choose now."""
    left = tuple(
        c
        for c in intent.candidates
        if not c.playbook or (c.playbook in playbooks and f"{c.playbook}/{c.request}" not in barred)
    )
    return intent if left == intent.candidates else intent.model_copy(update={"candidates": left})


def chosen_intent(intent: Intent, choice: str) -> Intent | None:
    """The intent that the person chose; None when they chose none of what was offered."""
    if choice in (NONE, MORE):
        return None
    if intent.condition:
        why = f"{CHOSEN}, as {intent.condition!r} holds; before: {intent.why}"
        held = intent.model_copy(update={"condition": "", "depends_on": (), "why": why})
        if intent.kind != "workflow" or not intent.candidates:
            return held
        meant = intent.candidates[int(choice) - 1]
        named = {"playbook": meant.playbook, "request": meant.request, "candidates": ()}
        return held.model_copy(update=named)
    picked = intent.candidates[int(choice) - 1]
    return intent.model_copy(
        update={
            "text": picked.name if picked.lookup else intent.text,
            "lookup": picked.lookup,
            "kind": "smalltalk" if picked.kind == "case_file" else picked.kind,
            "case": picked.case,
            "playbook": picked.playbook,
            "request": picked.request,
            "candidates": (),
            "depends_on": (),
            "confidence": 1.0,
            "why": f"{CHOSEN}; before: {intent.why}",
        }
    )


def part_without_choice(part: Part, key: str, lang: Lang) -> Part:
    """The part when nothing was chosen: it says so, or keeps the answer that it had before."""
    if part.answer:
        return part.model_copy(update={"state": "answered", "text": part.answer, "answer": ""})
    return part.model_copy(update={"state": "cancelled", "text": say(key, lang)})


def not_yet_text(
    playbook: Playbook, request: Request | None, lang: Lang, services: Services
) -> str:
    """The playbook takes such requests but cannot do them yet; with what can be done instead."""
    definition = playbook.definition
    name = request.name(lang) if request else definition.name(lang)
    everywhere = (p for p in services.playbooks.values() if p.id != playbook.id)
    able = _able_requests((playbook,), lang) or _able_requests(everywhere, lang)
    text = say("request.not_yet", lang, name=literal(name), playbook=literal(definition.name(lang)))
    if able:
        text += say("request.able", lang, able=say("list.items", lang).join(able))
    return text


def _able_requests(playbooks: Iterable[Playbook], lang: Lang) -> list[str]:
    """What the playbooks can do, as Markdown."""
    requests = (request for playbook in playbooks for request in playbook.definition.requests)
    return [literal(request.name(lang)) for request in requests if not request.not_yet]
