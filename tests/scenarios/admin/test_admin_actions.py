"""An operator does what the admin pages offer; the audit says who it was."""

import json
import re
from typing import Any

from engine.runs.audit_state import reconstruct_state
from tests.fakes.admin_client import NAME, AdminClient
from tests.fakes.admin_sight import Sight, audit, page_with, restored, run_links
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service

BY = f"admin:{NAME}"


async def test_an_operator_cancels_a_run(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    page = await admin.get(f"/runs/{sight.waits}?lang=en")
    after = await admin.press(page, f"/runs/{sight.waits}/cancel")
    assert "It is cancelled." in after.text
    assert "/cancel" not in after.html
    found = await service.parts.services.decisions.run(sight.waits)
    assert found is not None
    assert found[1] == "cancelled"
    entry = (await audit(service, sight.waits))[-1]
    assert (entry["event"], entry["by"], entry["via"]) == ("cancelled", BY, "pages")
    async with WebRoom(service.url, "waits") as room:
        closed = await room.card("confirm", closed=True)
        assert closed["outcome"]
        await room.wait_for(lambda m: any(p["state"] == "cancelled" for p in m["parts"]))
        _, answer = await room.tap("chen", sight.card, "approve")
        assert answer["ok"] is False
    again = await admin.press(page, f"/runs/{sight.waits}/cancel")
    assert "has ended already" in again.text
    assert [e for e in await audit(service, sight.waits) if e.get("event") == "cancelled"] == [
        entry
    ]


async def test_an_operator_has_a_blocked_run_handled_again(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    page = await admin.get(f"/runs/{sight.blocked}")
    assert "no picture" in page.text
    await restored(service, sight.blocked)
    after = await admin.press(page, f"/runs/{sight.blocked}/retry")
    assert "being handled again" in after.text
    async with WebRoom(service.url, "stuck") as room:
        await room.card("phase_done")
    entries = await audit(service, sight.blocked)
    assert [e["by"] for e in entries if e.get("input") == "resumed"] == [BY]
    again = await admin.press(page, f"/runs/{sight.blocked}/retry")
    assert "does not wait for an operator" in again.text
    assert len([e for e in await audit(service, sight.blocked) if e.get("input") == "resumed"]) == 1


async def test_mail_that_was_set_aside_is_listed_and_retried(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    page = await page_with(lambda: admin.get("/blocked"), "talk:web:local:odd")
    assert sight.blocked in run_links(page)
    assert "找不到启动时的流程版本" in page.text
    (name,) = [name for name in page.hidden("name") if name != sight.blocked]
    after = await admin.press(page, "/blocked/retry", name=name)
    assert "being handled again" in after.text
    # Nobody can read it still, so it is set aside anew, under another name.
    await page_with(lambda: admin.get("/blocked"), "talk:web:local:odd")
    assert name not in (await admin.get("/blocked")).hidden("name")
    again = await admin.press(page, "/blocked/retry", name=name)
    assert "does not wait for an operator" in again.text
    told = await admin.get("/blocked?lang=en")
    assert "Mail that was handled again" in told.text
    assert told.text.count(BY) == 1


async def test_an_operator_has_an_open_card_posted_again(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    page = await admin.get(f"/runs/{sight.waits}")
    token = sight.card["token"]
    async with WebRoom(service.url, "waits") as room:
        await room.card("confirm")
        before = len(room.shown)
        after = await admin.press(page, f"/runs/{sight.waits}/repost", card=token)
        assert "posted again" in after.text
        await room.wait_for(
            lambda m: bool(m["card"]) and m["card"]["token"] == token and len(room.shown) > before
        )
        twins = [
            m["card"] for m in room.shown.values() if m["card"] and m["card"]["token"] == token
        ]
        assert len(twins) == 2
        _, answer = await room.tap("chen", twins[0], "approve")
        assert answer["ok"] is True
        closed = [False]

        def both_closed(message: dict[str, Any]) -> bool:
            shown = [m["card"] for m in room.shown.values()]
            closed[0] = all(c["outcome"] for c in shown if c and c["token"] == token)
            return closed[0]

        await room.wait_for(both_closed)
    entry = next(e for e in await audit(service, sight.waits) if e.get("event") == "repost")
    assert (entry["by"], entry["card"]) == (BY, token)
    late = await admin.press(page, f"/runs/{sight.waits}/repost", card=token)
    assert "card is closed" in late.text
    foreign = await admin.press(page, f"/runs/{sight.done}/repost", card=token)
    assert "not kept any more" in foreign.text


async def test_a_button_that_there_is_not_does_nothing(sight: Sight, admin: AdminClient) -> None:
    page = await admin.get(f"/runs/{sight.waits}")
    assert (await admin.press(page, f"/runs/{sight.waits}/restart")).status == 404
    gone = await admin.press(page, "/runs/0-nobody/cancel")
    assert gone.status == 404
    told = await admin.get(f"/runs/{sight.waits}?said=%3Cb%3E")
    assert 'class="notice"' not in told.html


async def test_an_operator_gives_a_vote_to_somebody_who_may_have_it(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    path, token = f"/runs/{sight.waits}", sight.card["token"]
    page = await admin.get(path + "?lang=en")
    options = re.findall(r'<option value="([^"]+)">', page.html)
    # Reviewers lose a seat; lin asked for it (four eyes), and reviewers have a vote already.
    assert options == ["chen", "wu", "zhao"]
    for taker, told in {
        "lin": "They may not decide this card",
        "wu": "They may not decide this card",
        "chen": "They may not decide this card",
        "nobody": "There is no such person",
    }.items():
        refused = await admin.press(page, f"{path}/reassign", card=token, giver="chen", taker=taker)
        assert told in refused.text, taker
    for giver, told in {"zhao": "no such person", "lin": "no such person"}.items():
        refused = await admin.press(page, f"{path}/reassign", card=token, giver=giver, taker="zhao")
        assert told in refused.text, giver
    foreign = await admin.press(
        page, f"/runs/{sight.done}/reassign", card=token, giver="chen", taker="zhao"
    )
    assert "not kept any more" in foreign.text
    assert [e for e in await audit(service, sight.waits) if e.get("event") == "reassigned"] == []
    done = await admin.press(page, f"{path}/reassign", card=token, giver="chen", taker="zhao")
    assert "may decide in that place" in done.text
    again = await admin.press(page, f"{path}/reassign", card=token, giver="chen", taker="zhao")
    assert "given it before" in again.text
    (entry,) = [e for e in await audit(service, sight.waits) if e.get("event") == "reassigned"]
    assert (entry["by"], entry["via"], entry["for"], entry["given_to"]) == (
        BY,
        "pages",
        "chen",
        "zhao",
    )
    log = [json.dumps(e) for e in await audit(service, sight.waits)]
    assert reconstruct_state(log).position == "sop:visit-review/approve"
    async with WebRoom(service.url, "waits") as room:
        await room.wait_for(lambda m: "管理员已把 陈博" in str(m["card"]))
        _, answer = await room.tap("zhao", sight.card, "approve")
        assert answer["ok"] is True
        closed = await room.card("confirm", closed=True)
        assert "赵敏" in closed["outcome"]
    late = await admin.press(page, f"{path}/reassign", card=token, giver="wu", taker="zhao")
    assert "card is closed" in late.text


async def test_a_question_to_a_person_is_not_given_away(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    listed = run_links(await admin.get("/runs?status=suspended"))
    (asks,) = [run for run in listed if run != sight.waits]
    page = await admin.get(f"/runs/{asks}")
    assert "/reassign" not in page.html
    (token,) = set(page.hidden("card"))
    refused = await admin.press(
        page, f"/runs/{asks}/reassign", card=token, giver="zhao", taker="lin"
    )
    assert "no such person" in refused.text
