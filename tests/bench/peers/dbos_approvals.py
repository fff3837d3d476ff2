"""DBOS over PostgreSQL: a workflow that checks, waits for a message, and writes in a step.

Run by its own interpreter: nothing of ours is imported. A lock keeps a second decision out.
"""

import asyncio
import sys
from typing import Any

import psycopg
from aiohttp import web
from dbos import DBOS, DBOSConfig, SetWorkflowID
from psycopg_pool import AsyncConnectionPool

TABLES = (
    "CREATE TABLE decisions (card text PRIMARY KEY, who text, choice text)",
    "CREATE TABLE visits (subject text, day text, weight float8, ecog int, by text)",
)
WAIT_S = 3600.0
POOL: list[AsyncConnectionPool] = []


@DBOS.step()
async def check(request: dict[str, Any]) -> list[str]:
    """What is wrong with the request."""
    return [n for n, most in (("weight", 300), ("ecog", 5)) if request[n] > most]


@DBOS.step()
async def write(request: dict[str, Any], by: str) -> bool:
    """The row of the visit."""
    row = (request["subject"], request["day"], request["weight"], request["ecog"], by)
    async with POOL[0].connection() as connection:
        await connection.execute("INSERT INTO visits VALUES (%s, %s, %s, %s, %s)", row)
    return True


@DBOS.workflow()
async def approval(request: dict[str, Any]) -> bool:
    """Checked, shown, decided, written."""
    await check(request)
    await DBOS.set_event_async("card", request)
    decision = await DBOS.recv_async("decision", timeout_seconds=WAIT_S)
    return await write(request, decision["by"])


async def main() -> None:
    """Serve /ask and /tap on the port of the first argument, over the database of the second."""
    port, address = int(sys.argv[1]), sys.argv[2]
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in TABLES:
            connection.execute(statement)
    config: DBOSConfig = {"name": "approvals", "system_database_url": address, "log_level": "ERROR"}
    DBOS(config=config)
    DBOS.launch()
    async with AsyncConnectionPool(
        address, min_size=4, max_size=16, kwargs={"autocommit": True}
    ) as pool:
        POOL.append(pool)

        async def ask(request: web.Request) -> web.Response:
            number = (await request.json())["number"]
            wanted = {"subject": "P003", "day": f"day-{number}", "weight": 61.5, "ecog": 1}
            card = f"approval-{number}"
            with SetWorkflowID(card):
                await DBOS.start_workflow_async(approval, wanted)
            await DBOS.get_event_async(card, "card", timeout_seconds=60)
            return web.json_response({"card": card})

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
            await DBOS.send_async(body["card"], decision, "decision")
            handle = await DBOS.retrieve_workflow_async(body["card"])
            return web.json_response({"state": "done" if await handle.get_result() else "open"})

        app = web.Application()
        app.add_routes([web.post("/ask", ask), web.post("/tap", tap)])
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
