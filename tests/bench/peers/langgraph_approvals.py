"""LangGraph with its PostgreSQL checkpointer: a check, a review that interrupts, a write.

Run by its own interpreter: nothing of ours is imported. A lock keeps a second decision out, which
LangGraph itself does not.
"""

import asyncio
import sys
from typing import Any, TypedDict

from aiohttp import web
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

TABLES = (
    "CREATE TABLE decisions (card text PRIMARY KEY, who text, choice text)",
    "CREATE TABLE visits (subject text, day text, weight float8, ecog int, by text)",
)


class State(TypedDict, total=False):
    """What a request knows."""

    request: dict[str, Any]
    faults: list[str]
    decision: dict[str, str]
    written: bool


async def main() -> None:
    """Serve /ask and /tap on the port of the first argument, over the database of the second."""
    port, address = int(sys.argv[1]), sys.argv[2]
    given = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(address, min_size=4, max_size=16, kwargs=given) as pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        async with pool.connection() as connection:
            for statement in TABLES:
                await connection.execute(statement)

        def check(state: State) -> State:
            request = state["request"]
            wrong = [n for n, most in (("weight", 300), ("ecog", 5)) if request[n] > most]
            return {"faults": wrong}

        def review(state: State) -> State:
            return {"decision": interrupt({"kind": "confirm", "shows": state["request"]})}

        async def write(state: State) -> State:
            r = state["request"]
            row = (r["subject"], r["day"], r["weight"], r["ecog"], state["decision"]["by"])
            async with pool.connection() as connection:
                await connection.execute("INSERT INTO visits VALUES (%s, %s, %s, %s, %s)", row)
            return {"written": True}

        graph = StateGraph(State)
        for node in (check, review, write):
            graph.add_node(node.__name__, node)
        graph.add_edge(START, "check")
        graph.add_edge("check", "review")
        graph.add_edge("review", "write")
        graph.add_edge("write", END)
        compiled = graph.compile(checkpointer=saver)

        async def ask(request: web.Request) -> web.Response:
            number = (await request.json())["number"]
            wanted = {"subject": "P003", "day": f"day-{number}", "weight": 61.5, "ecog": 1}
            thread = f"thread-{number}"
            await compiled.ainvoke({"request": wanted}, _thread(thread))
            return web.json_response({"card": thread})

        async def tap(request: web.Request) -> web.Response:
            body = await request.json()
            async with pool.connection() as connection:
                found = await connection.execute(
                    "INSERT INTO decisions (card, who, choice) VALUES (%s, %s, %s)"
                    " ON CONFLICT DO NOTHING RETURNING card",
                    (body["card"], body["by"], body["choice"]),
                )
                if await found.fetchone() is None:
                    return web.json_response({"state": "decided before"})
            decision = {"by": body["by"], "choice": body["choice"]}
            end = await compiled.ainvoke(Command(resume=decision), _thread(body["card"]))
            return web.json_response({"state": "done" if end.get("written") else "open"})

        app = web.Application()
        app.add_routes([web.post("/ask", ask), web.post("/tap", tap)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


def _thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


if __name__ == "__main__":
    asyncio.run(main())
