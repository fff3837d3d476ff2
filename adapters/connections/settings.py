"""What the files of connections may hold, whatever their kind."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    SecretStr,
    StringConstraints,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

_REFERENCE = re.compile(r"\$([A-Z][A-Z0-9_]*)")


def _from_environment(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, SecretStr):
        return value
    name = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if name is None:
        raise ValueError(
            "should name a variable, as in $EXPENSES_TOKEN; no secret stands in a file"
        )
    environment: Mapping[str, str | None] = (info.context or {}).get("environment", {})
    if not (secret := environment.get(name[1])):
        raise ValueError(f"{name[0]} is not set in the environment or in .env")
    return secret


_Variable = Annotated[str, StringConstraints(pattern=f"^{_REFERENCE.pattern}$")]
Secret = Annotated[SecretStr, BeforeValidator(_from_environment, json_schema_input_type=_Variable)]
"""A secret, which a file names as `$NAME`; validate with `context={"environment": {...}}`."""


def _secret_or_text(
    value: Any, check: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> SecretStr | str:
    if isinstance(value, str) and value.startswith("$"):
        return SecretStr(_from_environment(value, info))
    text: SecretStr | str = value if isinstance(value, str) else check(value)
    return text


SecretOrText = Annotated[
    SecretStr | str, WrapValidator(_secret_or_text, json_schema_input_type=str)
]
"""A secret as `$NAME`, or a text that stands in the file as it is."""

HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")]
HeaderValue = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[\x20-\x7e]*$")]
