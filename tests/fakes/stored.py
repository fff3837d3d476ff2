"""What the store holds of runs, cards and logs, as it was before it was packed."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from adapters.redis.packing.bodies import unpack, unpack_lines


async def read_hash(client: Any, key: str) -> dict[str, str]:
    """Return the fields of a run, card, reply or row."""
    found: Mapping[str, str] = await client.hgetall(key)
    return {name: unpack(value) for name, value in found.items()}


async def read_body(client: Any, key: str) -> str:
    """Return the body of a run or card."""
    return unpack(str(await client.hget(key, "body") or ""))


async def read_entries(client: Any, *keys: str) -> list[dict[str, Any]]:
    """Return the entries of these logs, in their order."""
    kept = [await client.lrange(key, 0, -1) for key in keys]
    return [json.loads(entry) for log in kept for entry in unpack_lines(log)]


def unpack_all(values: Iterable[str]) -> list[str]:
    """Return each value as it was before it was packed, entries of a log one by one."""
    return unpack_lines(values)


def rows_beside(kind: str, ref: str, fields: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the rows that stand beside a card or reply which they show, by their names."""
    found = {}
    for kept in json.loads(fields.get("rows", "[]")):
        if not isinstance(kept, list):
            continue
        dest, revision, message, name = [*kept, ""][:4]
        row = name or (ref if kind == "reply" else f"{ref}@{dest}")
        found[row] = {
            "dest": dest,
            "kind": kind,
            "ref": ref,
            "rev": str(revision),
            "message_id": row if message is True else message,
        }
    return found
