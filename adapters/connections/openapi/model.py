"""What `connections.yaml` and `tools.yaml` say of an API with an OpenAPI document."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from adapters.connections.http.model import Address, HttpOptions, HttpSettings, Pages
from cards.frozen import Frozen


class OpenApiSettings(HttpOptions):
    """A connection of kind `openapi`: as `http`, with a `document` (3.0 or 3.1) of the folder.

    Without an `address` the document's first server is asked.
    """

    kind: Literal["openapi"] = "openapi"
    document: Path
    address: Address = ""

    @model_validator(mode="after")
    def _is_local(self) -> Self:
        if self.document.is_absolute() or ".." in self.document.parts:
            raise ValueError("document should lie in the project folder")
        return self

    def at(self, address: str) -> HttpSettings:
        """The same options for an API at the address."""
        options = {name: getattr(self, name) for name in HttpOptions.model_fields}
        return HttpSettings(address=address, **options)


class OpenApiCall(Frozen):
    """An operation by its `operationId`; `fixed` are arguments that are not asked for."""

    operation: Annotated[str, StringConstraints(min_length=1)]
    fixed: dict[str, Any] = {}
    items: str = ""
    pages: Pages | None = None
    most: int = Field(10, ge=1, le=100)
