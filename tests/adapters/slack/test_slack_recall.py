"""Posted, but the answer was lost: the message is found again by what it is marked with."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from adapters.slack.platform import SlackPlatform
from cards.showing.view import MessageView, PartView
from engine.errors import Forbidden, PlatformError, RateLimited, Unavailable
from engine.ports.platform import SupportsRecall
from engine.ports.storage.drafts import Growth
from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.server_clock import ServerClock
from tests.fakes.slack_app import connected

TS = "1763700000.000100"
PLACES = [f"C0TRIAL:{TS}", "C0TRIAL", "D0REQUESTER", f"D0REQUESTER:{TS}", "U0REVIEWER", "G0TRIAL"]
LONG = "word " * 6_000
READS = ("conversations.history", "conversations.replies")


def view(text: str = "hi", state: str = "answered") -> MessageView:
    return MessageView(lang="en", parts=(PartView(number=0, state=state, text=text),))


@asynccontextmanager
async def restarted(slack: SlackServer) -> AsyncIterator[SlackPlatform]:
    """Another process of ours, which remembers nothing."""
    platform = connected(slack, clock=ServerClock(slack.time))
    try:
        yield platform
    finally:
        await platform.close()


def since(slack: SlackServer) -> datetime:
    return datetime.fromtimestamp(slack.time.now(), UTC)


def ids(slack: SlackServer) -> str:
    return ",".join(f"{m.channel}:{m.ts}" for m in slack.messages.values())


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("after", [0, 1])
async def test_a_message_whose_answer_was_lost_is_found_and_shown_whole(
    slack: SlackServer, platform: SlackPlatform, at: str, after: int
) -> None:
    begun, place = since(slack), f"slack:T0TRIAL:{at}"
    # What was shown there under another name is not it.
    other = await platform.send(place, view("other"), key="row-2")
    slack.fail_next("chat.postMessage", Fault.dropped(), after=after)
    with pytest.raises(Unavailable):
        await platform.send(place, view(LONG), key="row-1")
    async with restarted(slack) as another:
        found = await another.recall(place, "", key="row-1", since=begun)
        assert f"{other},{found}" == ids(slack)
        assert len(found.split(",")) == after + 1
        shown = await another.edit(place, found, view(LONG))
    assert f"{other},{shown}" == ids(slack)
    assert sum(m.body.count("word") for m in slack.messages.values()) == 6_000


@pytest.mark.parametrize("at", PLACES)
async def test_a_part_that_an_edit_posted_unheard_is_found(
    slack: SlackServer, platform: SlackPlatform, at: str
) -> None:
    begun, place = since(slack), f"slack:T0TRIAL:{at}"
    first = await platform.send(place, view(), key="row-1")
    assert await platform.recall(place, first, key="row-1", since=begun) == first
    slack.fail_next("chat.postMessage", Fault.dropped())
    with pytest.raises(Unavailable):
        await platform.edit(place, first, view(LONG))
    found = await platform.recall(place, first, key="row-1", since=begun)
    assert found == ids(slack)
    assert await platform.edit(place, found, view(LONG)) == ids(slack)
    assert len(slack.messages) == len(ids(slack).split(","))
    assert sum(m.body.count("word") for m in slack.messages.values()) == 6_000


@pytest.mark.parametrize("at", PLACES)
async def test_what_was_not_posted_is_not_found(
    slack: SlackServer, platform: SlackPlatform, at: str
) -> None:
    place = f"slack:T0TRIAL:{at}"
    slack.fail_next("chat.postMessage", Fault.broken())
    with pytest.raises(Unavailable):
        await platform.send(place, view(), key="row-1")
    assert await platform.recall(place, "", key="row-1", since=since(slack)) == ""
    await platform.send(place, view(), key="row-1")
    slack.time.skip(300)
    # What stood there long before was no try of now.
    assert await platform.recall(place, "", key="row-1", since=since(slack)) == ""


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.refused("missing_scope"), Forbidden),
        (Fault.rate_limited(), RateLimited),
        (Fault.broken(), Unavailable),
        (Fault.refused("an_error_of_tomorrow"), PlatformError),
    ],
)
async def test_where_nothing_can_be_read_it_says_so(
    slack: SlackServer, platform: SlackPlatform, fault: Fault, error: type[PlatformError]
) -> None:
    slack.fail_next("conversations.history", fault)
    with pytest.raises(error):
        await platform.recall("slack:T0TRIAL:D0ANA", "", key="k", since=since(slack))


@pytest.mark.fact("slack/history")
@pytest.mark.parametrize(("at", "scope"), [("C0TRIAL", "channels"), ("G0TRIAL", "groups")])
async def test_each_kind_of_place_has_a_scope(
    slack: SlackServer, platform: SlackPlatform, at: str, scope: str
) -> None:
    slack.scopes.remove(f"{scope}:history")
    with pytest.raises(Forbidden, match=f"{scope}:history"):
        await platform.recall(f"slack:T0TRIAL:{at}", "", key="k", since=since(slack))


@pytest.mark.fact("slack/metadata")
async def test_a_usual_message_is_marked_and_nothing_is_read(
    slack: SlackServer, platform: SlackPlatform
) -> None:
    assert isinstance(platform, SupportsRecall)
    await platform.send("slack:T0TRIAL:C0TRIAL", view(LONG), key="row-1")
    marks = [m.metadata["event_payload"] for m in slack.messages.values()]
    assert [mark["part"] for mark in marks] == [*range(len(marks))]
    assert "row-1" not in str(marks)
    assert not any(slack.calls[method] for method in READS)


GROWING = [(PLACES[0], "chat.startStream"), (PLACES[2], "chat.postMessage")]


def growing(text: str = "") -> Growth:
    working = view("", state="working")
    return Growth(view("one"), working, text, "", "U0REQUESTER", "row-1")


@pytest.mark.parametrize(("at", "method"), GROWING)
async def test_an_answer_that_began_to_grow_unheard_goes_on(
    slack: SlackServer, platform: SlackPlatform, at: str, method: str
) -> None:
    place = f"slack:T0TRIAL:{at}"
    slack.fail_next(method, Fault.dropped())
    message_id = await platform.grow(place, "", growing())
    assert message_id == ids(slack)
    assert await platform.grow(place, message_id, growing("one")) == message_id
    assert "one" in slack.latest.body
    await platform.edit(place, message_id, view("whole"))
    assert [m.body for m in slack.messages.values()] == ["whole"]


@pytest.mark.parametrize(("at", "method"), GROWING)
async def test_an_answer_that_nobody_can_look_for_does_not_begin_twice(
    slack: SlackServer, platform: SlackPlatform, at: str, method: str
) -> None:
    slack.scopes -= {"channels:history", "im:history"}
    slack.fail_next(method, Fault.dropped())
    with pytest.raises(Unavailable):
        await platform.grow(f"slack:T0TRIAL:{at}", "", growing())
    assert len(slack.messages) == 1
