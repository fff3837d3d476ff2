"""What operators see of a message on its way: numbers, log lines, spans."""

import json
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from structlog.testing import capture_logs

from tests.fakes.admin_sight import MOBILE, something_to_see
from tests.fakes.model_server import ModelServer, say_json
from tests.fakes.platforms.patience import until
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start
from tests.scenarios.test_model_walk import settings
from tests.scenarios.test_note_walk import ASK as NOTE

ASK = "ECOG of P003?"
ANSWERED = "2026-10-28"
PLANTED = "planted-words"


async def asked(url: str) -> None:
    """A message of which nothing is left to do."""
    async with WebRoom(url) as room:
        await room.say("lin", ASK)
        await room.wait_for(lambda m: ANSWERED in text_of(m))


async def test_a_message_is_counted_at_every_step_of_its_way(
    start: Start, http: aiohttp.ClientSession
) -> None:
    service = await start()
    await asked(service.url)
    wanted = {
        'signoff_updates_total{kind="message",outcome="accepted",platform="web"} 1.0',
        'signoff_ack_seconds_count{platform="web"} 1.0',
        'signoff_turn_seconds_count{route="lookup"} 1.0',
        'signoff_tool_calls_total{outcome="ok",tool="read_clinical_data"} 1.0',
        'signoff_deliveries_total{outcome="ok",platform="web"} 1.0',
        "signoff_mailbox_age_seconds 0.0",
        "signoff_outbox_age_seconds 0.0",
    }

    async def told() -> bool:
        await service.parts.telemetry.meter.share()
        async with http.get(f"{service.url}/metrics") as answer:
            return wanted <= set((await answer.text()).splitlines())

    await until(told)


async def test_the_log_names_what_each_line_is_about_and_says_no_text(start: Start) -> None:
    with capture_logs(processors=[_merged]) as lines:
        await asked((await start()).url)
    (taken,) = [line for line in lines if line["event"] == "taken"]
    handled = [line for line in lines if line["event"] == "handled" and line["mail"] == "said"]
    assert taken["conversation"] == "web:local:main"
    assert taken["outcome"] == "accepted"
    assert [(line["conversation"], line["update"]) for line in handled] == [
        (taken["conversation"], taken["update"])
    ]
    assert not [line for line in lines if ASK in str(line)]


async def test_no_form_file_or_fault_brings_what_people_wrote_into_the_log(start: Start) -> None:
    with capture_logs(processors=[_merged]) as lines:
        service = await start()
        sight = await something_to_see(service)
        async with WebRoom(service.url, "waits") as room:
            await room.say("lin", f"/handover {PLANTED}")
            await room.say("lin", f"/cancel {PLANTED}")
            button = f"s1:{sight.card['token']}:{PLANTED}:1"
            status, _ = await room.post("taps", "chen", button=button, id="odd-tap")
            assert status in (200, 400)
            status, _ = await room.post("messages", "lin", text=PLANTED, id="odd", more=PLANTED)
            assert status == 400
    assert {"taken", "handled"} <= {line["event"] for line in lines}
    written = (PLANTED, MOBILE, "WWWW", "alert(1)", "alert(3)", ASK)
    assert [line for line in lines if any(text in str(line) for text in written)] == []


async def test_the_log_says_what_people_wrote_where_that_is_switched_on(start: Start) -> None:
    with capture_logs() as lines:
        await asked((await start(log_texts=True)).url)
    assert [line["text"] for line in lines if line["event"] == "taken"] == [ASK]


def _merged(logger: object, name: str, event: dict[str, object]) -> dict[str, object]:
    from structlog.contextvars import merge_contextvars

    return dict(merge_contextvars(logger, name, event))


@pytest.fixture
async def collector() -> AsyncIterator[tuple[str, list[Span]]]:
    """A collector's address, and the spans that came."""
    spans: list[Span] = []

    async def export(request: web.Request) -> web.Response:
        body = ExportTraceServiceRequest()
        body.ParseFromString(await request.read())
        spans.extend(s for r in body.resource_spans for c in r.scope_spans for s in c.spans)
        return web.Response(content_type="application/x-protobuf")

    app = web.Application()
    app.add_routes([web.post("/v1/traces", export)])
    async with TestServer(app, host="127.0.0.1") as server:
        yield f"http://127.0.0.1:{server.port}", spans


async def test_what_web_and_worker_do_about_an_update_is_one_trace(
    start: Start, collector: tuple[str, list[Span]]
) -> None:
    endpoint, spans = collector
    service = await start(otlp_endpoint=endpoint)
    await asked(service.url)
    await service.parts.telemetry.spans.flush()
    by_name = {span.name: span for span in spans}
    assert by_name["take message"].trace_id == by_name["handle said"].trace_id
    told = {a.key: a.value.string_value for a in by_name["handle said"].attributes}
    assert told["conversation"] == "web:local:main"
    assert ASK not in str(spans)


async def test_what_a_plan_asks_of_a_model_names_its_project(
    start: Start, collector: tuple[str, list[Span]]
) -> None:
    endpoint, spans = collector
    steps = [{"type": "reply", "text": "-"}]
    async with ModelServer(lambda request: say_json(steps)) as model:
        service = await start(otlp_endpoint=endpoint, **settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", NOTE["en"])
            await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        await service.parts.telemetry.spans.flush()
        ((run, _),) = await service.parts.store.archive.runs(2)
        history = await service.parts.store.archive.history(run)
        assert history is not None
    planned = [
        attributes
        for span in spans
        for attributes in ({a.key: a.value.string_value for a in span.attributes},)
        if span.name == "model" and attributes["purpose"] == "plan"
    ]
    assert {each["project"] for each in planned} == {"SIGNOFF-101"}
    assert json.loads(history.entries[0])["project"] == "SIGNOFF-101"
