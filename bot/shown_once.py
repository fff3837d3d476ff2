"""What a person is told of an update is shown once, however often the update comes."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial

from engine.errors import StoreUnavailable
from engine.events import Again, Answered, CardTapped, FormRefused, FormWanted, Outcome, Update
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.ports.slate import Slate

QUICK_S = 1.5
"""Who taps the same button again within this time meant one tap."""

_KEEP_S = 24 * 3600.0
_WITHIN_S = 0.5


class ShownOnce:
    """An intake that marks an answer as given `again`: for a repeated update, and a double tap.

    What counts is decided before. An answer is given each time until somebody notes that it was
    shown, lest one be told nothing; that to a stranger once, since a mention comes as two events.
    So is every answer while the store cannot say, and one that was not recorded.
    """

    def __init__(self, intake: Intake, slate: Slate, clock: Clock) -> None:
        self._intake = intake
        self._slate = slate
        self._clock = clock

    async def __call__(self, update: Update) -> Outcome:
        """What the intake answers; `again` when the person has been shown an answer to this."""
        outcome = await self._intake(update)
        if not isinstance(outcome, Answered | FormWanted | FormRefused):
            return outcome
        try:
            async with asyncio.timeout(_WITHIN_S):
                if isinstance(outcome, Answered) and outcome.stranger:
                    return replace(outcome, again="" if await self._note(update) else "update")
                again = await self._again(update)
        except (StoreUnavailable, TimeoutError):
            return outcome
        return replace(outcome, again=again, shown=None if again else partial(self._shown, update))

    async def _again(self, update: Update) -> Again:
        if await self._slate.read(f"told/{update.id}"):
            return "update"
        if not isinstance(update, CardTapped):
            return ""
        was = await self._slate.read(_tapped(update))
        return "tap" if was and self._clock.now().timestamp() - float(was) < QUICK_S else ""

    async def _note(self, update: Update) -> bool:
        """Whether it was not noted before."""
        return await self._slate.write(f"told/{update.id}", "1", was="", keep_s=_KEEP_S)

    async def _shown(self, update: Update) -> None:
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(_WITHIN_S):
                await self._note(update)
                if isinstance(update, CardTapped):
                    name, now = _tapped(update), str(self._clock.now().timestamp())
                    was = await self._slate.read(name)
                    await self._slate.write(name, now, was=was, keep_s=2 * QUICK_S)


def _tapped(tap: CardTapped) -> str:
    actor = tap.actor
    who = f"{actor.platform}:{actor.workspace}:{actor.user}"
    return f"tapped/{who}/{tap.message_id}/{tap.button}"
