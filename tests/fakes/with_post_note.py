"""Signoff as a process, with one more tool: `python -m tests.fakes.with_post_note worker`."""

import sys

from engine.tools import registry
from tests.fakes.careless import POST_NOTE

if __name__ == "__main__":
    # The line that a contributor adds to TOOLS; everything else reads it from there.
    registry.TOOLS = (*registry.TOOLS, POST_NOTE)
    from bot.__main__ import main

    sys.exit(main())
