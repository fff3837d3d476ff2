"""Tools of a project folder: read, bound to a connection, asked, and told."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import JsonValue

from cards.model import Decision, Vote
from engine.errors import ToolFailed, ToolUnsure
from engine.frames.state import Approval
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


async def test_a_write_may_name_all_who_approved_it_beside_the_last() -> None:
    named = list[Any]()

    class Ledger:
        keyed = True

        async def __call__(self, values: Any, *, key: str = "") -> JsonValue:
            named.append((values["approver"], values["approvers"]))
            return {"weight": 1}

    text = PARCEL.replace("KIND", "writes")
    definition = build(ToolDefinition, read_yaml(text, file="tools.yaml"))
    tool = connect_tool("parcel", definition, Ledger(), "DEPOT")
    await tool.run(tool.arguments(), replace(CONTEXT, by="pia", approvers=("otto", "pia")))
    # An approval of an earlier version knows the last one alone.
    await tool.run(tool.arguments(), CONTEXT)
    assert named == [("pia", "otto, pia"), ("chen", "chen")]


def test_an_approval_has_all_who_gave_it() -> None:
    at = datetime(2026, 11, 21, tzinfo=UTC)
    votes = tuple(
        Vote(person=person, name=person.title(), choice=choice, at=at)
        for person, choice in (("otto", "approve"), ("rita", "reject"), ("pia", "approve"))
    )
    decision = Decision(choice="approve", person="pia", name="Pia", at=at, votes=votes)
    approval = Approval.of(decision, "d")
    assert (approval.by, approval.ids, approval.names) == ("pia", ("otto", "pia"), ("Otto", "Pia"))
    alone = Approval.of(decision.model_copy(update={"votes": ()}), "d")
    assert alone == Approval(by="pia", name="Pia", digest="d")
