"""The one way our stored and passed-on values are declared."""

from pydantic import BaseModel, ConfigDict, ValidationError

_NEWER = frozenset({"extra_forbidden", "union_tag_invalid", "literal_error"})


class Frozen(BaseModel):
    """An immutable value; unknown keys are errors, so a newer schema never loads half."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def stored(self) -> str:
        """JSON for the store: without what is as by default, but always with its schema_version."""
        text = self.model_dump_json(exclude_defaults=True)
        version = getattr(self, "schema_version", None)
        return text if version is None else f'{{"schema_version":{version},{text[1:]}'


def is_by_newer(error: ValidationError) -> bool:
    """Whether a newer build of us seems to have written it: fields or kinds unknown here."""
    return any(fault["type"] in _NEWER for fault in error.errors(include_context=False))
