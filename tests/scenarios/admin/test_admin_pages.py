"""An operator looks through runs, cards, findings and traces."""

import json
import re
from pathlib import Path

from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from engine.ports.storage.store import TraceWrite
from engine.runs.replay import RunTrace
from tests.contracts.given import card_for
from tests.fakes.admin_client import TOKEN, AdminClient
from tests.fakes.admin_sight import MOBILE, Sight, audit, run_in, run_links, to_review
from tests.fakes.gate import Gate
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_batch import batch as batch


async def test_runs_are_listed_and_filtered(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    everything = await admin.get("/runs")
    newest, wrong, stuck, done = run_links(everything)
    assert (newest, stuck, done) == (sight.waits, sight.blocked, sight.done)
    for query, wanted in {
        "status=suspended": [newest, wrong],
        "status=blocked": [stuck],
        "status=completed": [done],
        "status=living": [newest, wrong, stuck],
        "status=nonsense": [newest, wrong, stuck, done],
        "playbook=clinical_qc": [newest, wrong, stuck, done],
        "playbook=other": [],
        "person=zhao+min": [wrong],
        "person=lin&status=completed": [done],
        "conversation=local:stuck": [stuck],
        "text=p004": [stuck],
        f"text={MOBILE}": [newest],
        "text=nobody+wrote+this": [],
    }.items():
        found = await admin.get(f"/runs?{query}")
        assert run_links(found) == wanted, query
        assert ("No run fits." in found.text) == (not wanted)
    assert "planner:record" in everything.text
    assert "Lin Yue" in everything.text


async def test_pages_of_runs_lead_on_with_their_filter(
    service: Service, admin: AdminClient
) -> None:
    conversation, tag = "web:local:many", ""
    for n in range(120):
        run = service.parts.services.new_id(conversation)
        tag = tag or keys.tag(int(run.partition("-")[0], 16))
        fields = {
            "body": "{}",
            "conversation": conversation,
            "steps": 1,
            "status": "failed" if n % 2 else "completed",
            "playbook": "qc",
            "who": "lin",
            "parent": "",
            "listed": 1,
        }
        await service.parts.store.client.hset(f"{tag}run:{run}", mapping=fields)
        await service.parts.store.client.zadd(f"{tag}runs", {run: 1_790_000_000_000 + n})
    seen: list[str] = []
    page = await admin.get("/runs?status=failed")
    seen += run_links(page)
    assert len(seen) == 50
    (older,) = page.links("/runs?status=failed&after=")
    page = await admin.get(older)
    seen += run_links(page)
    assert (len(set(seen)), len(seen)) == (60, 60)
    assert page.links("/runs?status=failed&after=") == ["/runs?status=failed&after="]
    # Runs of another version are listed as what they are, and their page tells what is stored.
    assert "state of another version" in page.text
    strange = await admin.get(f"/runs/{seen[0]}")
    assert (strange.status, "State as stored" in strange.text) == (200, True)
    assert (await admin.get(f"/runs/{seen[0]}/trace.json")).status == 200


async def test_a_runs_page_tells_where_it_is_and_how_it_got_there(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    page = await admin.get(f"/runs/{sight.waits}?lang=en")
    marks = dict(re.findall(r'<g id="([^"]+)" class="\w+ (visited|waiting)">', page.html))
    assert marks["sop:visit-review/approve"] == "waiting"
    assert marks["phase:collect"] == marks["sop:visit-check/ranges"] == "visited"
    assert marks["sop:visit-check/end_passed"] == "visited"
    assert "phase:record" not in marks
    assert "data reviewer (陈博 / Chen Bo, 吴静 / Wu Jing)" in page.text
    (box,) = re.findall(r'<g id="sop:visit-review/approve".*?</g>', page.html, re.DOTALL)
    drawn = " ".join(re.sub("<[^>]*>", " ", box).split())
    assert "reviewer roles: data reviewer" in drawn
    assert "who may decide: 陈博 / Chen Bo; 吴静 / Wu Jing" in drawn
    steps = [e for e in await audit(service, sight.waits) if "outcome" in e]
    assert page.text.count("Step ") == len(steps)
    assert "deterministic: " in page.text
    assert "passed" in page.text
    assert "P002" in page.text
    assert f"/traces/{page.links('/traces/')[-1].removeprefix('/traces/')}" != "/traces/"
    done = await admin.get(f"/runs/{sight.done}?lang=en")
    marks = dict(re.findall(r'<g id="([^"]+)" class="\w+ (visited|waiting)">', done.html))
    assert "waiting" not in marks.values()
    assert {"phase:record", "skill:visit-record", "skill:visit-correct"} <= set(marks)
    assert "record_visit" in done.text
    assert "Tool calls" in done.text
    assert "approve" in done.text
    # Findings of the whole project stand on every run's page.
    assert "ECOG score" in done.text
    assert "data-live-off" not in done.html


async def test_hostile_texts_are_shown_as_texts(sight: Sight, admin: AdminClient) -> None:
    paths = ("/runs", f"/runs/{sight.waits}", "/pending", "/blocked", "/traces")
    for path in paths:
        for query in ("", "?person=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&who=%3Cimg%3E"):
            page = await admin.get(path + query)
            assert page.status == 200
            assert "<script>" not in page.html
            assert "<img src=x" not in page.html
            assert "\u202e" not in page.html
            assert "\u200b" not in page.html
            assert not re.search(r"<[^>]+\son\w+=", page.html)
    run = await admin.get(f"/runs/{sight.waits}")
    assert "<script>alert(1)</script>" in run.text
    assert "{{7*7}}" in run.text
    assert "\ufffddetrevni\ufffd" in run.text
    blocked = await admin.get("/blocked")
    assert "<script>alert(3)</script>" in blocked.text


async def test_personal_data_is_masked_on_pages_and_in_the_trace_that_is_downloaded(
    sight: Sight, admin: AdminClient
) -> None:
    for path in ("/runs", f"/runs/{sight.waits}", "/pending", "/traces"):
        assert MOBILE not in (await admin.get(path)).html
    file = await admin.get(f"/runs/{sight.waits}/trace.json")
    assert file.headers["Content-Type"].startswith("application/json")
    assert file.headers["Content-Disposition"].startswith('attachment; filename="run-')
    assert MOBILE not in file.html
    trace = RunTrace.model_validate_json(file.html)
    assert trace.run.id == sight.waits
    assert "***" in str(trace.run.state.data["adverse_event"])
    assert len(trace.steps) > 5


async def test_what_waits_for_people_is_listed_by_age_and_by_who(
    sight: Sight, admin: AdminClient
) -> None:
    page = await admin.get("/pending?lang=en")
    # The correction was asked before the review; the blocked run's card is decided.
    links = [link for link in page.links("/runs/") if "#card-" in link]
    assert len(links) == 2
    assert sight.waits in links[1]
    assert "Zhao Min 1" in page.text
    assert "data reviewer 1" in page.text
    assert "Project SIGNOFF-101: 2" in page.text
    assert "should be below the systolic pressure" in page.text
    (one,) = page.links("/pending?who=data")
    only = await admin.get(one)
    assert [link for link in only.links("/runs/") if "#card-" in link] == links[1:]
    await admin.press(page, f"/runs/{sight.waits}/cancel")
    left = await admin.get("/pending?lang=en")
    assert [link for link in left.links("/runs/") if "#card-" in link] == links[:1]


async def test_very_many_cards_are_shown_in_pages(service: Service, admin: AdminClient) -> None:
    client, new_id = service.parts.store.client, service.parts.services.new_id
    for n in range(130):
        card = card_for("", new_id(f"web:local:room-{n}"), f"web:local:room-{n}")
        tag = keys.tag(int(card.token.partition("-")[0], 16))
        fields = {"body": card.stored(), "status": "open", "version": 1}
        await client.hset(f"{tag}card:{card.token}", mapping=fields)
        await client.zadd(f"{tag}open", {card.token: 1_790_000_000_000 + n})
    first = await admin.get("/pending?lang=en")
    assert first.html.count('role="row"') == 1 + 100
    assert "Open cards: 130" in first.text
    (following,) = first.links("/pending?from=")
    second = await admin.get(following)
    assert second.html.count('role="row"') == 1 + 30
    assert second.links("/pending?from=") == []
    for odd in ("-1", "x", "9" * 30, "²"):
        assert (await admin.get(f"/pending?from={odd}")).html.count('role="row"') == 1 + 100


async def test_how_a_message_was_understood_is_told(sight: Sight, admin: AdminClient) -> None:
    page = await admin.get("/traces?lang=en")
    links = page.links("/traces/")
    assert len(links) == 4
    trace = await admin.get(links[0])
    assert "deterministic" in trace.text
    assert "qa_query" in trace.text
    assert "read_clinical_data" in trace.text
    run = await admin.get(f"/runs/{sight.waits}")
    assert links[0] in run.links("/traces/")
    assert (await admin.get("/traces/0-nobody")).status == 404
    (file,) = trace.links(links[0] + "?download")
    kept = await admin.get(file)
    assert kept.headers["Content-Disposition"].startswith('attachment; filename="trace-')
    assert json.loads(kept.html)["kind"] == "routed"


async def test_all_traces_can_be_reached(service: Service, admin: AdminClient) -> None:
    archive, names = service.parts.store.archive, []
    for n in range(130):
        names.append(service.parts.services.new_id(f"web:local:room-{n}"))
        text = json.dumps({"kind": "routed", "text": f"ring {MOBILE}"})
        await archive.keep(TraceWrite(names[-1], text, keep_s=600))
    first = await admin.get("/traces?lang=en")
    (older,) = first.links("/traces?after=")
    second = await admin.get(older)
    assert second.links("/traces?after=") == []
    assert "/traces" in second.links("/traces")
    shown = [*first.links("/traces/"), *second.links("/traces/")]
    assert sorted(shown) == sorted(f"/traces/{name}" for name in names)
    # Kept before there was a mask, or with another one: it is masked as it is handed out.
    assert MOBILE not in (await admin.get(f"{shown[0]}?download=1")).html
    assert (await admin.get("/runs/0-nobody")).status == 404


async def test_an_open_page_asks_again_and_hears_only_of_changes(
    sight: Sight, admin: AdminClient, service: Service
) -> None:
    path = f"/runs/{sight.waits}"
    first = await admin.get(path)
    assert "data-live" in first.html
    live = {"X-Signoff-Live": "1", "If-None-Match": first.headers["ETag"]}
    same = await admin.get(path, **live)
    assert (same.status, same.html) == (304, "")
    async with WebRoom(service.url, "waits") as room:
        # An attempt that is refused is a change too: it is in the audit.
        _, answer = await room.tap("zhao", sight.card, "approve")
        assert answer["ok"] is False
    changed = await admin.get(path, **live)
    assert changed.status == 200
    assert "not_approver" in changed.text or "Somebody tapped a card" in changed.text
    async with AdminClient(service.url) as stranger:
        assert (await stranger.get(path, follow=False, **live)).status == 401


async def test_a_store_that_is_away_is_said(start: Start, redis_server: EmbeddedServer) -> None:
    async with Gate(redis_server.url.removeprefix("unix://")) as gate:
        service = await start(admin_token=TOKEN, redis_url=f"redis://127.0.0.1:{gate.port}/0")
        async with AdminClient(service.url) as admin:
            await admin.sign_in()
            gate.shut()
            page = await admin.get("/runs")
            assert (page.status, "store does not answer" in page.text) == (503, True)
            assert "Content-Security-Policy" in page.headers
            gate.open()
            assert (await admin.get("/runs")).status == 200


async def test_child_runs_are_listed_when_asked_for_and_linked_both_ways(
    start: Start, batch: Path
) -> None:
    service = await start(admin_token=TOKEN, playbooks=batch)
    async with AdminClient(service.url) as admin, WebRoom(service.url) as room:
        await admin.sign_in()
        await room.say("lin", "对所有受试者做质控")
        await room.card("confirm")
        (parent,) = run_links(await admin.get("/runs"))
        everything = run_links(await admin.get("/runs?children=1"))
        assert len(everything) > 1
        page = await admin.get(f"/runs/{parent}")
        children = [run for run in run_links(page) if run != parent]
        assert set(everything) - {parent} <= set(children)
        child = await admin.get(f"/runs/{children[0]}")
        assert f"/runs/{parent}" in child.links("/runs/")
        assert "/cancel" not in child.html
        refused = await admin.press(page, f"/runs/{children[0]}/cancel")
        assert "child run" in refused.text
        await admin.press(page, f"/runs/{parent}/cancel")
        for run in children:
            found = await service.parts.services.decisions.run(run)
            assert found is not None
            assert found[1] in ("cancelled", "completed")


async def test_a_model_call_is_told_with_its_tokens(service: Service, admin: AdminClient) -> None:
    """What an entry says of calls, and of what this version does not know, is shown plainly."""
    async with WebRoom(service.url) as room:
        await to_review(room)
        run = await run_in(service, room)
    tag = keys.tag(int(run.partition("-")[0], 16))
    answer = {"text": "{}", "model": "example-large", "tokens": 321, "cost": 0.0125, "seconds": 1.5}
    strange = {
        "at": "2026-11-22T00:00:00+00:00",
        "event": "handed_over",
        "by": "chen",
        "job": {"id": "j1", "expert": "<b>drafts</b>"},
        "calls": [{"kind": "model", "answer": answer}, {"kind": "model", "error": "away"}, 7],
        "changes": ["odd"],
        "cards": None,
    }
    for text in (json.dumps(strange), "no json", "[1]"):
        await service.parts.store.client.rpush(f"{tag}log:{run}", text)
    page = await admin.get(f"/runs/{run}?lang=en")
    assert page.status == 200
    for told in ("handed_over", "example-large", "Tokens 321", "0.0125", "1.50 s", "no json"):
        assert told in page.text, told
    assert "<b>drafts" not in page.html
    assert '"expert": "<b>drafts</b>"' in page.text
