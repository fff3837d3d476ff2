"""From one mail to the effects of handling it; what each lane kind does (design §3)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from pydantic import ValidationError

from bot.definitions.snapshot import LiveDefinitions
from bot.serve.intake.admissions import StrangerHandler
from bot.serve.intake.project_door import ProjectDoor, RefreshProjects, know_projects
from bot.serve.work.results import HandlerResult, unreadable_mail
from bot.serve.work.run_steps import RunSteps, read_run, with_projects_of_now
from bot.telemetry.instrumentation import NO_SPANS, Spans, log_handling
from cards.frozen import is_by_newer
from cards.model import Card, Lang, Principal
from cards.texts import say
from engine.cases.lane import handle_letter
from engine.errors import NewerState
from engine.events import Actor
from engine.mail import (
    GIVEN_UP,
    CardDecided,
    CardExpired,
    CaseLetterArrived,
    CommandArrived,
    Mail,
    MessageArrived,
    PartReady,
    ServiceNotice,
    StrangerArrived,
    TalkMail,
    parse_mail,
)
from engine.ports.library import FileScope
from engine.ports.storage.store import AsideWrite, Claim, Effects
from engine.runs.run import (
    block_effects,
    unreadable_effects,
)
from engine.services import ServiceLimits, Services
from engine.talk import commands
from engine.talk.turn import continuation, failures, message, session
from engine.talk.turn.offered_examples import suggest_examples
from engine.text.entity_kinds import Entities
from engine.tools.model import Tool

log = structlog.get_logger()
Progress = Callable[[Effects], Awaitable[None]]
TurnMail = (
    TalkMail
    | CommandArrived
    | ServiceNotice
    | StrangerArrived
    | CaseLetterArrived
    | CardDecided
    | CardExpired
)
"""What is handled by the definitions of the moment, and not by those that a run began with."""


@dataclass(frozen=True, slots=True)
class MailHandler:
    """Handles each mail by the definitions that are current when its turn begins.

    `tools(own)` returns the read-only tools of this moment, our own first.
    """

    services: Services
    current: LiveDefinitions
    tools: Callable[[tuple[Tool[Any], ...]], tuple[Tool[Any], ...]]
    spans: Spans = NO_SPANS
    refresh_projects: RefreshProjects = know_projects

    async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
        """The effects of the claim's mail; raises BotError, retryable or not."""
        if not claim.lane.startswith("run:"):
            # What an admin chose just now holds for what is said next.
            await self.refresh_projects()
        try:
            mail = parse_mail(claim.mail)
        except ValidationError as error:
            if is_by_newer(error):
                raise NewerState(f"mail of {claim.lane}") from error
            return unreadable_mail(claim)
        with log_handling(claim.lane, mail, self.spans, self.services.clock):
            return await self._handle_kind(claim, mail, progress)

    async def _handle_kind(self, claim: Claim, mail: Mail, progress: Progress) -> HandlerResult:
        match mail:
            case CardDecided() | CardExpired() if _is_talk(claim):
                return await self._handle_turn(claim, mail, progress)
            case (
                MessageArrived()
                | PartReady()
                | StrangerArrived()
                | CommandArrived()
                | CaseLetterArrived()
                | ServiceNotice()
            ):
                return await self._handle_turn(claim, mail, progress)
            case _:
                return await self._runs.step(claim, mail)

    async def _handle_turn(self, claim: Claim, mail: TurnMail, progress: Progress) -> HandlerResult:
        # By the store's clock, as a run's steps and every deadline are: clocks of machines differ.
        services = self.turn_services(claim.now)
        people, strangers, door = services.people, StrangerHandler(services), ProjectDoor(services)
        match mail:
            case MessageArrived():
                # By the account's current person and roles, however long the mail waited.
                mail = mail.model_copy(update={"principal": people.principal(mail.update.actor)})
                if not people.is_admitted(mail.principal):
                    return HandlerResult(strangers.turn_away(mail))
                if (hidden := door.turn_away(mail)) is not None:
                    return HandlerResult(hidden)
                situation = message.TurnSituation(
                    claim.cards,
                    claim.runs,
                    again=claim.attempts > 1,
                    table=self.current.snapshot.table,
                )
                talk = self._session(claim, services)
                effects = await message.handle_message(mail, talk, services, progress, situation)
            case PartReady():
                talk = self._session(claim, services)
                effects = await continuation.continue_part(mail, talk, services)
            case StrangerArrived():
                effects = strangers.ask_admins(mail)
            case CardDecided() | CardExpired():
                if admitted := await strangers.apply_answer(mail):
                    return HandlerResult(admitted)
                if (chosen := await door.apply_answer(mail)) is not None:
                    return HandlerResult(chosen)
                talk = self._session(claim, services)
                effects = await continuation.settle_choice(
                    mail, talk, services, self.current.snapshot.table
                )
            case CommandArrived():
                principal = people.principal(mail.update.actor)
                mail = mail.model_copy(update={"principal": principal})
                if not people.is_admitted(principal) and not principal.roles:
                    return HandlerResult(strangers.turn_away(mail))
                if (hidden := door.turn_away(mail)) is not None:
                    return HandlerResult(hidden)
                talk = self._session(claim, services)
                lang = commands.command_language(mail, [line.text for line in talk.recent])
                limited = services.limited_to(principal, mail.update.conversation)
                effects = await commands.handle_command(mail, limited, lang, talk)
            case CaseLetterArrived():
                effects = _take_letter(mail, claim, self.services.limits)
            case ServiceNotice():
                effects = commands.notice_effects(mail, claim.lane.removeprefix("control:"))
        return HandlerResult(effects)

    def _session(self, claim: Claim, services: Services) -> session.Session:
        """What was said in the conversation since it belongs to its project."""
        conversation = claim.lane.partition(":")[2]
        return session.load_session(claim.state).within(services.project(conversation))

    def entities_on(self, card: Card, person: Principal) -> Entities:
        """What the fields of a card's form may name, for this person."""
        return self.turn_services().within(card.project).entities(card.conversation, person)

    def file_scope_of(self, card: Card) -> FileScope:
        """Whose files a card may name."""
        return self.services.within(card.project).file_scope(card.conversation)

    def help_text(self, principal: Principal, lang: Lang) -> str:
        """What this person may ask and start, and the commands; plain text."""
        return commands.plain_help(lang, self.turn_services().limited_to(principal))

    def suggest_examples(self, actor: Actor, lang: Lang) -> tuple[str, ...]:
        """What this person may ask and start, for a page that shows some of it."""
        services = self.turn_services().limited_to(self.services.people.principal(actor))
        return suggest_examples("", lang, services)

    @property
    def _runs(self) -> RunSteps:
        return RunSteps(self.services, self.current)

    async def give_up(self, claim: Claim) -> HandlerResult:
        """The effects of a mail that failed again and again.

        The chat is told, and the mail is set aside for an operator; a run is blocked instead.
        """
        try:
            mail = parse_mail(claim.mail)
        except ValidationError:
            return unreadable_mail(claim)
        services = self.turn_services()
        match mail:
            case MessageArrived():
                return HandlerResult(
                    await failures.fail_message(mail, self._session(claim, services), services)
                )
            case PartReady():
                return HandlerResult(await failures.fail_part(mail, services))
            case CardDecided() | CardExpired() if _is_talk(claim):
                return HandlerResult(await failures.fail_choice(claim.lane, mail, services))
            case CommandArrived():
                return HandlerResult(commands.fail_command(mail, services))
            case ServiceNotice() | StrangerArrived() | CaseLetterArrived():
                return HandlerResult(Effects(aside=(AsideWrite(claim.lane, claim.mail, GIVEN_UP),)))
        run = read_run(claim)
        if run is None:
            return HandlerResult(unreadable_effects(claim.state), park=True)
        reason = say("run.attempts", run.lang)
        return HandlerResult(block_effects(run, reason, self.services.now), park=True)

    def turn_services(self, now: datetime | None = None) -> Services:
        """The services of a turn, as of `now`, with the definitions that are current."""
        snapshot = self.current.snapshot
        return with_projects_of_now(self.services).frozen_at(
            now or self.services.now,
            playbooks=snapshot.playbooks,
            tools=self.tools(snapshot.tools),
            entity_kinds=snapshot.table.entity_kinds,
        )


def _take_letter(mail: CaseLetterArrived, claim: Claim, limits: ServiceLimits) -> Effects:
    """The effects of a letter to a case. Raises NewerState for a case of a newer version."""
    keep_s = limits.keep_case_s(mail.letter.case.project)
    try:
        return handle_letter(mail.letter, claim.state, keep_s=keep_s)
    except ValidationError as error:
        raise NewerState(f"state of {claim.lane}") from error


def _is_talk(claim: Claim) -> bool:
    return claim.lane.startswith("talk:")
