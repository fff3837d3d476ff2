import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientResponse, web

from adapters.webchat.platform import WebChat
from adapters.webchat.room_names import own_room_prefix
from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, MessageView, PartView
from engine.errors import Unavailable
from tests.fakes.platforms.patience import PATIENCE_S, within

MAIN = "web:local:main"


def view(text: str) -> MessageView:
    return MessageView(lang="en", parts=(PartView(number=0, state="answered", text=text),))


class Events:
    """The events of a response, one at a time; comments are counted."""

    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self.comments = 0

    async def next(self) -> tuple[str, dict[str, Any]]:
        _, position, body = await self.named()
        return position, body

    async def named(self) -> tuple[str, str, dict[str, Any]]:
        """The next event's name, its id and its data."""
        fields: dict[str, str] = {"event": "", "id": ""}
        while line := (await self._response.content.readline()).decode():
            if line.startswith(":"):
                self.comments += 1
            elif line == "\n" and "data" in fields:
                return fields["event"], fields["id"], json.loads(fields["data"])
            elif name := line.partition(":")[0].strip():
                fields[name] = line.partition(": ")[2].rstrip("\n")
        raise EOFError

    async def comment(self) -> None:
        while not (await self._response.content.readline()).startswith(b":"):
            assert not self._response.content.at_eof()


@asynccontextmanager
async def events(client: Any, query: str = "", **headers: str) -> AsyncIterator[Events]:
    async with client.get(f"/chat/events{query}", headers=headers) as response:
        assert response.status == 200
        assert response.content_type == "text/event-stream"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        yield Events(response)


async def test_a_new_reader_gets_everything_and_then_what_comes(client, chat):
    await chat.send(MAIN, view("one"), key="k1")
    async with events(client, "?room=main") as stream:
        seq, body = await stream.next()
        assert (seq, body["op"], body["id"]) == ("1", "post", "k1")
        assert body["view"]["parts"][0]["html"] == "<p>one</p>"
        await chat.edit(MAIN, "k1", view("two"))
        seq, body = await stream.next()
        assert (seq, body["op"], body["id"]) == ("2", "edit", "k1")
        assert body["view"]["parts"][0]["html"] == "<p>two</p>"


async def test_everybody_in_a_room_sees_a_message_and_other_rooms_do_not(client, chat):
    async with (
        events(client, "?room=main") as first,
        events(client) as second,
        events(client, "?room=other") as other,
    ):
        body = {"room": "main", "person": "lin", "id": "aaaaaaaa", "text": "hello"}
        assert (await client.post("/chat/messages", json=body)).status == 202
        await chat.send("web:local:other", view("elsewhere"), key="k9")
        for stream in (first, second):
            assert (await stream.next())[1] == {
                "op": "said", "id": "aaaaaaaa", "person": "lin", "name": "Lin Yue", "text": "hello"
            }  # fmt: skip
        assert (await other.next())[1]["id"] == "k9"


async def test_a_reader_that_comes_back_gets_only_the_rest(client, chat):
    for number in range(1, 4):
        await chat.send(MAIN, view(str(number)), key=f"k{number}")
    async with events(client, "?after=1") as stream:
        assert (await stream.next())[0] == "2"
    async with events(client, "?after=1", **{"Last-Event-ID": "2"}) as stream:
        assert (await stream.next())[0] == "3"


@pytest.mark.parametrize(
    "query", ["?room=Main", "?room=", "?room=a%3Ab", "?after=x", "?after=-", "?after=1%0A"]
)
async def test_a_wrong_room_or_position_is_refused(client, query):
    response = await client.get(f"/chat/events{query}")
    assert response.status == 400
    assert (await response.json())["error"].startswith(("room: ", "after: "))


async def test_a_wrong_last_event_id_is_refused(client):
    response = await client.get("/chat/events", headers={"Last-Event-ID": "1; drop"})
    assert response.status == 400


async def test_a_quiet_stream_has_a_heart_beat(client):
    async with events(client) as stream:
        await stream.comment()
        await stream.comment()


async def test_text_with_line_breaks_is_one_event(client, chat):
    await chat.send(MAIN, view("a\n\ndata: {}\r\n\nid: 99\u2028b"), key="k1")
    await chat.send(MAIN, view("next"), key="k2")
    async with events(client) as stream:
        assert [(await stream.next())[0] for _ in range(2)] == ["1", "2"]


async def test_closing_ends_streams_at_once_and_refuses_new_ones(log, aiohttp_client, intake):
    chat = WebChat(log=log, people=(), heartbeat_s=600)
    app = web.Application()
    app.add_routes(chat.routes(intake))
    client = await aiohttp_client(app)
    async with (
        within(PATIENCE_S, "the stream ends when the chat is closed"),
        events(client) as stream,
    ):
        await chat.close()
        with pytest.raises(EOFError):
            await stream.next()
        await chat.close()
        assert (await client.get("/chat/events")).status == 503


