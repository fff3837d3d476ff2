"""Numbers among the arguments of commands."""

import argparse
from collections.abc import Callable


def above_zero(most: float) -> Callable[[str], float]:
    """A type for argparse: a number above 0 of at most `most`."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"should be a number above 0, at most {most:g}")
        return value

    return number
