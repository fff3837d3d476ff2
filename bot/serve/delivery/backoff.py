"""How long to wait before something that did not work is tried again."""

import random

LONGEST_S = 300.0
"""The longest pause between two tries, seconds."""

# Some hundred doublings more are no number any more.
_DOUBLINGS = 20


def backoff_s(attempts: int) -> float:
    """Seconds to wait after so many failed tries: twice as long each time, never over LONGEST_S."""
    # Jitter only spreads load.
    return min(2.0 ** min(attempts, _DOUBLINGS), LONGEST_S) * random.uniform(0.5, 1.0)  # noqa: S311
