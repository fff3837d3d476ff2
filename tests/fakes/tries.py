"""How often a property is tried: some times in `make test`, many more in `make properties`."""

import os

TIMES = int(os.environ.get("PROPERTY_TIMES", "1"))


def tries(count: int) -> int:
    """So many in `make test`."""
    return count * TIMES
