"""`/project`: which project a place belongs to, and for admins another one (design §6)."""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from cards.clipping import clip
from cards.markdown import literal
from cards.model import ADMIN, Card, Choice, Decision, Lang, Review
from cards.texts import say
from engine.frames.audit import origin_facts
from engine.mail import CommandArrived
from engine.ports.projects import Binding, Project, ProjectChange
from engine.ports.storage.store import CardWrite, Effects
from engine.reviews.clocks import card_timers
from engine.services import Services
from engine.text.entities import fold

OPEN_FOR: Final = timedelta(hours=1)
MAX_OFFERED: Final = 8
LABEL_CHARS: Final = 60
_UNBIND: Final = "unbind"
_LEAVE: Final = "leave"
_TASK: Final = "project:"


async def answer_project(
    mail: CommandArrived, lang: Lang, services: Services, reply: str
) -> tuple[str, Effects]:
    """What the command is answered, and for an admin the card that stands with the `reply`."""
    update, person = mail.update, mail.principal
    room = services.people.room_of(update.conversation)
    here = _here_text(room, lang, services)
    if ADMIN not in person.roles:
        return here, Effects()
    here = f"{here} {say('project.place', lang, place=room)}"
    wanted = update.text.strip()
    found = _matching(wanted, _choices(room, services)) if wanted else None
    if found is None or len(found) > 1:
        offered = _offered(mail, found or _choices(room, services), services)
        if not offered:
            return f"{here} {say('project.nothing_to_choose', lang)}", Effects()
        card = _choice_card(mail, room, offered, lang, services)
        timers = card_timers(card, services.now)
        return here, Effects(cards=(CardWrite(card),), timers=timers, slots=((reply, card.token),))
    if not found:
        return f"{here} {say('project.unknown', lang, name=literal(wanted))}", Effects()
    via = origin_facts(update.conversation)["via"]
    text = await bind_room(room, found[0].id, person.id, via, lang, services)
    return text, Effects()


async def apply_choice(card: Card, decision: Decision, services: Services) -> str:
    """Do what was chosen on such a card; the sentence that says so, "" where nothing is to be."""
    room, ids = json.loads(card.task_key.removeprefix(_TASK))
    via = origin_facts(card.conversation)["via"]
    if decision.choice == _LEAVE:
        return ""
    if decision.choice == _UNBIND:
        return await _unbind_room(room, decision.person, via, card.lang, services)
    chosen = ids[int(decision.choice) - 1]
    return await bind_room(room, chosen, decision.person, via, card.lang, services)


def is_choice(card: Card) -> bool:
    """Whether the card asks to which project a place belongs."""
    return not card.run and card.task_key.startswith(_TASK)


async def bind_room(
    room: str, project: str, by: str, via: str, lang: Lang, services: Services
) -> str:
    """Bind the place; the sentence that says so. Raises StoreUnavailable."""
    book, now = services.projects(), services.now
    known = book.projects.get(project)
    outcome = "gone"
    if known is not None:
        binding = Binding(conversation=room, project=project, by=by, at=now)
        change = ProjectChange(
            what="bound", project=project, conversation=room, by=by, via=via, at=now
        )
        kept = services.kept_projects
        outcome = await kept.bind(binding, change, is_kept=known.at is not None)
    if outcome == "gone":
        return say("project.gone", lang, name=literal(project))
    return say("project.bound", lang, name=literal(book.name(project, lang)))


async def _unbind_room(room: str, by: str, via: str, lang: Lang, services: Services) -> str:
    change = ProjectChange(
        what="unbound",
        project=services.projects().of(room),
        conversation=room,
        by=by,
        via=via,
        at=services.now,
    )
    if not await services.kept_projects.unbind(room, change):
        return say("project.not_bound", lang)
    return say("project.unbound", lang)


def _here_text(room: str, lang: Lang, services: Services) -> str:
    book = services.projects()
    project = book.of(room)
    if not project:
        return say("project.none_here", lang)
    if not services.sees(project):
        return say("project.hidden", lang)
    key = "project.here" if book.is_bound(room) else "project.by_default"
    return say(key, lang, name=literal(book.name(project, lang)))


def _choices(room: str, services: Services) -> Sequence[Project]:
    """Those that the admin sees, and the place's tenant has, the newest first."""
    book = services.projects()
    tenants = ("", book.tenant(room))
    able = [each for each in book.choices if services.sees(each.id) and each.tenant in tenants]
    return sorted(able, key=lambda each: (each.at is not None, each.at, each.id), reverse=True)


def _matching(wanted: str, choices: Sequence[Project]) -> list[Project]:
    """The project of this id or name, else all whose id, name or parent has the text in it."""
    said = fold(wanted)
    exact = [each for each in choices if said in map(fold, (each.id, *each.name.texts))]
    if exact:
        return exact
    return [
        each
        for each in choices
        if any(said in fold(text) for text in (each.id, *each.name.texts, *each.of.values()))
    ]


def _offered(
    mail: CommandArrived, choices: Sequence[Project], services: Services
) -> Sequence[Project]:
    """The first of them; where others read the place, only those that nobody is kept from."""
    here, people = mail.update.conversation, services.people
    is_alone = people.private_place(mail.update.actor, here) in ("", here)
    now = services.projects().of(here)
    able = (each for each in choices if each.id != now)
    return [each for each in able if is_alone or people.is_open(each.id)][:MAX_OFFERED]


def _choice_card(
    mail: CommandArrived, room: str, offered: Sequence[Project], lang: Lang, services: Services
) -> Card:
    person, place = mail.principal, mail.update.conversation
    names = [clip(each.name(lang), LABEL_CHARS) for each in offered]
    choices = [Choice(id=str(n), label=name) for n, name in enumerate(names, 1)]
    if room in services.projects().bound:
        choices.append(Choice(id=_UNBIND, label=say("project.unbind", lang)))
    return Card(
        kind="select",
        token=services.new_id(place),
        run="",
        conversation=place,
        lang=lang,
        title=say("project.title", lang),
        text=say("project.choose", lang),
        choices=(*choices, Choice(id=_LEAVE, label=say("project.leave", lang))),
        review=Review(roles=(ADMIN,), delegable=False),
        **person.as_requester(),
        waiting_for=services.people.role_name(ADMIN, lang),
        task_key=_TASK + json.dumps([room, [each.id for each in offered]]),
        deadline=services.now + OPEN_FOR,
    )