async def test_a_stream_ends_when_the_store_goes_so_that_the_page_comes_back(client, log):
    async with within(PATIENCE_S, "the stream ends when the store goes"), events(client) as stream:
        log.away = True
        with pytest.raises(EOFError):
            await stream.next()


async def test_sending_a_key_again_keeps_its_id(chat, log):
    assert await chat.send(MAIN, view("one"), key="k1") == "k1"
    assert await chat.send(MAIN, view("one"), key="k1") == "k1"
    assert {body["id"] for body in log.bodies(MAIN)} == {"k1"}


async def test_a_store_that_is_away_is_unavailable_to_senders(chat, log):
    log.away = True
    with pytest.raises(Unavailable):
        await chat.send(MAIN, view("one"), key="k1")
    with pytest.raises(Unavailable):
        await chat.edit(MAIN, "k1", view("one"))


async def test_typing_is_shown_and_never_raises(chat, log):
    await chat.typing(MAIN)
    assert log.bodies(MAIN) == [{"op": "typing"}]
    log.away = True
    await chat.typing(MAIN)
    assert len(log.bodies(MAIN)) == 1


@pytest.mark.parametrize(
    ("public_url", "link"),
    [
        ("https://signoff.example/", "https://signoff.example/?room=ward-7"),
        ("", ""),
    ],
)
async def test_a_room_has_a_link_where_the_page_has_a_public_address(log, public_url, link):
    chat = WebChat(log=log, people=(), public_url=public_url)
    assert await chat.link("web:local:ward-7", "r1") == link


async def test_listening_returns_at_once(chat, intake):
    await chat.listen(intake)
    assert intake.updates == []


async def test_a_view_is_rendered_whole(chat, log):
    field = Field(name="weight", label="<b>Weight</b>", type="number", unit="kg", maximum=200)
    card = CardView(
        token="0-abcdefgh",
        kind="clarify",
        title="<i>Title</i>",
        text="**text**",
        problems=("<script>",),
        rows=(Row(label="Subject", value="P003"),),
        note="a note",
        origin="From [there](<https://x.example/>)",
        buttons=(ButtonView(data="s1:x", label="Send", style="primary", form=(field,)),),
        outcome="",
    )
    part = PartView(number=2, state="needs_you", label="Record", text="*go*")
    await chat.send(MAIN, MessageView(lang="zh", parts=(part,), card=card), key="k1")
    shown = log.bodies(MAIN)[0]["view"]
    assert shown["lang"] == "zh"
    assert shown["parts"] == [
        {"number": 2, "state": "needs_you", "label": "Record", "html": "<p><em>go</em></p>"}
    ]
    rendered = shown["card"]
    # Plain text travels as it is: the page puts it in as text, never as markup.
    assert rendered["title"] == "<i>Title</i>"
    assert rendered["html"] == "<p><strong>text</strong></p>"
    assert rendered["problems"] == [{"html": "<p>&lt;script&gt;</p>"}]
    assert rendered["rows"] == [{"label": "Subject", "value": "P003"}]
    assert 'href="https://x.example/"' in rendered["origin"]["html"]
    button = rendered["buttons"][0]
    assert (button["data"], button["label"], button["style"]) == ("s1:x", "Send", "primary")
    assert button["form"][0]["label"] == "<b>Weight</b>"
    assert json.loads(json.dumps(shown)) == shown


async def test_one_stream_follows_several_rooms_and_goes_on_in_each(client, chat):
    other = "web:local:other"
    for number in (1, 2):
        await chat.send(MAIN, view(f"main {number}"), key=f"m{number}")
    await chat.send(other, view("other 1"), key="o1")
    query = "?room=main&person=lin&after=1&room=other&person=chen&after=0"
    async with events(client, query) as stream:
        got = sorted([await stream.named() for _ in range(2)])
        assert [(name, body["id"]) for name, _, body in got] == [("0", "m2"), ("1", "o1")]
        await chat.send(other, view("other 2"), key="o2")
        name, position, body = await stream.named()
        assert (name, position, body["id"]) == ("1", "2,2", "o2")
    await chat.send(MAIN, view("main 3"), key="m3")
    async with events(client, query, **{"Last-Event-ID": position}) as stream:
        name, position, body = await stream.named()
        assert (name, position, body["id"]) == ("0", "3,2", "m3")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?room=main&person=&after=&room=other&person=", 400),
        ("?room=main&person=&after=0&room=other&person=&after=x", 400),
        ("?" + "&".join(["room=main&person=&after=0"] * 21), 400),
        (f"?room=main&person=chen&after=0&room={own_room_prefix('lin')}a&person=chen&after=0", 404),
    ],
    ids=["unequal", "no_position", "too_many", "not_theirs"],
)
async def test_several_rooms_are_followed_whole_or_not_at_all(client, query, status):
    response = await client.get(f"/chat/events{query}")
    assert response.status == status


async def test_a_page_hears_the_heart_beat_of_its_stream(client):
    async with events(client, "?room=main&beats=1") as stream:
        assert await stream.named() == ("beat", "", {})
