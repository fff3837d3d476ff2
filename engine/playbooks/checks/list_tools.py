"""What models cannot check of the tools that list records and members for an SOP (001 §2, §4)."""

from collections.abc import Collection, Mapping

from engine.playbooks.checks.names import FileCheck
from engine.playbooks.leaf import Leaf
from engine.playbooks.records import Batch, Over, SystemReading, ToolValue
from engine.playbooks.review import PersonTool
from engine.rules.names import RuleNames
from engine.text.template import READ_NAMES
from engine.yaml.faults import Path

# Rules may also read today's date.
TODAY = "today"
PREVIOUS = "previous_"
"""Before the name of a column: what the record before had there."""
FINDING_COLUMNS = ("field", "value", "message")
"""What a table of findings may tell of a finding, beside the columns of its record."""
_TEXTS = frozenset({"text", "choice", "entity", "person", "email", "url"})
"""Types of fields whose values are texts of a certain form."""
RESULT_COLUMNS = ("result", "problems")


class ListToolCheck(FileCheck):
    """A pass over the lists that an SOP goes over; adds each problem where it stands."""

    def check_over(self, over: Over, at: Path, outer: RuleNames) -> RuleNames:
        """Check where records come from and go to; the names that rules over them may read."""
        each, members = over.for_each, tuple[str, ...]()
        self.check_list_tool(over.tool, (*at, "tool"))
        if each:
            self._arguments(each.tool, each.arguments, (), (*at, "for_each"))
            self.check_list_tool(each.tool, (*at, "for_each", "tool"))
            members = (each.name_column,)
            if each.only:
                known, where = self.names.data_fields, (*at, "for_each", "only")
                self.require_known(each.only, known, where, "data field")
        self._arguments(over.tool, over.arguments, (each.name,) if each else (), at)
        facts = (self.names.tools or {}).get(over.tool)
        # Where none are declared, any may be there.
        columns = facts.columns if facts else None
        if over.entry and columns:
            self.require_known(over.entry, columns, (*at, "entry"), "column")
        if columns is not None:
            known_columns = (*FINDING_COLUMNS, *members, *columns)
            self._table(over.findings, (*at, "findings"), known_columns, some=True)
        self._table(over.summary, (*at, "summary"), (*members, over.count, "findings"))
        return _record_names(columns, outer)

    def check_reading(self, reads: SystemReading, at: Path) -> None:
        """Check what a node reads of one thing, and the fields that it fills."""
        tools = self.names.tools or {}
        facts = tools.get(reads.tool)
        self.check_single_tool(reads.tool, (*at, "tool"))
        self._arguments(reads.tool, reads.arguments, (), at)
        for name, column in reads.fills.items():
            where = (*at, "fills", name)
            self.require_known(name, self.names.data_fields, where, "data field")
            self.check_given(name, where)
            columns = facts.columns if facts else None
            self.require_known(column, columns, where, f"column of {reads.tool}")
            leaf = self.names.definition.leaf(name) if self.names.definition else None
            if leaf and columns and column in columns and not _takes(leaf, columns[column]):
                self.add(where, f"is of type {leaf.type}, and the column {columns[column]}")

    def check_batch(self, batch: Batch) -> None:
        """Check where the records of a batch come from, and where their results go to."""
        at: Path = ("sop", "batch")
        self.check_list_tool(batch.tool, (*at, "tool"))
        self._arguments(batch.tool, batch.arguments, (), at)
        self.require_known(batch.name, self.names.data_fields, (*at, "as"), "data field")
        self._table(batch.summary, (*at, "summary"), (batch.name_column, *RESULT_COLUMNS))
        leaf = self.names.definition.leaf(batch.summary) if self.names.definition else None
        for name in RESULT_COLUMNS:
            column = leaf.columns.get(name) if leaf else None
            if column and column.type != "text":
                told = f"should be a list whose column {name} is text, not {column.type}"
                self.add((*at, "summary"), told)

    def check_person(self, source: PersonTool, at: Path) -> None:
        """Check the tool that names who approves."""
        facts = (self.names.tools or {}).get(source.tool)
        # One thing or a list: a person stands in either.
        check = self.check_list_tool if facts is None or facts.lists else self.check_single_tool
        check(source.tool, (*at, "tool"))
        self._arguments(source.tool, source.arguments, (), at)
        if facts and facts.columns:
            self.require_known(source.column, facts.columns, (*at, "column"), "column")

    def _arguments(
        self, tool: str, given: Mapping[str, ToolValue], members: Collection[str], at: Path
    ) -> None:
        names = self.names.rule_names(**dict.fromkeys((*members, *READ_NAMES), ""))
        for argument, value in given.items():
            if isinstance(value, str) and value.startswith("$"):
                self.add((*at, "with", argument), names.fault(value[1:], "$"))
        facts = (self.names.tools or {}).get(tool)
        if facts is None:
            return
        self.check_arguments(tool, facts, given, (*at, "with"))

    def _table(self, name: str, at: Path, columns: Collection[str], *, some: bool = False) -> None:
        """A list leaf with these columns, or with some of them."""
        self.require_known(name, self.names.data_fields, at, "data field")
        leaf = self.names.definition.leaf(name) if self.names.definition else None
        if leaf is None:
            return
        fits = set(leaf.columns) <= set(columns) if some else set(leaf.columns) == set(columns)
        if not fits or leaf.type != "list":
            which = "some of the columns" if some else "the columns"
            self.add(at, f"should be a list with {which} {', '.join(dict.fromkeys(columns))}")


def _takes(leaf: Leaf, column: str) -> bool:
    """Whether a field may hold what a column of that type has."""
    if leaf.type == "money" and column in ("number", "integer"):
        return len(leaf.currencies) == 1
    if column == "text":
        return leaf.type in _TEXTS
    return leaf.type in (column, "text") or {leaf.type, column} <= {"number", "integer"}


def _record_names(columns: Mapping[str, str] | None, outer: RuleNames) -> RuleNames:
    """What a rule over records may read, with what stands around them as `outer`."""
    if columns is None:
        return RuleNames(outer=outer)
    previous = {f"{PREVIOUS}{name}": kind for name, kind in columns.items()}
    return RuleNames({**columns, **previous, TODAY: "date"}, outer=outer)
