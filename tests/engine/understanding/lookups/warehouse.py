"""Tools of a warehouse, which nobody tuned the look-ups to."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from cards.model import Lang
from engine.tools.arguments import Arguments, Day
from engine.tools.model import Tool, ToolContext

Order = Annotated[str, Field(json_schema_extra={"entity": "order"})]
Customer = Annotated[str, Field(json_schema_extra={"entity": "customer"})]
Status = Literal["open", "picked", "sent", "on_hold"]


class ReadOrder(Arguments):
    order: Order
    part: Literal["status", "weight", "all"] = "all"


class ListOrders(Arguments):
    customer: Customer
    status: Status | None = None
    since: Day | None = None
    until: Day | None = None


class CompareOrders(Arguments):
    orders: list[Order]


class Stock(Arguments):
    shelf: int
    on: Day | None = None


class Temperature(Arguments):
    pass


async def _run(args: Any, ctx: ToolContext) -> dict[str, Any]:
    return {"args": args.model_dump(mode="json")}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    return str(result)


def _tool(name: str, arguments: type[Arguments], **more: Any) -> Tool[Any]:
    return Tool(
        name=name,
        description=name,
        arguments=arguments,
        readonly=True,
        run=_run,
        tell=_tell,
        **more,
    )


TODAY = date(2026, 11, 23)
READ_ORDER = _tool(
    "read_order",
    ReadOrder,
    examples=(
        "What is the status of W-0815?",
        "How heavy is W-0815?",
        "W-0815 到哪一步了",
        "W-0815 多重",
    ),
    cues={
        "status": {"part": "status"},
        "状态": {"part": "status"},
        "weigh": {"part": "weight"},
        "重量": {"part": "weight"},
    },
)
LIST_ORDERS = _tool(
    "list_orders",
    ListOrders,
    examples=("Which orders does Acme have?", "Acme 有哪些工单", "Show the open orders of Acme"),
    cues={
        "orders": {},
        "工单": {},
        "未完成": {"status": "open"},
        "not sent yet": {"status": "open"},
    },
)
COMPARE_ORDERS = _tool(
    "compare_orders", CompareOrders, examples=("Put W-0815 and W-0816 side by side",)
)
STOCK = _tool("stock", Stock, examples=("What lies on shelf 7?", "7 号货架上有什么"))
TEMPERATURE = _tool(
    "temperature",
    Temperature,
    examples=("How cold is the store?", "冷库温度"),
    cues={"cold": {}, "温度": {}},
)
TOOLS = (READ_ORDER, LIST_ORDERS, COMPARE_ORDERS, STOCK, TEMPERATURE)
