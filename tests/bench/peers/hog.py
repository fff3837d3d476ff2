"""Uses a share of a processor, in bursts of some milliseconds, and nothing else, until it is ended.

python -m tests.bench.peers.hog 0.8
"""

import sys
import time

PERIOD_S = 0.01


def main() -> None:
    """Burns its share of every period; says when it begins."""
    share = min(1.0, max(0.0, float(sys.argv[1])))
    print("burning", file=sys.stderr, flush=True)
    while True:
        spent = time.process_time() + PERIOD_S * share
        while time.process_time() < spent:
            pass
        time.sleep(PERIOD_S * (1 - share))


if __name__ == "__main__":
    main()
