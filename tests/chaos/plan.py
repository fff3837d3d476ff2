"""How much of everything a run has, from the command line."""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

PARTITIONS: Final = 4
"""Each lets one message per second into a reviewer's chat: so these do not hold everybody up."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything."""

    seed: int
    seconds: float
    limit_s: float
    conversations: int
    updates: int
    fault_every_s: float
    trouble: float
    settle_s: float
    lease_s: int
    cluster: bool


# The options of a run: what they are by themselves, with --short, and what they mean.
OPTIONS: dict[str, tuple[float, float, str]] = {
    "seconds": (840, 12, "over which the load is spread"),
    "limit": (960, 60, "seconds after which there is no more load"),
    "conversations": (200, 12, "half on Slack, half on Telegram"),
    "updates": (20_000, 200, "messages and taps, at least"),
    "fault-every": (3.0, 0.3, "seconds, on average"),
    "trouble": (0.01, 0.03, "share of calls to the platforms, for each kind of trouble"),
    "settle": (300, 240, "seconds to come to rest, at most"),
    "lease": (5, 3, "seconds (SIGNOFF_LEASE_S)"),
}


def read_plan(argv: Sequence[str] | None, told: str | None) -> tuple[Plan, bool]:
    """The plan, and whether its folder is to be kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.run", description=told)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--short", action="store_true", help="every kind of fault once or twice")
    parser.add_argument(
        "--cluster", action="store_true", help="a Cluster with replicas, of which each write waits"
    )
    parser.add_argument("--keep", action="store_true", help="leave the folder with data and logs")
    for name, (usual, short, told) in OPTIONS.items():
        parser.add_argument(
            f"--{name}", type=type(usual), help=f"{told} (default {usual}, short {short})"
        )
    given = vars(parser.parse_args(argv))
    chosen = {
        name: short if given["short"] else usual for name, (usual, short, _) in OPTIONS.items()
    } | {name.replace("_", "-"): value for name, value in given.items() if value is not None}
    plan = Plan(
        seed=given["seed"],
        seconds=chosen["seconds"],
        limit_s=chosen["limit"],
        conversations=int(chosen["conversations"]),
        updates=int(chosen["updates"]),
        fault_every_s=chosen["fault-every"],
        trouble=chosen["trouble"],
        settle_s=chosen["settle"],
        lease_s=int(chosen["lease"]),
        cluster=given["cluster"],
    )
    return plan, given["keep"]
