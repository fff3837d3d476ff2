"""Faults of a file's model as sentences."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from engine.ports.systems.connections import BadCall, CallRequest

CallT = TypeVar("CallT", bound=BaseModel)


def read_call(model: type[CallT], request: CallRequest) -> CallT:
    """The call that a tool describes. Raises BadCall with every fault."""
    try:
        return model.model_validate(request.body)
    except ValidationError as error:
        raise BadCall(*problems_of(error)) from error


def problems_of(error: ValidationError) -> list[str]:
    """A sentence for each fault, which begins with its place."""
    return [
        f"{'.'.join(map(str, each['loc'])) or 'call'}: {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors(include_url=False, include_input=False, include_context=False)
    ]
