"""What a person is told of an update is shown once, however often the update comes."""

import asyncio
from dataclasses import replace

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

    What counts is decided before. An answer that was not recorded is given each time, and so is
    every answer while the store cannot say.
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
                return replace(outcome, again=await self._again(update))
        except (StoreUnavailable, TimeoutError):
            return outcome

    async def _again(self, update: Update) -> Again:
        if not await self._slate.write(f"told/{update.id}", "1", was="", keep_s=_KEEP_S):
            return "update"
        if not isinstance(update, CardTapped):
            return ""
        actor, now_s = update.actor, self._clock.now().timestamp()
        who = f"{actor.platform}:{actor.workspace}:{actor.user}"
        name = f"tapped/{who}/{update.message_id}/{update.button}"
        was = await self._slate.read(name)
        if was and now_s - float(was) < QUICK_S:
            return "tap"
        first = await self._slate.write(name, str(now_s), was=was, keep_s=2 * QUICK_S)
        return "" if first else "tap"
