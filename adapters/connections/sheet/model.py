"""What `connections.yaml` and `tools.yaml` say of a table in a file."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from cards.frozen import Frozen


class SheetSettings(Frozen):
    """A connection of kind `sheet`: a CSV or XLSX `file`, whose first row names the columns.

    `sheet` is one of a workbook, the first without it.
    """

    kind: Literal["sheet"] = "sheet"
    file: Path
    sheet: str = ""
    separator: Literal[",", ";", "\t"] = ","

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.file.suffix.lower() not in (".csv", ".xlsx"):
            raise ValueError("file should end in .csv or .xlsx")
        if self.file.is_absolute() or ".." in self.file.parts:
            raise ValueError("file should lie in the project folder")
        if self.sheet and self.is_csv:
            raise ValueError("a CSV has no sheets")
        return self

    @property
    def is_csv(self) -> bool:
        """Whether the file is one that can be written to."""
        return self.file.suffix.lower() == ".csv"


class SheetCall(Frozen):
    """Rows whose columns are as `where` says, or a row to `append`; their texts are templates.

    Cells are compared as texts, without regard to case and outer spaces; an argument that is not
    given compares nothing. A row that is appended may leave its key in the column `key`.
    """

    where: dict[str, Any] = {}
    most: int = Field(200, ge=1, le=100_000)
    append: dict[str, Any] | None = None
    key: str = ""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.append is not None and self.where:
            raise ValueError("should have `where` or `append`, not both")
        if self.key and self.append is None:
            raise ValueError("`key` is the column of a row that is appended")
        return self
