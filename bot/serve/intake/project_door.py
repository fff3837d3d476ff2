"""Conversations of projects: who may speak in them, and which project they belong to."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.people.directory import Directory
from cards.model import Principal
from cards.texts import say
from engine.events import CommandGiven, MessageReceived
from engine.mail import CardDecided, CardExpired, CommandArrived, MessageArrived, ServiceNotice
from engine.ports.people import People
from engine.ports.storage.store import Effects
from engine.reviews import clocks
from engine.services import Services
from engine.talk import commands, projects
from engine.text.language import detect_language
from engine.understanding.router.command import parse_command

OF_EVERY_PROJECT = ("pending", "mine", "runs", "cancel", "handover", "project")
"""The commands that tell of a person's own, whatever project the conversation belongs to."""


RefreshProjects = Callable[[], Awaitable[None]]
"""Reads what was changed of projects by whichever process. Raises StoreError."""


async def know_projects() -> None:
    """Nothing changes them."""


def is_hidden(
    update: MessageReceived | CommandGiven, person: Principal, people: People, project: str
) -> bool:
    """Whether it was said in a conversation of a project that the person may not see."""
    command = (update.name, "") if isinstance(update, CommandGiven) else parse_command(update.text)
    is_own = command is not None and command[0] in OF_EVERY_PROJECT
    return not is_own and not people.may_see(person, project)


def is_hidden_now(
    update: MessageReceived | CommandGiven, person: Principal, people: Directory
) -> bool:
    """The same, by the project to which the conversation belonged a few seconds ago."""
    return is_hidden(update, person, people, people.project_of(update.conversation))


@dataclass(frozen=True, slots=True)
class ProjectDoor:
    """Turns away who may not see a conversation's project; binds a place where an admin says so."""

    services: Services

    def turn_away(self, mail: MessageArrived | CommandArrived) -> Effects | None:
        """One sentence to a person who may not see the project; None to who may."""
        services, conversation = self.services, mail.update.conversation
        project = services.project(conversation)
        if not is_hidden(mail.update, mail.principal, services.people, project):
            return None
        lang = mail.principal.lang or detect_language(mail.update.text)
        text = say("project.hidden", lang)
        notice = ServiceNotice(id=f"hidden/{mail.update.id}", lang=lang, text=text)
        return commands.notice_effects(notice, conversation)

    async def apply_answer(self, mail: CardDecided | CardExpired) -> Effects | None:
        """The effects of an answer to a card of `/project`, or of its expiry; None for others.

        The place is bound before the commit: doing it again changes nothing.
        """
        found = await self.services.decisions.card(mail.card)
        if found is None or not projects.is_choice(found.card):
            return None
        card = found.card
        if isinstance(mail, CardExpired):
            is_open = card.status == "open"
            return Effects(cards=(clocks.close_card(card, "expired"),) if is_open else ())
        told = await projects.apply_choice(card, mail.decision, self.services)
        effects = Effects(timers=clocks.stop_timers(card.token, card.lane))
        if not told:
            return effects
        notice = ServiceNotice(id=f"project/{card.token}", lang=card.lang, text=told)
        return effects.plus(commands.notice_effects(notice, card.conversation))
