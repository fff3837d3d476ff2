"""How well messages are routed by rules and examples alone, beside what their writers meant."""

import asyncio
import json
import math
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from adapters.clock import SystemClock
from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from cards.model import Principal
from engine.understanding.context import RouteContext
from engine.understanding.pieces.message import MAX_CHARS, read_message
from tests.bench.figures import percentile, table
from tests.bench.plan import Plan, Result
from tests.chaos.processes import ROOT
from tests.fakes.settings import make_settings

HERE = Path(__file__).parent
HALVES = ("dev", "more", "frozen")
"""Two that the rules were tuned on, and one that was never read."""
_CONFIDENCE = 1.96
LONGEST = 40_000
"""Characters of the longest message that a platform hands over (Slack)."""

Route = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts over messages; `starts` are workflows surely begun that nobody asked for."""

    n: int
    exact: int
    segments: int
    decided: int
    decided_right: int
    depends: int
    starts: int

    def figures(self) -> dict[str, float]:
        """Shares, and the count of wrong starts."""
        return {
            "n": self.n,
            "exact": self.exact / self.n,
            "exact from": interval(self.exact, self.n)[0],
            "to": interval(self.exact, self.n)[1],
            "pieces": self.segments / self.n,
            "depends": self.depends / self.n,
            "coverage": self.decided / self.n,
            "precision": self.decided_right / max(1, self.decided),
            "precision from": interval(self.decided_right, max(1, self.decided))[0],
            "wrong starts": self.starts,
        }


def interval(hits: int, n: int) -> tuple[float, float]:
    """The Wilson interval of a share, at 95 percent."""
    z, share = _CONFIDENCE, hits / n
    middle = share + z * z / (2 * n)
    width = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - width) / (1 + z * z / n), (middle + width) / (1 + z * z / n)


def scored(meant: Sequence[Mapping[str, Any]], told: Sequence[Mapping[str, Any]]) -> Score:
    """The score of `signoff route --json`'s lines for these messages."""
    counts: Counter[str] = Counter()
    for message, line in zip(meant, told, strict=True):
        wanted = [(i["kind"], i["playbook"]) for i in message["intents"]]
        found = [(i["kind"], i["playbook"]) for i in line["intents"]]
        decided = all(i["sure"] for i in line["intents"])
        counts["exact"] += wanted == found
        counts["segments"] += len(wanted) == len(found)
        counts["decided"] += decided
        counts["right"] += decided and wanted == found
        after = [i["depends_on"] for i in message["intents"]]
        counts["depends"] += after == [i["depends_on"] for i in line["intents"]]
        counts["starts"] += _wrong_starts(wanted, line["intents"])
    return Score(
        n=len(meant),
        exact=counts["exact"],
        segments=counts["segments"],
        decided=counts["decided"],
        decided_right=counts["right"],
        depends=counts["depends"],
        starts=counts["starts"],
    )


def _wrong_starts(wanted: Iterable[Route], intents: Iterable[Mapping[str, Any]]) -> int:
    """Workflows that are surely started beyond those that the message asks for."""
    left = Counter(route for route in wanted if route[0] == "workflow")
    begun = Counter(
        ("workflow", i["playbook"])
        for i in intents
        if i["kind"] == "workflow" and i["sure"] and not i["condition"]
    )
    return sum((begun - left).values())


def messages(half: str) -> list[dict[str, Any]]:
    """One file of the messages, with what their writers meant."""
    lines = (HERE / f"{half}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def router(plan: Plan, folder: Path) -> Result:
    """Scores every file by the command, and measures the processor time of a message."""
    rows: dict[str, dict[str, float]] = {}
    faults = []
    for half in HALVES:
        meant = messages(half)
        score = scored(meant, await _routed([m["text"] for m in meant], folder))
        rows[half] = score.figures()
        faults += [f"{score.starts} wrong workflow starts in {half}"] if score.starts else []
    cpu = _cpu([m["text"] for half in HALVES for m in messages(half)])
    text = "\n\n".join(
        [
            table("Routes by rules and examples alone", rows),
            table("Processor time", {"router": cpu}),
        ]
    )
    return Result("router", {**rows, "cpu": cpu}, text, faults)


async def _routed(texts: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    kept = {"PATH": os.environ["PATH"], "SIGNOFF_DATA_DIR": str(folder / "data")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "route", "--json", "-"),
        cwd=ROOT,
        env=kept,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate("\n".join(texts).encode() + b"\n")
    return [json.loads(line) for line in out.decode().splitlines()]


def _cpu(texts: Sequence[str]) -> dict[str, float]:
    playbooks = ROOT / "playbooks"
    settings = make_settings(playbooks=playbooks, people=playbooks / "people.yaml")
    learned = load_definitions(settings, load_connections(settings).toolbox)
    made = learned.route_table()
    begun, begun_wall = time.process_time(), time.perf_counter()
    made.learn()
    learning, learning_wall = time.process_time() - begun, time.perf_counter() - begun_wall
    context = RouteContext(
        table=made,
        entities=made.entities,
        tools=learned.tools,
        open_cards=(),
        principal=Principal(id="x", name="x"),
        today=SystemClock("UTC").today(),
        recent=(),
        lang="zh",
    )
    read_message(texts[0], context)
    spent = [_spent(text, context) for text in texts]
    chance = random.Random(17)
    longest = [
        mark.join(chance.sample(texts, 40))[:size]
        for size in (MAX_CHARS // 2, MAX_CHARS, LONGEST)
        for mark in ("，", " ", "; ", " and ", "。")
        for _ in range(10)
    ]
    return {
        "learn CPU s": learning,
        "learn wall s": learning_wall,
        "message ms p50": percentile(spent, 0.5),
        "message ms p99": percentile(spent, 0.99),
        "longest ms max": max(_spent(text, context) for text in longest),
    }


def _spent(text: str, context: RouteContext) -> float:
    """Milliseconds of processor time in which rules and examples read a message."""
    fresh = replace(context)
    begun = time.process_time()
    read_message(text, fresh)
    return (time.process_time() - begun) * 1000
