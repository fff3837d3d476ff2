"""How the models of a worker fare: counted, shared with all processes, told to admins."""

import asyncio
import secrets
from collections.abc import Iterator
from typing import Final

import structlog

from bot.people.directory import Directory
from bot.telemetry.metrics import SHARE_EVERY_S
from bot.waits import pause
from cards.markdown import literal
from cards.texts import say
from engine.errors import StoreError
from engine.mail import ServiceNotice
from engine.ports.meter import Meter
from engine.ports.storage.model_numbers import Attempt, BreakerState, ModelNumbers
from engine.ports.storage.store import Mailbox

log = structlog.get_logger()
QUIET_S: Final = 3600


def connection_state(name: str) -> str:
    """The name under which processes share the state of a connection, beside those of models."""
    return f"connection/{name}"


class ModelWatch:
    """A ModelObserver that shares every five seconds how models fare, and once more at the end.

    When a model's breaker opens, everybody with the role admin gets a message, at most once an hour
    over all workers.
    """

    def __init__(
        self, numbers: ModelNumbers, mailbox: Mailbox, people: Directory, meter: Meter
    ) -> None:
        self._numbers = numbers
        self._mailbox = mailbox
        self._people = people
        self._meter = meter
        self._states: dict[str, BreakerState] = {}
        self._opened: list[str] = []
        self._mails: list[tuple[str, ServiceNotice]] = []

    def record_attempt(self, attempt: Attempt) -> None:
        """Count an attempt."""
        name, meter = attempt.model, self._meter
        meter.count("calls", name, attempt.outcome)
        meter.count("tokens", name, "prompt", amount=attempt.prompt_tokens)
        meter.count("tokens", name, "completion", amount=attempt.completion_tokens)
        meter.count("cost", name, amount=attempt.cost)
        if purpose := attempt.purpose:
            meter.count("asked_for", purpose, attempt.outcome)
            meter.count("purpose_tokens", purpose, "prompt", amount=attempt.prompt_tokens)
            meter.count("purpose_tokens", purpose, "completion", amount=attempt.completion_tokens)
        if attempt.outcome == "ok":
            meter.took("seconds", attempt.took_s, name)

    def changed(self, model: str, state: BreakerState) -> None:
        """Log that the model's breaker opened or closed."""
        if state == "closed":
            log.info("model_back", model=model)
        elif self._states.get(model, "closed") == "closed":
            log.warning("model_left_alone", model=model)
            self._opened.append(model)
        self._states[model] = state

    def connection_changed(self, name: str, state: BreakerState) -> None:
        """Log that a connection is left alone, or asked again, and share it."""
        if state == "closed":
            log.info("connection_back", connection=name)
        elif self._states.get(connection_state(name), "closed") == "closed":
            log.warning("connection_left_alone", connection=name)
        self._states[connection_state(name)] = state

    async def run(self, stop: asyncio.Event, *, every_s: float = SHARE_EVERY_S) -> None:
        """Share every few seconds until `stop`, then once more."""
        while True:
            await pause(stop, every_s)
            await self.share()
            if stop.is_set():
                return

    async def share(self) -> None:
        """Share new states and messages; what the store does not take waits for the next time."""
        try:
            await self._share_states()
            await self._notify_admins()
        except StoreError as error:
            log.warning("model_numbers_wait", error=str(error))

    async def _share_states(self) -> None:
        for model, state in list(self._states.items()):
            await self._numbers.record_state(model, state)
            if state == "closed" and self._states[model] == "closed":
                del self._states[model]

    async def _notify_admins(self) -> None:
        while self._opened:
            if await self._numbers.first(f"model_left_alone:{self._opened[0]}", within_s=QUIET_S):
                self._mails += self._admin_mails(self._opened[0])
            del self._opened[0]
        while self._mails:
            lane, mail = self._mails[0]
            await self._mailbox.put(lane, mail.stored(), update_id=mail.id)
            del self._mails[0]

    def _admin_mails(self, model: str) -> Iterator[tuple[str, ServiceNotice]]:
        for home, lang in self._people.admins():
            text = say("admin.model_left_alone", lang, model=literal(model))
            mail = ServiceNotice(id=f"announced:{secrets.token_hex(8)}", lang=lang, text=text)
            yield f"control:{home}", mail
