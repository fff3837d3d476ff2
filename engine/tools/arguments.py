"""Argument types that several tools share."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from engine.tools.model import Tool

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


class Arguments(BaseModel):
    """Arguments of a tool: JSON types as they are, nothing converted, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _day(value: object) -> date:
    if isinstance(value, str) and _ISO.fullmatch(value):
        return date.fromisoformat(value)
    raise ValueError("write the date as YYYY-MM-DD")


Day = Annotated[date, BeforeValidator(_day)]
"""A calendar day, written as YYYY-MM-DD; a number is never taken for a date."""

Query = Annotated[
    str, StringConstraints(max_length=500), Field(json_schema_extra={"reads": "message"})
]
"""What is asked, in words: without a model the question as it stands."""


def normalise_texts(tool: Tool[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with texts as the tool takes them, such as an id in capitals."""
    try:
        taken = tool.arguments.model_validate(arguments).model_dump(mode="json")
    except ValidationError:
        # The tool will refuse them, and say why.
        return dict(arguments)
    return {
        name: taken.get(name, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
