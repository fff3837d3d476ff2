"""Asks whether anything in requirements-dev.lock is known to be vulnerable, by pip-audit.

Where no source of such knowledge can be reached, that is no good news: it says NOT AUDITED.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIMIT_S = 300.0
SOUND, VULNERABLE, NOT_AUDITED = 0, 1, 3


def judged(report: dict[str, Any]) -> tuple[int, list[str]]:
    """The exit status and the lines to print, from pip-audit's JSON."""
    found = report.get("dependencies", [])
    lines = [
        f"{one['name']} {one['version']}: {flaw['id']}"
        + (f", mended in {', '.join(flaw['fix_versions'])}" if flaw["fix_versions"] else "")
        for one in found
        for flaw in one.get("vulns", ())
    ]
    if lines:
        return VULNERABLE, [*lines, f"{len(lines)} known vulnerabilities"]
    left = [one["name"] for one in found if "skip_reason" in one]
    if left or not found:
        told = f"{len(left)} of {len(found)} packages are unknown to what could be reached"
        return NOT_AUDITED, [f"NOT AUDITED: {told}"]
    return SOUND, [f"{len(found)} packages, no known vulnerability"]


def main(program: str) -> int:
    """0 when nothing is known against any package, 1 when something is, 3 when nobody was asked."""
    options = ("--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off")
    words = [program, "--requirement", str(ROOT / "requirements-dev.lock"), *options]
    try:
        ran = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
        status, lines = judged(json.loads(ran.stdout))
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        status, lines = NOT_AUDITED, [f"NOT AUDITED: {type(error).__name__}"]
    print("\n".join(lines), file=sys.stderr if status else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
