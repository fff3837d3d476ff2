"""How late the event loop was."""

import asyncio

from bot.telemetry.loop_lag import LoopLag


async def test_what_holds_the_loop_up_is_seen_and_nothing_else() -> None:
    lag, stop = LoopLag(), asyncio.Event()
    loop = asyncio.get_running_loop()
    assert lag.most_s == 0

    def hold() -> None:
        end = loop.time() + 0.2
        while loop.time() < end:
            pass

    async with asyncio.TaskGroup() as group:
        group.create_task(lag.run(stop, every_s=0.01))
        loop.call_later(0.02, hold)
        loop.call_later(0.3, stop.set)
    assert lag.most_s > 0.1
