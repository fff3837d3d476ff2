"""What a run prints: what happened, what was counted, what was violated."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tests.chaos.checks import Checks
from tests.chaos.faults import Fault
from tests.chaos.ledger import Ledger

if TYPE_CHECKING:
    from tests.chaos.run import Chaos

SHOWN_VIOLATIONS = 40


def report(chaos: "Chaos", checks: Checks) -> str:
    """What happened, what was counted, what was violated."""
    plan, load, tally = chaos.plan, chaos.load, chaos.platforms.tally
    lines = [
        f"seed {plan.seed}: {load.sent} updates ({load.counts['messages']} messages,"
        f" {load.counts['taps']} taps), {plan.conversations} conversations,"
        f" {chaos.took_s:.0f} s under faults, {chaos.settled_s:.0f} s to rest",
        f"deliveries: {load.counts['acknowledged']} acknowledged, {load.counts['repeats']} repeated"
        f" after that, {load.counts['retries']} retried; "
        + ", ".join(f"{name} {n}" for name, n in sorted(load.counts.items()) if "HTTP" in name),
        f"platform answers: {tally.limited} rate-limited, {tally.failed} failed, {tally.lost} lost",
        f"starts: {', '.join(f'{m.slot} {m.starts}' for m in chaos.members)};"
        f" answers of Redis cut off: {len(chaos.proxy.cuts)}",
        "Killing processes shows process death, not power loss.",
        "faults, and how long from their beginning:",
        *_recoveries(chaos.faults.done, chaos.ledger),
        *_stalls(chaos.faults.stalls),
        "found in the end:",
        *(f"  {name}: {n}" for name, n in sorted(checks.counts.items())),
    ]
    shown = checks.violations[:SHOWN_VIOLATIONS]
    lines += [f"VIOLATION {violation}" for violation in shown]
    more = len(checks.violations) - len(shown)
    lines += [f"… and {more} more"] if more else []
    lines.append(f"seed {plan.seed}: {len(checks.violations)} violations")
    return "\n".join(lines)


def _recoveries(faults: Sequence[Fault], ledger: Ledger) -> list[str]:
    counted: Counter[str] = Counter(fault.kind for fault in faults)
    again: dict[str, list[float]] = defaultdict(list)
    taken: dict[str, list[float]] = defaultdict(list)
    for fault in faults:
        if fault.recovered:
            again[fault.kind].append(fault.recovered - fault.begun)
        held = [
            t.at for t in ledger.takeovers if t.by == fault.whom and t.since < fault.begun < t.at
        ]
        if held:
            taken[fault.kind].append(max(held) - fault.begun)
    return [
        f"  {kind}: {n} times, next handled after {_spread(again[kind])}"
        + (f"; what it held went on after {_spread(taken[kind])}" if taken[kind] else "")
        for kind, n in sorted(counted.items())
    ]


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "nothing came after"
    return f"p50 {statistics.median(seconds):.2f} s, max {max(seconds):.2f} s ({len(seconds)})"


def _stalls(stalls: Sequence[Fault]) -> list[str]:
    longest: dict[str, float] = defaultdict(float)
    for stall in stalls:
        longest[stall.kind] = max(longest[stall.kind], stall.ended - stall.begun)
    return [f"  {kind}: longest {longest_s:.2f} s" for kind, longest_s in longest.items()]
