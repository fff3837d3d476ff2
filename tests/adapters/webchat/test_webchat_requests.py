import asyncio
import json
from io import BytesIO
from typing import Any

import pytest
from yarl import URL

from adapters.webchat.room_names import home_room, own_room_prefix
from cards.model import Field
from cards.showing.view import FormView
from engine.events import (
    Accepted,
    Actor,
    CardTapped,
    CommandGiven,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
    MessageReceived,
    NotRecorded,
)

UPDATE = "0b8f9c1e-1111-4222-8333-abcdefabcdef"
SAY = {"room": "main", "person": "lin", "id": UPDATE, "text": "ECOG of P003?"}
TAP = {"room": "main", "person": "chen", "id": UPDATE, "button": "s1:0-abcdefgh:approve:1"}
FORM = {**TAP, "values": {"weight": "64.5"}}
LIN = Actor(platform="web", workspace="local", user="lin", name="Lin Yue")
CHEN = Actor(platform="web", workspace="local", user="chen", name="Chen Rui")
MAIN = "web:local:main"
TOO_MUCH = {"errors": {"weight": "Too much."}, "code": "invalid"}
WANTED = FormView(
    data="s1:0-abcdefgh:reject:1",
    lang="en",
    title="Reject",
    submit="Send",
    cancel="Back",
    fields=(Field(name="reason", label="Reason"),),
)


async def test_a_message_becomes_an_update_and_is_shown_to_the_room(client, intake, log):
    response = await client.post("/chat/messages", json=SAY)
    answers = log.reply_id(MAIN, f"web:lin:said:main:{UPDATE}")
    assert (response.status, await response.json()) == (202, {"reply": answers})
    assert intake.updates == [
        MessageReceived(
            id=f"web:lin:said:main:{UPDATE}", conversation=MAIN, actor=LIN, text="ECOG of P003?"
        )
    ]
    assert log.bodies(MAIN) == [
        {"op": "said", "id": UPDATE, "person": "lin", "name": "Lin Yue", "text": "ECOG of P003?"}
    ]


async def test_a_repeated_message_is_the_same_update_and_shown_once(client, intake, log):
    for _ in range(2):
        assert (await client.post("/chat/messages", json=SAY)).status == 202
    assert [update.id for update in intake.updates] == [f"web:lin:said:main:{UPDATE}"] * 2
    assert len(log.bodies(MAIN)) == 1


async def test_a_message_that_was_not_recorded_is_not_shown(client, intake, log):
    intake.answers["message"] = NotRecorded(text="not sent, try again")
    response = await client.post("/chat/messages", json=SAY)
    assert (response.status, await response.json()) == (
        503,
        {"text": "not sent, try again", "code": "unavailable"},
    )
    assert log.bodies(MAIN) == []


async def test_an_accepted_message_stays_accepted_when_it_cannot_be_shown(client, intake, log):
    log.away = True
    assert (await client.post("/chat/messages", json=SAY)).status == 202
    assert len(intake.updates) == 1


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [("/cancel", "cancel", ""), (" /Help me  out ", "help", "me  out"), ("/a\nb", "a", "b")],
)
async def test_a_slash_and_letters_give_a_command(client, intake, text, name, rest):
    assert (await client.post("/chat/messages", json={**SAY, "text": text})).status == 202
    assert intake.updates == [
        CommandGiven(
            id=f"web:lin:said:main:{UPDATE}", conversation=MAIN, actor=LIN, name=name, text=rest
        )
    ]


@pytest.mark.parametrize("text", ["/ 5", "/1", "5/2 is left", "/etc/hosts is a path"])
async def test_other_slashes_are_messages(client, intake, text):
    assert (await client.post("/chat/messages", json={**SAY, "text": text})).status == 202
    assert [update.kind for update in intake.updates] == ["message"]


@pytest.mark.parametrize(
    ("outcome", "status", "body"),
    [
        (Accepted(), 202, {}),
        (Accepted(duplicate=True), 202, {}),
        (DirectAnswer(text="Recorded.", ok=True), 200, {"ok": True, "text": "Recorded."}),
        (
            DirectAnswer(text="Not yours.", ok=False, code="not_allowed"),
            200,
            {"ok": False, "text": "Not yours.", "code": "not_allowed"},
        ),
        (
            DirectAnswer(text="Others were.", ok=False, code="conflict"),
            409,
            {"ok": False, "text": "Others were.", "code": "conflict"},
        ),
        (FormWanted(form=WANTED), 200, {"form": WANTED.model_dump(mode="json")}),
        (FormRefused(errors={"weight": "Too much."}), 422, TOO_MUCH),
        (NotRecorded(text="Tap again."), 503, {"text": "Tap again.", "code": "unavailable"}),
    ],
)
async def test_every_outcome_of_a_tap_and_a_form_has_its_answer(
    client, intake, outcome, status, body
):
    intake.answers = {"tap": outcome, "form": outcome}
    for path, sent in (("/chat/taps", TAP), ("/chat/forms", FORM)):
        response = await client.post(path, json=sent)
        assert (response.status, await response.json()) == (status, body)
    assert intake.updates == [
        CardTapped(
            id=f"web:chen:tap:{TAP['button']}:{UPDATE}",
            conversation=MAIN,
            actor=CHEN,
            button=TAP["button"],
        ),
        FormSubmitted(
            id=f"web:chen:form:{TAP['button']}:{UPDATE}",
            conversation=MAIN,
            actor=CHEN,
            button=TAP["button"],
            values={"weight": "64.5"},
        ),
    ]


