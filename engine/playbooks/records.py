"""Lists that tools give: records that rules go over, and the members of a batch (001 §2, §4)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict
from pydantic import Field as Key

from cards.frozen import Frozen

ToolValue = str | int | float | bool
NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"


class ListTool(Frozen):
    """A tool that only reads and gives a list, with its arguments.

    In `with`, `$name` is the data leaf of that name, `$profile.x` and `$decisions.x` likewise, or
    one of requester (an id), project, case, today; what is not known is left out. `column` is the
    one that names an entry, in what the tool lists and in the tables that are filled; without it,
    the name that an entry goes by.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    tool: str
    arguments: dict[str, ToolValue] = Key(default={}, alias="with")
    column: str = ""


class Members(ListTool):
    """Whose records are judged: of each entry that a tool lists, in turn.

    `as` is its name in the `with` around, written with a `$`. Where the leaf `only` holds one, that
    one alone.
    """

    name: str = Key(alias="as", pattern=NAME_PATTERN)
    only: str = ""

    @property
    def name_column(self) -> str:
        """The column that names a member."""
        return self.column or self.name


class RecordTool(Frozen):
    """Where records come from: a tool that lists them, of each member if there is `for_each`.

    `entry` is the column that tells the records of one member apart, such as their date. `count` is
    the column of the summary that has the number of records.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    tool: str
    arguments: dict[str, ToolValue] = Key(default={}, alias="with")
    for_each: Members | None = None
    entry: str = ""
    count: str = "records"


class Over(RecordTool):
    """The records that rules judge one by one, instead of the state.

    `findings` is a list leaf that takes a row for each violation: `field`, `value`, `message`, the
    member, and any columns of the record. `summary` is one that takes a row for each member: the
    member, how many records, `findings`. Fewer records than `at_least`, of each member, are a
    violation too; without it no record means that nothing is wrong.
    """

    findings: str
    summary: str
    at_least: int = Key(default=0, ge=0, le=10_000, exclude_if=lambda least: not least)


def _by_column(given: Any) -> Any:
    """Fields that are called as their columns, as a mapping."""
    return {name: name for name in given} if isinstance(given, list | tuple) else given


class SystemReading(Frozen):
    """What a node reads of one thing, from a tool that gives one (`result: one`).

    `with` are its arguments, as in lists. `fills` has the column that each data field takes, or
    lists fields that are called as their columns.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    tool: str
    arguments: dict[str, ToolValue] = Key(default={}, alias="with")
    fills: Annotated[
        dict[str, str],
        BeforeValidator(_by_column, json_schema_input_type=dict[str, str] | tuple[str, ...]),
        Key(min_length=1, max_length=50),
    ]


class Batch(ListTool):
    """An SOP for each of many records at once: child runs, `concurrency` of them at a time.

    `as` is the data leaf that names the record to its child, `summary` the list leaf that takes a
    row for each: the record, `result`, `problems`.
    """

    name: str = Key(alias="as", pattern=NAME_PATTERN)
    summary: str
    concurrency: int = Key(default=5, ge=1, le=20)

    @property
    def name_column(self) -> str:
        """The column that names a record."""
        return self.column or self.name
