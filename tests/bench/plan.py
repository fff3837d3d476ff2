"""How much is measured, and what an item answers."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ITEMS = (
    *("router", "frames", "planner", "rules", "model", "jobs", "slack", "telegram"),
    "approvals",
    *("acks", "sharing", "taps", "suspended", "commands", "reviews", "pages"),
    "profile",
    *("replicas", "partitions", "start", "recovery"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the options chose."""

    only: tuple[str, ...]
    rounds: int
    messages: int
    calm_messages: int
    at_once: int
    rate: float
    conversations: int
    hold_s: float
    sizes: tuple[int, ...]
    taps: int
    keep: bool

    def say(self, words: str) -> None:
        """Tell whoever waits how far it is."""
        print(f"... {words}", flush=True)


@dataclass
class Result:
    """An item's figures, as they are written down and as they are shown; `faults` spoil them."""

    name: str
    figures: dict[str, Any]
    text: str
    faults: list[str] = field(default_factory=list)


def read(argv: Sequence[str] | None) -> Plan:
    """The plan that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.run")
    parser.add_argument("--only", default=",".join(ITEMS), help="items, separated by commas")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--messages", type=int, default=1000, help="per contestant and round")
    parser.add_argument("--calm-messages", type=int, default=200, help="at the steady rate")
    parser.add_argument("--at-once", type=int, default=48, help="on their way under full load")
    parser.add_argument("--rate", type=float, default=40.0, help="messages per second when calm")
    parser.add_argument("--conversations", type=int, default=800)
    parser.add_argument("--hold", type=float, default=8.0, help="seconds that the model thinks")
    parser.add_argument("--sizes", default="1000,10000", help="numbers of suspended runs")
    parser.add_argument("--taps", type=int, default=100, help="at each size")
    parser.add_argument("--keep", action="store_true", help="leave the folder with data and logs")
    args = parser.parse_args(argv)
    only = tuple(args.only.split(","))
    if unknown := set(only) - set(ITEMS):
        parser.error(f"no such item: {', '.join(sorted(unknown))}; there are {', '.join(ITEMS)}")
    return Plan(
        only=only,
        rounds=args.rounds,
        messages=args.messages,
        calm_messages=args.calm_messages,
        at_once=args.at_once,
        rate=args.rate,
        conversations=args.conversations,
        hold_s=args.hold,
        sizes=tuple(int(size) for size in args.sizes.split(",")),
        taps=args.taps,
        keep=args.keep,
    )
