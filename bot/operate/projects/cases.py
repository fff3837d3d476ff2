"""`signoff cases`: what runs of one thing share, for operators."""

import json

from pydantic import ValidationError

from bot.settings import Settings
from bot.wiring.store import open_store_ports
from engine.frames.case import CaseDocument


async def list_cases(settings: Settings, *, as_json: bool) -> int:
    """Print the cases, the one that changed last first: id, version, runs under way and ended."""
    async with open_store_ports(settings) as store:
        found = [(case, await store.cases.read(case)) for case in await store.cases.ids()]
    told = [_summary(case, body) for case, body in found if body]
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
    else:
        lines = (
            "  ".join(
                [
                    str(each.pop("case")),
                    *(f"{name.replace('_', ' ')} {value}" for name, value in each.items()),
                ]
            )
            for each in told
        )
        print("\n".join(lines) or "there is no case")
    return 0


def _summary(case: str, body: str) -> dict[str, str | int]:
    document = _read(body)
    if document is None:
        return {"case": case, "version": "its state is of another version"}
    open_runs = sum(run.end is None for run in document.runs)
    return {
        "case": case,
        "version": document.version,
        "under_way": open_runs,
        "ended": len(document.runs) - open_runs,
    }


async def show_case(settings: Settings, case: str, *, as_json: bool) -> int:
    """Print what the case has, who set it and when, and its runs; 1 for no such case."""
    async with open_store_ports(settings) as store:
        body = await store.cases.read(case)
    document = _read(body) if body else None
    if document is None:
        print("there is no such case" if not body else "its state is of another version")
        return 1
    if as_json:
        print(document.model_dump_json())
        return 0
    for path, leaf in sorted(document.leaves.items()):
        value = json.dumps(leaf.value, ensure_ascii=False)
        by = leaf.author.name or leaf.author.by
        print(f"{path} = {value}  (version {leaf.version}, {by}, {leaf.author.at:%Y-%m-%d %H:%MZ})")
    for run in document.runs:
        print(f"run {run.id}  {run.name}  {run.requester}  {run.end or 'under way'}")
    return 0


def _read(body: str) -> CaseDocument | None:
    try:
        return CaseDocument.model_validate_json(body)
    except ValidationError:
        return None
