"""Types of fields, the values that they have in JSON, and why a text or a value is none."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Literal, Protocol, TypeGuard

from typing_extensions import TypedDict

FieldType = Literal[
    "text",
    "integer",
    "number",
    "money",
    "date",
    "time",
    "choice",
    "boolean",
    "person",
    "email",
    "url",
    "file",
    "entity",
    "list",
]
Bound = float | str
"""A least or a greatest value: a number, a date (or `today`), or a time of day."""

TODAY = "today"
"""The bound of a date that is the day on which the form is judged."""


YES, NO = "yes", "no"
"""The texts of a boolean, and its options."""


class Money(TypedDict):
    """An amount in a currency, by its ISO 4217 code."""

    value: float
    currency: str


MONEY_PARTS = ("value", "currency")
FILE_TEXT = "text"
"""What a rule reads of a file besides its name: what it contains."""

Value = str | int | float | bool | Money


class ValueRules(Protocol):
    """What a field, a leaf, a column and an argument have in common: which values they take."""

    @property
    def type(self) -> FieldType:
        """What kind of values it has."""
        ...

    @property
    def options(self) -> Sequence[str]:
        """The values among which one is chosen; empty where there is no such list."""
        ...

    def label_of(self, option: str, lang: str) -> str:
        """What people read for an option; one without a label of its own is read as it is."""
        ...

    @property
    def minimum(self) -> Bound | None:
        """The least value, itself included."""
        ...

    @property
    def maximum(self) -> Bound | None:
        """The greatest value, itself included."""
        ...

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of files, by what they hold; empty for any that is taken."""
        ...

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies of money; empty for any."""
        ...


class BadValue(ValueError):
    """A text or a value that a field cannot have; `key` is the sentence in cards/texts."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


def is_money(value: Any) -> TypeGuard[Money]:
    """Whether a JSON value is an amount of money."""
    return isinstance(value, dict) and value.keys() == set(MONEY_PARTS)


def money_text(money: Money) -> str:
    """Return an amount as forms have it, `120.50 EUR`, with the currency's decimals or more."""
    amount = Decimal(str(money["value"])).normalize()
    exponent = amount.as_tuple().exponent
    own = -exponent if isinstance(exponent, int) else 0
    return f"{amount:.{max(own, decimals_of(money['currency']))}f} {money['currency']}"


@cache
def decimals_of(currency: str) -> int:
    """Return how many decimals amounts of the currency usually have."""
    from babel.numbers import get_currency_precision

    return get_currency_precision(currency)
