"""Operations of an OpenAPI document are called as it says, and offer their arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from adapters.connections.openapi.connection import OpenApiConnection
from adapters.connections.openapi.model import OpenApiSettings
from engine.ports.systems.connections import BadCall, CallRequest
from tests.adapters.connections.http_server import serve

DOCUMENT = """
openapi: 3.1.0
info: {title: Rooms, version: "1"}
servers: [{url: "http://127.0.0.1:1/v1"}]
paths:
  /rooms/{room-id}/bookings:
    parameters:
      - {name: room-id, in: path, required: true, schema: {type: string}}
    get:
      operationId: listBookings
      summary: Bookings of a room
      parameters:
        - {$ref: "#/components/parameters/Day"}
        - {name: tag, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
    post:
      operationId: book
      requestBody: {$ref: "#/components/requestBodies/Booking"}
  /broken:
    get:
      operationId: broken
      parameters: [{$ref: "#/components/parameters/None"}]
    put:
      operationId: secretHeader
      parameters: [{name: X-Secret, in: header, required: true, schema: {type: string}}]
    post:
      operationId: picture
      requestBody: {content: {image/png: {}}}
components:
  parameters:
    Day: {name: day, in: query, description: Which day, schema: {type: string, format: date}}
  requestBodies:
    Booking:
      required: true
      content:
        application/json; charset=utf-8:
          schema: {$ref: "#/components/schemas/Booking"}
  schemas:
    Booking:
      allOf:
        - {$ref: "#/components/schemas/Named"}
        - type: object
          required: [seats]
          properties:
            seats: {type: [integer, "null"], minimum: 1}
            size: {enum: [small, large]}
            id: {type: string, readOnly: true}
            room-id: {type: string}
            parent: {$ref: "#/components/schemas/Booking"}
    Named: {type: object, required: [name], properties: {name: {type: string, maxLength: 40}}}
"""


def connect(folder: Path, text: str = DOCUMENT, **more: Any) -> OpenApiConnection:
    (folder / "api.yaml").write_text(text)
    return OpenApiConnection("rooms", OpenApiSettings(document=Path("api.yaml"), **more), folder)


def request(body: dict[str, Any], *arguments: str, writes: bool = False) -> CallRequest:
    return CallRequest(body, frozenset(arguments), writes, "many")


def test_an_operation_says_its_arguments(tmp_path: Path) -> None:
    api = connect(tmp_path)
    read = api.shape({"operation": "listBookings", "fixed": {"tag": ["x"]}})
    assert read.schema == {
        "type": "object",
        "properties": {
            "room_id": {"type": "string"},
            "day": {"type": "string", "format": "date", "description": "Which day"},
        },
        "required": ["room_id"],
    }
    assert (read.writes, read.description) == (False, "Bookings of a room")
    write = api.shape({"operation": "book"})
    assert write.writes
    assert set(write.schema["required"]) == {"room_id", "name", "seats"}
    properties = write.schema["properties"]
    assert properties["seats"] == {"type": "integer", "minimum": 1}
    assert properties["size"] == {"enum": ["small", "large"]}
    assert properties["name"] == {"type": "string", "maxLength": 40}
    assert "id" not in properties
    assert "body_room_id" in properties


async def test_an_operation_is_called_as_the_document_says(tmp_path: Path) -> None:
    async with serve(lambda _: [1]) as server:
        api = connect(tmp_path, address=f"{server.url}/v2")
        read = api.prepare(
            request({"operation": "listBookings", "fixed": {"tag": ["a&b", "c"]}}, "room_id", "day")
        )
        assert await read({"room_id": "R 1"}) == [1]
        arguments = ("room_id", "name", "seats", "body_room_id")
        write = api.prepare(request({"operation": "book"}, *arguments, writes=True))
        await write({"room_id": "R1", "name": "Ana", "seats": 3, "body_room_id": "R2"})
        await api.close()
    assert server.asked[0].raw_path == "/v2/rooms/R%201/bookings?tag=a%26b&tag=c"
    assert server.asked[1].path == "/v2/rooms/R1/bookings"
    assert json.loads(server.bodies[1]) == {"name": "Ana", "seats": 3, "room-id": "R2"}


@pytest.mark.parametrize(
    ("body", "arguments", "fault"),
    [
        ({"operation": "nope"}, (), "there is no 'nope'; there are book, broken"),
        ({"operation": "broken"}, (), "cannot be read in the document"),
        ({"operation": "secretHeader"}, (), "header 'X-Secret' cannot be given"),
        ({"operation": "picture"}, (), "a body of image/png cannot be sent"),
        ({"operation": "listBookings"}, (), "needs room_id"),
        ({"operation": "listBookings"}, ("room_id", "who"), "'who' is no argument of listBookings"),
        ({"operation": "listBookings", "fixed": {"x": 1}}, ("room_id",), "takes no 'x'"),
        ({"operations": "x"}, (), "operation: Field required"),
    ],
)
def test_a_wrong_call_is_refused_when_it_is_loaded(
    tmp_path: Path, body: dict[str, Any], arguments: tuple[str, ...], fault: str
) -> None:
    with pytest.raises(BadCall, match=fault):
        connect(tmp_path).prepare(request(body, *arguments))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("swagger: '2.0'", "no OpenAPI document of version 3.0 or 3.1"),
        ("[", "cannot be read: ParserError"),
        ("openapi: 3.0.0", "names no server"),
        ("openapi: 3.0.0\nservers: [{url: /api}]", "names no server"),
    ],
)
async def test_a_document_that_cannot_be_read_says_so(
    tmp_path: Path, text: str, fault: str
) -> None:
    api = connect(tmp_path, text)
    assert fault in (await api.probe())[0]
    with pytest.raises(BadCall, match=fault):
        api.shape({"operation": "book"})
    await api.close()


def test_a_document_lies_in_the_folder() -> None:
    with pytest.raises(ValueError, match="in the project folder"):
        OpenApiSettings(document=Path("../api.yaml"))
