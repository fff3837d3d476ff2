"""json-logic-qubit by itself, in a process that never imports our rules or operators.

For each line on stdin it runs every rule of the file over its record, and says the seconds it took
by the clock and of the processor, and how many rules held.
"""

import json
import sys
import time
from pathlib import Path

import json_logic


def main(path: str) -> None:
    """Answer until stdin ends."""
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    rules, record = told["rules"], told["record"]
    held = sum(bool(json_logic.jsonLogic(rule, record)) for rule in rules)
    for _ in sys.stdin:
        began, spent = time.perf_counter(), time.process_time()
        for rule in rules:
            json_logic.jsonLogic(rule, record)
        took = [time.perf_counter() - began, time.process_time() - spent]
        print(json.dumps([*took, held]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
