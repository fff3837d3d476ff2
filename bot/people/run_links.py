"""Where a run answers, as an address for who reads a list of runs."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from engine.ports.platform import Platform, SupportsPlaces, SupportsRunLinks

LINK_S = 1.0
"""For so long a platform is waited for; a list without addresses is a list too."""


@dataclass(frozen=True, slots=True)
class RunLinks:
    """Finds addresses on these platforms."""

    platforms: Mapping[str, Platform]

    async def __call__(self, run: str, conversation: str, message_id: str, *, reader: str) -> str:
        """The address, for a reader on that platform; "" where there is none. Never raises."""
        platform = self.platforms.get(conversation.partition(":")[0])
        if platform is None:
            return ""
        with suppress(TimeoutError):
            async with asyncio.timeout(LINK_S):
                if isinstance(platform, SupportsPlaces) and reader == platform.name:
                    return platform.place(conversation)
                link = await platform.link(conversation, message_id)
                if not link and isinstance(platform, SupportsRunLinks):
                    link = await platform.run_opening(run)
                return link
        return ""
