"""An MCP server of a garage's spare parts, as a program: `stdio FOLDER`.

It does as files of the folder say: `newer` has it list another schema for orders, `dies` has it end
after it took an order and before it says so. Orders stand in `orders.txt`.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool, ToolAnnotations

FOLDER = Path(sys.argv[2])
READ = ToolAnnotations(read_only_hint=True)
PARTS = {"P-100": ("Brake pad", 42.5), "P-200": ("Oil filter", 9.0)}


class Parts(MCPServer):
    """A server that may have been brought up to date."""

    async def list_tools(self) -> list[Tool]:
        """Its tools, as they are now."""
        tools = await super().list_tools()
        for tool in tools:
            if tool.name == "order_part" and (FOLDER / "newer").exists():
                tool.input_schema["properties"]["pay_from"] = {"type": "string"}
        return tools


server = Parts("parts", log_level="ERROR")


@server.tool(annotations=READ)
def find_part(number: str) -> dict[str, Any]:
    """A part by its number."""
    name, price = PARTS[number]
    return {"part": {"number": number, "name": name}, "price": {"value": price, "currency": "EUR"}}


@server.tool(annotations=READ, structured_output=False)
def list_parts() -> CallToolResult:
    """Every part, as JSON in text."""
    rows = [{"number": number, "name": name} for number, (name, _) in PARTS.items()]
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(rows))])


@server.tool(structured_output=False)
def say_hours() -> str:
    """When the shop is open; nothing says that it only reads."""
    return "Open from 9 to 17."


@server.tool()
def order_part(number: str, amount: int, who: str) -> str:
    """Orders parts."""
    with (FOLDER / "orders.txt").open("a") as file:
        file.write(f"{number} {amount} {who}\n")
    if (FOLDER / "dies").exists():
        os._exit(1)
    return "ordered"


if __name__ == "__main__":
    server.run("stdio")
