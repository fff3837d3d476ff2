"""A table tries every row, and names those that fail."""

import pytest

from tests.fakes.tables import table


def test_every_row_is_tried_and_each_that_fails_is_named() -> None:
    tried = []

    @table("number, square", [(1, 1), (2, 5), (3, 9), (4, 17)])
    def squares(number: int, square: int) -> None:
        tried.append(number)
        assert number**2 == square

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows fail") as caught:
        squares()
    assert tried == [1, 2, 3, 4]
    assert [each.__notes__ for each in caught.value.exceptions] == [
        ["in the row (2, 5)"],
        ["in the row (4, 17)"],
    ]


async def test_rows_of_two_tables_are_tried_together() -> None:
    tried = []

    @table("one", "ab", ids=str.upper)
    @table("other", "xy")
    async def pairs(one: str, other: str) -> None:
        tried.append(one + other)
        assert one + other != "by"

    with pytest.raises(BaseExceptionGroup) as caught:
        await pairs()
    assert tried == ["ax", "ay", "bx", "by"]
    assert caught.value.exceptions[0].__notes__ == ["in the row B"]


@table("number", range(3))
def test_fixtures_are_given_as_ever(number: int, conversation: str) -> None:
    assert conversation.startswith("web:local:")
    assert number < 3


def test_a_row_may_have_a_name_and_a_long_one_is_cut() -> None:
    @table("number", [pytest.param(1, id="one"), "x" * 1000])
    def nothing(number: object) -> None:
        raise AssertionError

    with pytest.raises(BaseExceptionGroup) as caught:
        nothing()
    first, second = (each.__notes__[0] for each in caught.value.exceptions)
    assert first == "in the row one"
    assert len(second) < 250


def test_a_table_without_rows_or_for_another_test_is_refused() -> None:
    with pytest.raises(ValueError, match="a table of number has no rows"):
        table("number", [])
    with pytest.raises(ValueError, match="takes no letter"):

        @table("letter", "ab")
        def nothing() -> None:
            return
