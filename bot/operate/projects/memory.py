"""What is remembered for a project: listed, and forgotten on an operator's word."""

import json
import sys
from collections.abc import Sequence

import structlog

from bot.operate.aside import operator
from bot.settings import Settings
from bot.terminal.output import table_with_header
from bot.wiring.store import open_store_ports
from cards.visible import visible

log = structlog.get_logger()


async def list_memos(settings: Settings, project: str, *, as_json: bool = False) -> int:
    """Print what is remembered for the project, the newest first. Raises ToolFailed."""
    async with open_store_ports(settings) as store:
        memos = await store.memory.memos(project)
    if as_json:
        print(json.dumps([memo.model_dump(mode="json") for memo in memos], ensure_ascii=False))
        return 0
    if not memos:
        print(f"nothing is remembered for {project}")
        return 0
    rows = [
        (m.id, f"{m.at:%Y-%m-%d %H:%MZ}", m.by, visible(" ".join(m.text.split()))) for m in memos
    ]
    print(table_with_header([("id", "at", "approved by", "text"), *rows]))
    return 0


async def forget_memos(settings: Settings, project: str, memos: Sequence[str]) -> int:
    """Take these memos (ids) away; 1 when one of them is not there, or none is named."""
    unknown = []
    async with open_store_ports(settings) as store:
        for memo in memos:
            if await store.memory.forget(project, memo):
                log.info("memo_forgotten", project=project, memo=memo, by=operator())
                print(f"{memo}: forgotten")
            else:
                unknown.append(memo)
    for memo in unknown:
        print(f"{memo}: no such memo; see signoff memory list {project}", file=sys.stderr)
    if not memos:
        print(f"name what is to be forgotten; see signoff memory list {project}", file=sys.stderr)
    return 1 if unknown or not memos else 0
