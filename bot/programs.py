"""Programs that may ask people for something, each as a person (docs/programs.md)."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, SecretStr

from engine.ports.settings import comma_list

_PAIR: Final = re.compile(r"(?P<person>\w[\w.-]{0,63})=(?P<token>[!-+\--~]{16,200})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Program:
    """Who has the token acts as the person of this id, in what they ask for."""

    person: str
    token: SecretStr


def _programs(value: Any) -> Any:
    """`PERSON=TOKEN` pairs; a token is of one person, who may have several."""
    if not isinstance(value, str):
        return value
    found: dict[str, str] = {}
    for part in comma_list(value):
        pair = _PAIR.fullmatch(part)
        if pair is None or pair["token"] in found:
            raise ValueError("no person with a token, or a token twice")
        found[pair["token"]] = pair["person"]
    return tuple(Program(person, SecretStr(token)) for token, person in found.items())


Programs = Annotated[tuple[Program, ...], BeforeValidator(_programs)]
