"""The base of all values that are stored or passed between processes."""

from pydantic import BaseModel, ConfigDict, ValidationError

_NEWER = frozenset({"extra_forbidden", "union_tag_invalid", "literal_error"})


class Frozen(BaseModel):
    """An immutable value; unknown keys are errors, so a newer schema never loads half."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def stored(self) -> str:
        """Return JSON for the store: without defaults, but always with the schema_version."""
        text = self.model_dump_json(exclude_defaults=True)
        version = getattr(self, "schema_version", None)
        return text if version is None else f'{{"schema_version":{version},{text[1:]}'


def is_by_newer(error: ValidationError) -> bool:
    """Whether a newer version seems to have written it: fields or kinds unknown here."""
    return any(fault["type"] in _NEWER for fault in error.errors(include_context=False))
