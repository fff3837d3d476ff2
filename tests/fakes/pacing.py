"""A platform of ours that writes as fast as it says."""

from collections.abc import Callable

import pytest

from engine.errors import RateLimited
from engine.ports.platform import Platform
from tests.fakes.views import view


async def keeps_to_its_pace(
    platform: Platform, conversation: str, skip: Callable[[float], None]
) -> None:
    """Its burst is taken, one more is not, and then one at a time is; `skip` lets time pass there.

    The server's time stands still otherwise.
    """
    pace = platform.pace(conversation)
    for number in range(pace.burst):
        await platform.send(conversation, view("hi"), key=f"k{number}")
    with pytest.raises(RateLimited) as caught:
        await platform.send(conversation, view("hi"), key="one too many")
    assert 0 < caught.value.retry_after_s <= max(1.0, pace.every_s)
    for number in range(3):
        skip(pace.every_s)
        await platform.send(conversation, view("hi"), key=f"then {number}")
