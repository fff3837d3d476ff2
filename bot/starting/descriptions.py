"""What models of files say of themselves and of their keys, in their docstrings."""

import inspect
import re
from functools import lru_cache

from pydantic import BaseModel

_SPEC = re.compile(r"\s\((?:spec|design|\d{3}|SOP)[^()]{0,80}\)")
_END = re.compile(r"(?<=[.:;]) (?=[A-Z`])")
_OF_OTHERS = ("BaseModel", "Frozen", "FilePolicy", "RootModel")


@lru_cache
def describe_model(model: type[BaseModel]) -> str:
    """Its docstring in paragraphs, without references to specifications; "" without one."""
    ours = (each for each in model.__mro__ if each.__name__ not in _OF_OTHERS)
    doc = next((each.__doc__ for each in ours if each.__doc__ and each is not object), "")
    text = _SPEC.sub("", inspect.cleandoc(doc))
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


@lru_cache
def describe_key(model: type[BaseModel], key: str) -> str:
    """The sentences that name the key in the docstring of its model, or of one above it."""
    for each in model.__mro__:
        if isinstance(each, type) and issubclass(each, BaseModel) and "__doc__" in vars(each):
            sentences = _END.split(describe_model(each).replace("\n\n", " "))
            if found := [sentence for sentence in sentences if f"`{key}`" in sentence]:
                return " ".join(found).rstrip(":;")
    return ""
