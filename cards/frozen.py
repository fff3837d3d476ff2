"""The one way our stored and passed-on values are declared."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable value; unknown keys are errors, so a newer schema never loads half."""

    model_config = ConfigDict(frozen=True, extra="forbid")
