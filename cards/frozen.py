"""The base of all values that are stored or passed between processes."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

_NEWER = frozenset({"extra_forbidden", "union_tag_invalid", "literal_error"})


class Frozen(BaseModel):
    """An immutable value; unknown keys are errors, so a newer schema never loads half."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return it with these changes, not checked, as pydantic does; a step copies many times."""
        if deep or self.__pydantic_extra__ or self.__pydantic_private__:
            return super().model_copy(update=update, deep=deep)
        copied = self.__class__.__new__(self.__class__)
        changed = update or {}
        object.__setattr__(copied, "__dict__", {**self.__dict__, **changed})
        object.__setattr__(copied, "__pydantic_extra__", None)
        object.__setattr__(copied, "__pydantic_private__", None)
        known = {*self.__pydantic_fields_set__, *changed}
        object.__setattr__(copied, "__pydantic_fields_set__", known)
        return copied

    def stored(self) -> str:
        """Return JSON for the store: without defaults, but always with the schema_version."""
        text = self.model_dump_json(exclude_defaults=True)
        version = getattr(self, "schema_version", None)
        return text if version is None else f'{{"schema_version":{version},{text[1:]}'


def is_by_newer(error: ValidationError) -> bool:
    """Whether a newer version seems to have written it: fields or kinds unknown here."""
    return any(fault["type"] in _NEWER for fault in error.errors(include_context=False))
