"""Signoff as a build that knew no time zones of people: `-m tests.fakes.older_build worker`."""

import json
import sys

from bot import handling
from engine.mail import Mail, parse


def older(text: str) -> Mail:
    """Mail as that build reads it: a zone is a field that it does not have."""
    held = json.loads(text)
    if "zone" in held.get("principal", {}):
        held["principal"]["field_of_a_later_build"] = held["principal"].pop("zone")
    return parse(json.dumps(held))


if __name__ == "__main__":
    handling.parse = older
    from bot.__main__ import main

    sys.exit(main())
