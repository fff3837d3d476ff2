"""A model built out of YAML at once, as tests want it."""

from typing import Any

from pydantic import BaseModel

from engine.yaml.source import Problems, Source, try_build


def build(model: type[BaseModel], source: Source, *, at: tuple[str | int, ...] = ()) -> Any:
    """The model of the data under `at`; raises DefinitionError with all faults."""
    problems = Problems()
    built = try_build(model, source, problems, at=at)
    problems.raise_if_any()
    return built
