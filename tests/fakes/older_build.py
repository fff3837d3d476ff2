"""Signoff as a build that cannot read the mail of Lin: `-m tests.fakes.older_build worker`."""

import json
import sys

from bot.serve.work import handler
from engine.mail import Mail, parse_mail


def older(text: str) -> Mail:
    """Mail as that build reads it: Lin's has a field that it does not have."""
    held = json.loads(text)
    if held.get("principal", {}).get("id") == "lin":
        held["principal"]["field_of_a_later_build"] = ""
    return parse_mail(json.dumps(held))


if __name__ == "__main__":
    handler.parse_mail = older
    from bot.__main__ import main

    sys.exit(main())
