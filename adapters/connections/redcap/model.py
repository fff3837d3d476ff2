"""What `connections.yaml` and `tools.yaml` say of a REDCap project."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from adapters.connections.http.model import Address
from adapters.connections.settings import Secret
from cards.frozen import Frozen

_THEIRS = "redcap_"
MAX_FIELDS = 200


def _api(address: str) -> str:
    # Without the slash at its end a server redirects, and what was posted is lost.
    if not address.rstrip("/").endswith("/api"):
        raise ValueError("should be an http:// or https:// address that ends in /api/")
    return address.rstrip("/") + "/"


def _free(name: str) -> str:
    if name.startswith(_THEIRS):
        raise ValueError(f"names that begin with {_THEIRS} are REDCap's own")
    return name


ApiAddress = Annotated[Address, AfterValidator(_api)]
FieldName = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,99}$"), AfterValidator(_free)
]
FormName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,99}$")]


class RedcapSettings(Frozen):
    """A connection of kind `redcap`: the `address` of the API, and the `token` of one project.

    `timeout_s` is for each request.
    """

    kind: Literal["redcap"] = "redcap"
    address: ApiAddress
    token: Secret
    timeout_s: float = Field(30.0, ge=0.1, le=300)


class RedcapCall(Frozen):
    """Rows of these `fields`, or the values to `write`; texts are templates.

    `form` is the repeating instrument whose instances are meant; without it, the rows that do not
    repeat. `record` is the record's name, `event` the unique name of an event, `arm` its arm's
    number, `where` fields with the value that each has. Fields in `labels` come as the labels of
    their choices, others as the codes. `sort` names fields; a - before one puts the last first.

    A write sets fields of the record, which is there already, as a new instance of a repeating
    `form`. `key` is the text field that keeps its key, `unique` are fields of which no other
    instance of the record has the same values, `status` is what the form's status becomes.
    """

    fields: tuple[FieldName, ...] = Field(default=(), max_length=MAX_FIELDS)
    form: FormName | Literal[""] = ""
    record: str = ""
    event: str = ""
    arm: int | None = Field(None, ge=1, le=1000)
    where: dict[FieldName, Any] = Field(default={}, max_length=20)
    labels: tuple[FieldName, ...] = ()
    sort: tuple[Annotated[str, StringConstraints(pattern=r"^-?[a-z][a-z0-9_]{0,99}$")], ...] = ()
    most: int = Field(1000, ge=1, le=10_000)
    write: dict[FieldName, Any] | None = Field(None, max_length=MAX_FIELDS)
    key: FieldName | Literal[""] = ""
    unique: tuple[FieldName, ...] = ()
    status: Literal[0, 1, 2] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.write is None) is not bool(self.fields):
            raise ValueError("should have either `fields` to read or values to `write`")
        if self.write is None:
            if self.key or self.unique or self.status is not None:
                raise ValueError("`key`, `unique` and `status` belong to a write")
            return self
        if not self.record:
            raise ValueError("a write needs the `record`")
        if self.where or self.sort or self.labels or self.arm is not None:
            raise ValueError("`where`, `sort`, `labels` and `arm` belong to a read")
        if self.status is not None and not self.form:
            raise ValueError("`status` is that of a `form`")
        if unknown := [name for name in self.unique if name not in self.write]:
            raise ValueError(f"`unique` names {unknown[0]}, which is not written")
        return self
