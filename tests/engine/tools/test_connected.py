"""Tools of a project folder: read, bound to a connection, asked, and told."""

from datetime import date
from typing import Any

import pytest
from pydantic import JsonValue

from engine.errors import ToolFailed, ToolUnsure
from engine.playbooks.tool import ToolDefinition
from engine.toolbox.connected import connect_tool
from engine.tools.model import ToolContext
from engine.yaml.source import read_yaml
from tests.fakes.building import build

PARCEL = """\
description: A parcel
KIND: {connection: depot, path: /parcels}
columns:
  weight: {label: Weight, type: number}
"""
CONTEXT = ToolContext(today=date(2026, 11, 21), key="k", by="chen")


class Depot:
    keyed = True

    async def __call__(self, values: Any, *, key: str = "") -> JsonValue:
        return {"weight": "heavy"}


@pytest.mark.parametrize(("kind", "error"), [("reads", ToolFailed), ("writes", ToolUnsure)])
async def test_after_an_answer_that_is_not_as_declared_a_write_may_have_happened(
    kind: str, error: type[ToolFailed]
) -> None:
    definition = build(ToolDefinition, read_yaml(PARCEL.replace("KIND", kind), file="tools.yaml"))
    tool = connect_tool("parcel", definition, Depot(), "DEPOT")
    with pytest.raises(ToolFailed, match="weight") as failed:
        await tool.run(tool.arguments(), CONTEXT)
    assert type(failed.value) is error
