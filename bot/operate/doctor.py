"""`signoff doctor`: whether the connections of the settings work, and what to mend."""

import asyncio
import json
from collections.abc import Sequence

from bot.operate.validation import find_problems
from bot.project import NO_PROJECT, unread_project_file, unread_text
from bot.settings import Settings
from bot.terminal.output import table
from bot.wiring.doctor import open_doctors
from engine.ports.doctor import Diagnosis


async def diagnose(settings: Settings, *, as_json: bool) -> int:
    """Print all diagnoses; 1 when something is wrong, 3 when something could not be asked."""
    diagnoses = await asyncio.gather(*(doctor.findings() for doctor in open_doctors(settings)))
    found = [*_definitions(settings), *(f for findings in diagnoses for f in findings)]
    if as_json:
        print(json.dumps([one.model_dump() for one in found], ensure_ascii=False))
    else:
        _print(found)
    states = {one.state for one in found}
    if "wrong" in states:
        return 1
    return 3 if "unknown" in states else 0


def _definitions(settings: Settings) -> Sequence[Diagnosis]:
    """That the folder's files have problems, with the first, or that there is no folder.

    Nothing where all is well.
    """
    if not settings.playbooks.is_dir():
        told = f"{settings.playbooks}: there is no such folder of playbooks"
        return [Diagnosis(check="files", state="wrong", told=told, fix=NO_PROJECT)]
    if unread := unread_project_file(settings.playbooks):
        return [Diagnosis(check="files", state="wrong", told=unread_text(unread))]
    problems = find_problems(settings)
    if not problems:
        return []
    told = f"{len(problems)} problems, the first: {problems[0]}" if problems[1:] else problems[0]
    fix = "`signoff validate` tells them all"
    return [Diagnosis(check="files", state="wrong", told=told, fix=fix)]


def _print(found: Sequence[Diagnosis]) -> None:
    print(table([("check", "state", "told"), *((f.check, f.state, f.told) for f in found)]))
    for one in found:
        if one.fix:
            print(f"{one.check}: {one.fix}")