async def test_what_comes_too_fast_is_429_and_says_when_to_try_again(client, intake, log):
    slow = DirectAnswer(text="Slower.", ok=False, code="rate_limited", wait_s=2.4)
    intake.answers = {"message": slow, "tap": slow, "form": slow}
    sent = (("/chat/messages", SAY), ("/chat/taps", TAP), ("/chat/forms", FORM))
    for path, body in sent:
        response = await client.post(path, json=body)
        assert (response.status, response.headers["Retry-After"]) == (429, "3")
        told = await response.json()
        assert told == {"ok": False, "text": "Slower.", "code": "rate_limited"}
    assert log.bodies(MAIN) == []


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("/chat/messages", {**SAY, "text": "  \n"}, "text"),
    ("/chat/messages", {**SAY, "text": "x" * 8001}, "text"),
    ("/chat/messages", {**SAY, "text": 5}, "text"),
    ("/chat/messages", {**SAY, "text": None}, "text"),
    ("/chat/messages", {**SAY, "room": "Main"}, "room"),
    ("/chat/messages", {**SAY, "room": "main\n"}, "room"),
    ("/chat/messages", {**SAY, "room": "a" * 33}, "room"),
    ("/chat/messages", {**SAY, "room": "a:b"}, "room"),
    ("/chat/messages", {**SAY, "person": "nobody"}, "person"),
    ("/chat/messages", {**SAY, "person": ["lin"]}, "person"),
    ("/chat/messages", {**SAY, "id": "short"}, "id"),
    ("/chat/messages", {**SAY, "id": "a" * 65}, "id"),
    ("/chat/messages", {**SAY, "id": "with space and more"}, "id"),
    ("/chat/messages", {**SAY, "more": 1}, "more"),
    ("/chat/messages", {key: SAY[key] for key in ("room", "person", "id")}, "text"),
    ("/chat/taps", {**TAP, "button": ""}, "button"),
    ("/chat/taps", {**TAP, "button": "x" * 257}, "button"),
    ("/chat/forms", {**FORM, "values": {"weight": 5}}, "values.weight"),
    ("/chat/forms", {**FORM, "values": ["weight"]}, "values"),
    ("/chat/forms", {**FORM, "values": {str(n): "" for n in range(65)}}, "values"),
    ("/chat/forms", TAP, "values"),
]


@pytest.mark.parametrize(("path", "body", "field"), BAD)
async def test_a_wrong_shape_is_refused_naming_the_field(client, intake, log, path, body, field):
    response = await client.post(path, json=body)
    assert response.status == 400
    assert (await response.json())["error"].startswith(f"{field}: ")
    assert intake.updates == []
    assert log.bodies(MAIN) == []


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"[" * 5000,
        json.dumps({**SAY, "text": "\ud800 alone"}).encode(),
    ],
)
async def test_what_is_no_json_object_is_refused(client, intake, raw):
    response = await client.post(
        "/chat/messages", data=raw, headers={"Content-Type": "application/json"}
    )
    assert response.status == 400
    assert (await response.json())["error"]
    assert intake.updates == []


async def test_text_of_exactly_8000_characters_is_taken(client, intake):
    response = await client.post("/chat/messages", json={**SAY, "text": "字" * 8000})
    assert response.status == 202
    assert len(intake.updates) == 1


async def test_a_body_over_one_mebibyte_is_413(client, intake):
    exact = b" " * 1024 * 1024
    json_type = {"Content-Type": "application/json"}
    big = await client.post("/chat/messages", data=BytesIO(exact + b" "), headers=json_type)
    assert big.status == 413
    assert (await big.json())["error"].startswith("body: ")
    assert big.headers["X-Content-Type-Options"] == "nosniff"
    assert (
        await client.post("/chat/messages", data=BytesIO(exact), headers=json_type)
    ).status == 400
    assert intake.updates == []


