"""Tools of a tyre shop: tyres are looked up in a table, orders stand in the file TYRE_ORDERS."""

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from engine.toolbox.package import NotDone, PackageCall, PackageTool

_TYRES = {"T-16": ("Winter 205/55 R16", 89.9), "T-17": ("Summer 225/45 R17", 104.5)}


class Tyre(BaseModel):
    """Which tyre."""

    model_config = ConfigDict(extra="forbid")

    number: str = Field(description="The tyre's number, as T-16", pattern=r"^T-[0-9]{2}$")


class Order(Tyre):
    """Which tyre, and how many of it."""

    amount: int = Field(ge=1, le=8)


class Nothing(BaseModel):
    """No arguments."""


async def list_tyres(asked: Nothing, call: PackageCall) -> list[dict[str, object]]:
    """Every tyre there is."""
    return [_row(number) for number in _TYRES]


def find_tyre(asked: Tyre, call: PackageCall) -> dict[str, object] | None:
    """The tyre of that number; None where there is none."""
    return _row(asked.number) if asked.number in _TYRES else None


def order_tyres(asked: Order, call: PackageCall) -> dict[str, object]:
    """Write an order down once, whoever repeats it: its key stands in the line."""
    if asked.number not in _TYRES:
        raise NotDone(f"there is no tyre {asked.number}")
    file = Path(os.environ["TYRE_ORDERS"])
    lines = file.read_text().splitlines() if file.exists() else []
    if not any(line.endswith(call.key) for line in lines):
        order = f"{asked.number} {asked.amount} {call.requester} {call.approver} {call.key}"
        file.write_text("\n".join([*lines, order, ""]))
    return {"number": asked.number, "amount": asked.amount}


def _row(number: str) -> dict[str, object]:
    name, price = _TYRES[number]
    return {"number": number, "name": name, "price": {"value": price, "currency": "EUR"}}


_COLUMNS = {
    "number": {"label": {"en": "Number", "zh": "编号"}},
    "name": {"label": {"en": "Name", "zh": "名称"}},
    "price": {"label": {"en": "Price", "zh": "价格"}, "type": "money"},
}

TOOLS = [
    PackageTool(
        name="list_tyres",
        description="Every tyre of the shop with its price.",
        arguments=Nothing,
        function=list_tyres,
        reads=True,
        result="many",
        columns=_COLUMNS,
        cues=["tyres", "轮胎"],
        examples=["which tyres are there", "what tyres do we have", "有哪些轮胎"],
    ),
    PackageTool(
        name="find_tyre",
        description="A tyre by its number, with its price.",
        arguments=Tyre,
        function=find_tyre,
        reads=True,
        columns=_COLUMNS,
    ),
    PackageTool(
        name="order_tyres",
        description="Orders tyres.",
        arguments=Order,
        function=order_tyres,
        keyed=True,
    ),
]
