"""What `connections.yaml` and `tools.yaml` say of a database."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from yarl import URL

from adapters.connections.settings import Secret
from cards.frozen import Frozen

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]


class SqlSettings(Frozen):
    """A connection of kind `sql`: a SQLite `file`, or the `address` of a PostgreSQL database.

    With `create`, a file of SQL statements, the SQLite file stands in the service's data folder and
    is made by them where it is not there yet. `timeout_s` is for a whole call. Give a role that may
    only read where tools only read.
    """

    kind: Literal["sql"] = "sql"
    file: Path | None = None
    create: Path | None = None
    address: str = ""
    password: Secret | None = None
    timeout_s: float = Field(10.0, ge=0.1, le=300)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.file is None) is (not self.address):
            raise ValueError("should have either `file` (SQLite) or `address` (PostgreSQL)")
        if self.create is not None and self.file is None:
            raise ValueError("`create` makes a `file`")
        if self.create is not None and self.file is not None and len(self.file.parts) != 1:
            raise ValueError("a `file` with `create` is a name in the data folder")
        if self.address:
            url = URL(self.address)
            if url.scheme not in ("postgresql", "postgres"):
                raise ValueError("address should begin with postgresql://")
            if url.password:
                raise ValueError("address should have no password; `password: $NAME` has it")
        elif self.password is not None:
            raise ValueError("a SQLite file has no password")
        return self


class Key(Frozen):
    """The column of a table in which a write leaves its key, so that a repeat is known."""

    table: Identifier
    column: Identifier


class SqlCall(Frozen):
    """One statement; `:name` and `:name.part` stand for arguments, and are always bound.

    A read gives at most `most` rows. A write is undone where it changes another number of rows
    than `changes`; with a `key` its own key is bound as `:key`, and a repeat changes nothing.
    """

    sql: str
    most: int = Field(200, ge=1, le=100_000)
    changes: int = Field(1, ge=0, le=10_000)
    key: Key | None = None
