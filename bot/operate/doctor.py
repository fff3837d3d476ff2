"""`signoff doctor`: whether what the settings name can be used, and what mends it."""

import asyncio
import json
from collections.abc import Sequence

from bot.settings import Settings
from bot.terminal.output import table
from bot.wiring.doctor import open_doctors
from engine.ports.doctor import Diagnosis


async def diagnose(settings: Settings, *, as_json: bool) -> int:
    """Prints what was found; 1 when something is wrong, 3 when not all could be asked."""
    asked = await asyncio.gather(*(doctor.findings() for doctor in open_doctors(settings)))
    found = [finding for findings in asked for finding in findings]
    if as_json:
        print(json.dumps([one.model_dump() for one in found], ensure_ascii=False))
    else:
        _print(found)
    states = {one.state for one in found}
    if "wrong" in states:
        return 1
    return 3 if "unknown" in states else 0


def _print(found: Sequence[Diagnosis]) -> None:
    print(table([("check", "state", "told"), *((f.check, f.state, f.told) for f in found)]))
    for one in found:
        if one.fix:
            print(f"{one.check}: {one.fix}")
