"""What a document does not allow is told before the API is asked: the loans of a school library."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.ports.systems.connections import BadCall
from tests.adapters.connections.http_server import serve
from tests.adapters.connections.test_openapi import connect, request

DOCUMENT = """
openapi: 3.0.3
info: {title: School library, version: "2"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /pupils/{pupil}/loans:
    parameters:
      - {name: pupil, in: path, required: true, schema: {type: string, pattern: "^P-[0-9]{3}$"}}
    get:
      operationId: loansOf
      parameters:
        - {name: since, in: query, schema: {type: string, format: date}}
        - {name: state, in: query, schema: {$ref: "#/components/schemas/State"}}
        - name: limit
          in: query
          schema: {type: integer, format: int32, minimum: 0, exclusiveMinimum: true, maximum: 50}
    post:
      operationId: lend
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Loan"}}}
  /broken:
    get:
      operationId: broken
      parameters: [{name: a, in: query, schema: {type: string, required: true}}]
components:
  schemas:
    State: {type: string, enum: [open, returned]}
    Loan:
      type: object
      required: [book, due]
      properties:
        book: {$ref: "#/components/schemas/Book"}
        due: {type: string, format: date-time}
        notify: {type: string, format: email}
        site: {type: string, format: uuid}
        link: {type: string, format: uri}
        fee: {oneOf: [{type: number, minimum: 0}, {$ref: "#/components/schemas/Waived"}]}
    Book:
      type: object
      required: [isbn]
      properties: {isbn: {type: string, pattern: "[0-9]{13}"}, copies: {type: integer, maximum: 30}}
      additionalProperties: false
    Waived: {type: string, enum: [waived]}
"""
LOAN = {"pupil": "P-001", "book": {"isbn": "9780000000001"}, "due": "2026-12-01T10:00:00Z"}
READS: list[tuple[dict[str, Any], str]] = [
    ({}, "'pupil' is a required property"),
    ({"pupil": "Anna"}, "pupil: 'Anna' is not as"),
    ({"pupil": "P-001", "since": "1 May"}, "since: '1 May' is not a 'date'"),
    ({"pupil": "P-001", "state": "lost"}, "state: 'lost' is not one of"),
    ({"pupil": "P-001", "limit": 0}, "limit: 0 is less than or equal to the minimum of 0"),
    ({"pupil": "P-001", "limit": 51}, "limit: 51 is greater than the maximum of 50"),
    ({"pupil": "P-001", "limit": "5"}, "limit: '5' is not of type 'integer'"),
]
WRITES: list[tuple[dict[str, Any], str]] = [
    ({"book": {"isbn": "12"}}, "book.isbn: '12' is not as"),
    ({"book": {"isbn": "9780000000001", "copies": 31}}, "book.copies: 31 is greater"),
    ({"book": {"isbn": "9780000000001", "shelf": 1}}, "'shelf' was unexpected"),
    ({"book": {}}, "'isbn' is a required property"),
    ({"due": "2026-12-01T10:00:00"}, "due: '2026-12-01T10:00:00' is not a 'date-time'"),
    ({"notify": "nobody"}, "notify: 'nobody' is not a 'email'"),
    ({"site": "main"}, "site: 'main' is not a 'uuid'"),
    ({"link": "the shelf"}, "link: 'the shelf' is not a 'uri'"),
    ({"fee": -1}, "fee: "),
    ({"fee": "free"}, "fee: "),
]


@pytest.mark.parametrize(("given", "told"), READS)
async def test_a_read_is_checked_before_it_is_asked(
    tmp_path: Path, given: dict[str, Any], told: str
) -> None:
    async with serve(lambda _: []) as server:
        api = connect(tmp_path, DOCUMENT, address=server.url)
        call = api.prepare(request({"operation": "loansOf"}, "pupil", "since", "state", "limit"))
        with pytest.raises(ToolRetry, match="Wrong arguments") as caught:
            await call(given)
        await api.close()
    assert told in str(caught.value)
    assert server.asked == []


@pytest.mark.parametrize(("changed", "told"), WRITES)
async def test_a_write_is_checked_before_it_is_sent(
    tmp_path: Path, changed: dict[str, Any], told: str
) -> None:
    async with serve(lambda _: {}) as server:
        api = connect(tmp_path, DOCUMENT, address=server.url)
        names = ("pupil", "book", "due", "notify", "site", "link", "fee")
        call = api.prepare(request({"operation": "lend"}, *names, writes=True))
        with pytest.raises(ToolRetry) as caught:
            await call({**LOAN, **changed})
        await api.close()
    assert told in str(caught.value)
    assert server.asked == []


async def test_what_the_document_allows_is_sent(tmp_path: Path) -> None:
    more = {"fee": "waived", "notify": "a@example.com", "link": "https://example.com/1"}
    async with serve(lambda _: {"ok": True}) as server:
        api = connect(tmp_path, DOCUMENT, address=server.url)
        call = api.prepare(request({"operation": "lend"}, *LOAN, *more, writes=True))
        # Who asked is no argument of the operation.
        await call({**LOAN, **more, "requester": "ana"}, key="k")
        await api.close()
    sent = {name: value for name, value in {**LOAN, **more}.items() if name != "pupil"}
    assert json.loads(server.bodies[0]) == sent


@pytest.mark.parametrize(
    ("body", "argument", "told"),
    [
        (
            {"operation": "loansOf", "fixed": {"limit": 90}},
            "pupil",
            "fixed: Wrong arguments limit: 90",
        ),
        ({"operation": "broken"}, "a", "'broken' cannot be checked: its schema is no valid"),
    ],
)
def test_what_is_wrong_in_the_files_is_told_at_the_load(
    tmp_path: Path, body: dict[str, Any], argument: str, told: str
) -> None:
    with pytest.raises(BadCall, match=told):
        connect(tmp_path, DOCUMENT).prepare(request(body, argument))
