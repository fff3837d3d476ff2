"""What a person is told of an update is shown once, however often the update comes."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal

from engine.errors import StoreUnavailable
from engine.events import Again, Answered, CardTapped, FormRefused, FormWanted, Outcome, Update
from engine.ports.clock import Clock
from engine.ports.platform import Intake
from engine.ports.storage.platform_texts import ExpiringTexts

QUICK_S = 1.5
"""Who taps the same button again within this time meant one tap."""

_KEEP_S = 24 * 3600.0
_WITHIN_S = 0.5
_LOOK_S = 0.05


class ShownOnce:
    """An intake that marks an answer as given `again`: for a repeated update, and a double tap.

    What counts is decided before. An answer is given each time until somebody notes that it was
    shown, lest one be told nothing; that to a stranger once, since a mention comes as two events.
    So is every answer while the store cannot say, and one that was not recorded. A tap waits for
    the answer to the same one just before it to be shown, and is answered where it is not.
    """

    def __init__(self, intake: Intake, slate: ExpiringTexts, clock: Clock) -> None:
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
                again = await self._again(update, outcome)
        except (StoreUnavailable, TimeoutError):
            again = ""
        return replace(outcome, again=again, shown=None if again else partial(self._shown, update))

    async def _again(self, update: Update, outcome: Outcome) -> Again:
        if isinstance(outcome, Answered) and outcome.stranger:
            return "" if await self._note(update) else "update"
        if await self._slate.read(f"told/{update.id}"):
            return "update"
        if not isinstance(update, CardTapped):
            return ""
        while was := await self._just_before(update):
            if was == "shown":
                return "tap"
            await asyncio.sleep(_LOOK_S)
        return ""

    async def _just_before(self, tap: CardTapped) -> Literal["", "begun", "shown"]:
        """What became of a quick tap before this one; "" for none, and then this one has begun."""
        was = await self._slate.read(_tap_key(tap))
        state, _, at = was.rpartition(" ")
        if was and self._clock.now().timestamp() - float(at) < QUICK_S:
            return "begun" if state == "begun" else "shown"
        return "" if await self._mark(tap, "begun", was) else "begun"

    async def _mark(self, tap: CardTapped, state: Literal["begun", "shown"], was: str) -> bool:
        text = f"{state} {self._clock.now().timestamp()}"
        return await self._slate.write(_tap_key(tap), text, was=was, keep_s=2 * QUICK_S)

    async def _note(self, update: Update) -> bool:
        """Whether it was not noted before."""
        return await self._slate.write(f"told/{update.id}", "1", was="", keep_s=_KEEP_S)

    async def _shown(self, update: Update) -> None:
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(_WITHIN_S):
                await self._note(update)
                if isinstance(update, CardTapped):
                    await self._mark(update, "shown", await self._slate.read(_tap_key(update)))


def _tap_key(tap: CardTapped) -> str:
    actor = tap.actor
    who = f"{actor.platform}:{actor.workspace}:{actor.user}"
    return f"tapped/{who}/{tap.message_id}/{tap.button}"
