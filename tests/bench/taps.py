"""A thousand people tap one card at once: one decides, and everybody is told."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.bench import wire
from tests.bench.contestants import Contestant, ours
from tests.bench.figures import Figures, medians, ms, table
from tests.bench.messages import SLACK
from tests.bench.plan import Plan, Result
from tests.fakes.web_room import WebRoom

TAPS = 1000
# Everybody who may be a tapper of the sample: two of them may decide.
PEOPLE = ("chen", "wu", "lin", "zhao")
REQUEST = "补录 P003 {day} 的访视，体重 61.5，血压 120/80，ECOG 1"
PATIENCE_S = 120.0


async def taps(plan: Plan, folder: Path) -> Result:
    """Each round a card of its own, tapped a thousand times at once through the web process."""
    rounds: list[Figures] = []
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        contestant = await ours(stack, folder / "signoff", SLACK, SIGNOFF_WEBCHAT="on")
        for number in range(plan.rounds):
            rounds.append(await _round(contestant, number, faults))
            plan.say(f"taps: round {number + 1} of {plan.rounds}")
    figures = medians(rounds)
    title = f"{TAPS:,} taps on one card at once: from the tap to the answer that its tapper sees"
    return Result("taps", figures, table(title, {"web": figures}), faults)


async def _round(contestant: Contestant, number: int, faults: list[str]) -> Figures:
    room = f"taps-{number}"
    async with WebRoom(f"http://127.0.0.1:{contestant.port}", room) as people:
        await people.say("lin", REQUEST.format(day=f"2001-02-{number + 1:02d}"))
        card = await people.card("confirm")
    (button,) = [b["data"] for b in card["buttons"] if b["data"].split(":")[2] == "approve"]
    web, before, begun = wire.Client(contestant.port), contestant.cpu_s(), perf_counter()
    async with asyncio.timeout(PATIENCE_S):
        seen = await asyncio.gather(
            *(_tap(web, room, PEOPLE[n % len(PEOPLE)], n, button) for n in range(TAPS))
        )
    took, after = perf_counter() - begun, contestant.cpu_s()
    web.close()
    winners = [answer for _, answer in seen if answer.get("ok")]
    told = [answer for _, answer in seen if answer.get("text")]
    if len(winners) != 1:
        faults.append(f"round {number}: {len(winners)} winners")
    if len(told) != TAPS:
        faults.append(f"round {number}: {TAPS - len(told)} were told nothing")
    waits = [wait for wait, _ in seen]
    return {
        "winners": float(len(winners)),
        "told": float(len(told)),
        "answer p50 ms": ms(waits, 0.5),
        "answer p99 ms": ms(waits, 0.99),
        "last ms": ms(waits, 1.0),
        "taps/s": TAPS / took,
        **{f"{name} cpu ms / tap": (after[name] - before[name]) * 1000 / TAPS for name in after},
    }


async def _tap(
    web: wire.Client, room: str, person: str, number: int, button: str
) -> tuple[float, dict[str, Any]]:
    """Seconds until the answer is there, and the answer; an empty one for what is none."""
    body = {"room": room, "person": person, "id": f"tap-{room}-{number:06d}", "button": button}
    headers = {"Content-Type": "application/json"}
    request = wire.post(web.port, "/chat/taps", json.dumps(body).encode(), headers)
    begun = perf_counter()
    try:
        answer = await web.ask(request)
    except OSError:
        return perf_counter() - begun, {}
    waited = perf_counter() - begun
    return waited, json.loads(answer.body) if answer.status == 200 else {}
