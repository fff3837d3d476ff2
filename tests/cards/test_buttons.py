"""What a button carries is what pack wrote, or it is refused."""

import pytest

from cards.buttons import BadButton, Button
from tests.fakes.tables import table

GOOD = "s1:1-abcdefgh:approve:2"


def test_what_was_packed_is_unpacked() -> None:
    assert Button.unpack(GOOD).pack() == GOOD


@table(
    "data",
    [
        "",
        "s1:1-abcdefgh:approve:02",
        "s1:1-abcdefgh:approve:٢",
        f"{GOOD}\n",
        f" {GOOD}",
        "s2" + GOOD[2:],
    ],
)
def test_what_pack_never_wrote_is_refused(data: str) -> None:
    with pytest.raises(BadButton):
        Button.unpack(data)


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(BadButton):
        Button(token="1-" + "a" * 32, choice="a" * 16, revision=99999).pack()
