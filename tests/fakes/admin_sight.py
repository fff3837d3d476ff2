"""A service with something to see on every admin page, some of it hostile."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from engine.frames.state import Run
from tests.fakes.admin_client import Page
from tests.fakes.platforms.patience import until
from tests.fakes.stored import read_body
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service
from tests.scenarios.test_web_walk import ASK, GOOD

MOBILE = "13812345678"
HOSTILE = (
    f"<script>alert(1)</script>\"'><img src=x onerror=alert(2)> {{{{7*7}}}} \u202edetrevni\u202c "
    f"\u200bz {'W' * 300} {MOBILE}"
)
ODD_MAIL = '{"kind":"announced","text":"<script>alert(3)</script>"}'


@dataclass(frozen=True, slots=True)
class Sight:
    """Ids of runs: one waits for a review, one is complete, one is blocked; and the open card."""

    waits: str
    done: str
    blocked: str
    card: Message


async def to_review(room: WebRoom, *, subject: str = "P003", **values: str) -> Message:
    """A visit up to the reviewer's card."""
    await room.say("lin", ASK["zh"].replace("P003", subject))
    await room.fill("lin", await room.card("clarify"), "submit", **{**GOOD, **values})
    return await room.card("confirm")


async def run_in(service: Service, room: WebRoom) -> str:
    """The one run that goes on in the room."""
    found = await service.parts.services.decisions.active_runs(f"web:local:{room.room}")
    (run,) = [run_id for run_id, _ in found]
    return run


async def completed(service: Service, name: str) -> str:
    """A run that first gave a wrong value, and ended well."""
    async with WebRoom(service.url, name) as room:
        await room.say("lin", ASK["en"])
        run = await run_of(service, room)
        await room.fill("lin", await room.card("clarify"), "submit", **{**GOOD, "weight_kg": "400"})
        again = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        form = next(b["form"] for b in again["card"]["buttons"] if b["form"])
        kept = {field["name"]: field["value"] for field in form}
        await room.fill("lin", again["card"], "submit", **{**kept, "weight_kg": "62"})
        await room.tap("chen", await room.card("confirm"), "approve")
        await room.card("phase_done")
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        return run


async def run_of(service: Service, room: WebRoom) -> str:
    """The room's run, once its first card is there."""
    await room.card("clarify")
    return await run_in(service, room)


async def blocked(service: Service, name: str) -> str:
    """A run whose playbook is lost, as `restored` finds it again."""
    client = service.parts.store.client
    async with WebRoom(service.url, name) as room:
        card = await to_review(room, subject="P004")
        run = await run_in(service, room)
        (key,) = await client.keys(f"*:run:{run}")
        known = Run.model_validate_json(await read_body(client, key))
        await client.hset(key, "body", known.model_copy(update={"digest": "0" * 64}).stored())
        await room.tap("chen", card, "approve")
        await room.wait_for(lambda m: "找不到启动时的流程版本" in text_of(m))
        return run


async def restored(service: Service, run: str) -> None:
    """The blocked run has its playbook again."""
    client = service.parts.store.client
    (key,) = await client.keys(f"*:run:{run}")
    found = Run.model_validate_json(await read_body(client, key))
    digest = service.parts.reloader.current.snapshot.playbooks["clinical_qc"].digest
    await client.hset(key, "body", found.model_copy(update={"digest": digest}).stored())


async def something_to_see(service: Service) -> Sight:
    """Runs of three kinds, findings, a trace of each message, and mail set aside."""
    done = await completed(service, "done")
    stuck = await blocked(service, "stuck")
    # Of two wrong values, findings stand.
    async with WebRoom(service.url, "wrong") as room:
        await room.say("zhao", ASK["en"].replace("P003", "P001"))
        wrong = {**GOOD, "weight_kg": "250", "diastolic": "125"}
        await room.fill("zhao", await room.card("clarify"), "submit", **wrong)
        await room.wait_for(lambda m: bool(m["card"] and m["card"]["problems"]))
    async with WebRoom(service.url, "waits") as room:
        card = await to_review(room, subject="P002", adverse_event=HOSTILE)
        waits = await run_in(service, room)
    await service.parts.store.mailbox.put("talk:web:local:odd", ODD_MAIL, update_id="odd")
    return Sight(waits, done, stuck, card)


async def page_with(get: Callable[[], Awaitable[Page]], text: str) -> Page:
    """The page as soon as it has that text."""

    async def found() -> Page | None:
        page = await get()
        return page if text in page.text else None

    page: Page = await until(found)
    return page


async def audit(service: Service, run: str) -> list[dict[str, Any]]:
    """The run's entries, oldest first."""
    history = await service.parts.store.archive.history(run)
    assert history is not None
    return [json.loads(entry) for entry in history.entries]


def run_links(page: Page) -> list[str]:
    """Ids of the runs that a list links to, in order."""
    found = [re.fullmatch(r"/runs/([^/?#]+)", link) for link in page.links("/runs/")]
    return [match[1] for match in found if match]
