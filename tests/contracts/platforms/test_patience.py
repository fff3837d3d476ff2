"""A wait in vain says what it waited for."""

import os

import pytest

from tests.fakes.platforms import patience
from tests.fakes.platforms.patience import PATIENCE_S, SAID_AFTER_S, until, within


async def test_what_never_holds_is_named_with_how_it_stands() -> None:
    reached = 3

    def is_reached() -> bool:
        return reached > 4

    with pytest.raises(AssertionError, match=r"(?s)not within 0.01 s: .*return reached > 4"):
        await until(is_reached, 0.01)
    with pytest.raises(AssertionError, match="it stands at 3"):
        async with within(0, is_reached, lambda: f"it stands at {reached}"):
            await until(is_reached)
    with pytest.raises(AssertionError, match="not within 0 s: all is said"):
        async with within(0, "all is said"):
            await until(is_reached)


async def test_a_wait_that_takes_long_says_what_for_while_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    said: list[str] = []

    def is_told() -> bool:
        said.append(os.read(reads, 4096).decode())
        return True

    async def waits() -> bool:
        try:
            return is_told()
        except BlockingIOError:
            return False

    monkeypatch.setattr(patience, "_say_to", [writes])
    monkeypatch.setattr(patience, "SAID_AFTER_S", 0.01)
    async with within(PATIENCE_S, "all is said", lambda: "half of it is"):
        await until(waits)
    for end in (reads, writes):
        os.close(end)
    assert f"{request.node.name} (call): still waiting after 0.01 s: all is said" in said[0]
    assert "half of it is" in said[0]
    assert SAID_AFTER_S == 20 < PATIENCE_S