async def test_what_is_no_request_of_the_page_is_refused_as_json(client, intake):
    for method, path, status, told in (
        ("GET", "/chat/nothing", 404, "path: there is no such request"),
        ("POST", "/chat/inbox", 405, "method: must be GET"),
        ("GET", "/chat/messages", 405, "method: must be POST"),
    ):
        response = await client.request(method, path)
        assert (response.status, await response.json()) == (status, {"error": told})
        assert response.headers.get("Allow", "") == told.partition("must be ")[2]
    assert intake.updates == []


@pytest.mark.parametrize("page", ["0", "-1", "1000", "two", "", "١"])
async def test_a_page_that_is_none_is_refused(client, page):
    for path in ("/chat/inbox", "/chat/mine"):
        response = await client.get(path, params={"person": "lin", "page": page})
        assert response.status == 400
        assert (await response.json())["error"].startswith("page: ")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_only_json_is_taken(client, intake, kind):
    response = await client.post(
        "/chat/messages", data=json.dumps(SAY).encode(), headers={"Content-Type": kind}
    )
    assert response.status == 415
    assert (await response.json())["error"].startswith("Content-Type: ")
    assert intake.updates == []


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.example"]
)
async def test_another_origin_is_refused(client, intake, origin):
    response = await client.post("/chat/taps", json=TAP, headers={"Origin": origin})
    assert response.status == 403
    assert intake.updates == []


async def test_the_pages_own_origin_is_taken(client, intake):
    origin = str(client.make_url("/").origin())
    assert (await client.post("/chat/taps", json=TAP, headers={"Origin": origin})).status == 202
    assert len(intake.updates) == 1


@pytest.mark.parametrize("path", ["/", "/static/chat.js", "/chat/people", "/chat/events"])
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", ""]
)
async def test_a_foreign_host_is_refused(client, path, host):
    response = await client.get(path, headers={"Host": host})
    assert response.status == 403
    assert (await response.json())["error"].startswith("Host: ")


async def test_a_foreign_host_cannot_post(client, intake):
    for path, body in (("/chat/messages", SAY), ("/chat/taps", TAP), ("/chat/forms", FORM)):
        headers = {"Host": "evil.example", "Origin": "http://evil.example"}
        assert (await client.post(path, json=body, headers=headers)).status == 403
    assert intake.updates == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080"])
async def test_loopback_hosts_are_served(client, host):
    assert (await client.get("/chat/people", headers={"Host": host})).status == 200


async def test_people_are_listed_with_their_roles(client):
    people = (await (await client.get("/chat/people")).json())["people"]
    assert [person["id"] for person in people] == ["lin", "chen", "zhou"]
    assert people[0] == {
        "id": "lin",
        "name": "Lin Yue",
        "role": {"zh": "申请人", "en": "Requester"},
        "rooms": own_room_prefix("lin"),
        "home": home_room("lin"),
        "examples": {"zh": [], "en": []},
    }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/static/chat.css", "text/css"),
        ("/static/chat.js", "text/javascript"),
        ("/static/card.js", "text/javascript"),
        ("/static/texts.js", "text/javascript"),
        ("/static/texts.zh.js", "text/javascript"),
        ("/static/languages.js", "text/javascript"),
        ("/static/icon.svg", "image/svg+xml"),
    ],
)
async def test_the_page_and_its_files_come_with_security_headers(client, path, kind):
    response = await client.get(path)
    assert (response.status, response.content_type) == (200, kind)
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"


async def test_the_page_has_nothing_inline(client):
    page = await (await client.get("/")).text()
    assert " style=" not in page
    assert "<style" not in page
    assert " onclick" not in page
    assert page.count("<script") == page.count('<script type="module" src="/static/') == 1


@pytest.mark.parametrize("name", ["nothing.js", "platform.py", "..%2Fplatform.py", "%2e%2e%2fx"])
async def test_other_files_are_not_served(client, name):
    url = URL(f"/static/{name}", encoded=True)
    assert (await client.get(url)).status == 404


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "x-forwarded-proto", "X-Forwarded-Host", "Forwarded", "Via"]
)
@pytest.mark.parametrize("path", ["/", "/chat/inbox?person=lin", "/chat/people"])
async def test_what_a_proxy_forwards_is_refused_where_visitors_choose(client, header, path):
    response = await client.get(path, headers={header: "203.0.113.9"})
    assert response.status == 403
    told = (await response.json())["error"].lower()
    assert told.startswith(f"{header.lower()}: a proxy forwarded this")


async def test_nothing_is_said_for_somebody_through_a_proxy(client, intake):
    response = await client.post("/chat/taps", json=TAP, headers={"Via": "1.1 edge"})
    assert (response.status, intake.updates) == (403, [])


async def test_http_1_0_is_refused_as_what_nginx_forwards(client):
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(b"GET /chat/inbox?person=lin HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.split(b" ", 2)[1] == b"403"
    assert b"HTTP/1.0: a proxy forwarded this" in answer
