"""A wait in vain says what it waited for."""

import pytest

from tests.fakes.platforms.patience import PATIENCE_S, SLOWER, until, within


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
    assert PATIENCE_S <= 20 * SLOWER
