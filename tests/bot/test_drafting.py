"""When an answer in the making begins to be shown, how often, and what is taken out of it."""

import asyncio
from datetime import UTC, date, datetime

import pytest

from adapters.redis.drafts import RedisDrafts
from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.webchat.platform import GROWS_EVERY_S, WebChat
from bot.drafting import BEGINS_CHARS, BEGINS_S, Drafting
from bot.masking import MASK, no_keys
from tests.fakes.chat_log import MemoryChatLog

ROOM = "web:local:main"
LONG = "word " * BEGINS_CHARS


class Hands:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.at_s = 100.0

    def now(self) -> datetime:
        return datetime(2026, 11, 22, tzinfo=UTC)

    def today(self) -> date:
        return self.now().date()

    def elapsed_s(self) -> float:
        return self.at_s


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def drafts(scripts: Scripts, partitions: Partitions) -> RedisDrafts:
    return RedisDrafts(scripts, partitions)


@pytest.fixture
def drafting(drafts: RedisDrafts, clock: Hands) -> Drafting:
    chat = WebChat(log=MemoryChatLog(), people=())
    return Drafting(drafts, {"web": chat}, clock, no_keys(("our-own-key",)))


def test_where_no_platform_can_show_it_nobody_listens(drafting: Drafting) -> None:
    with drafting.writing("r", "telegram:1:2") as show:
        assert show is None


def test_it_begins_after_a_second_of_writing_or_with_a_long_text(
    drafting: Drafting, clock: Hands
) -> None:
    with drafting.writing("r", ROOM) as show:
        assert show is not None
        assert not show("It is")
        clock.at_s += BEGINS_S / 2
        assert not show("It is well")
        clock.at_s += BEGINS_S / 2
        assert show("It is well.")
    with drafting.writing("r", ROOM) as show:
        assert show is not None
        assert show(LONG)


async def test_texts_are_put_at_the_platforms_pace_and_without_keys(
    drafting: Drafting, drafts: RedisDrafts, partitions: Partitions, clock: Hands
) -> None:
    reply = partitions.new_id(ROOM)
    with drafting.writing(reply, ROOM) as show:
        assert show is not None
        assert show(f"{LONG} our-own-key")
        assert await drafting._put_due() > GROWS_EVERY_S
        assert (await drafts.read(reply)).text == f"{LONG} {MASK}"
        assert show(f"{LONG} more")
        assert 0 < await drafting._put_due() <= GROWS_EVERY_S
        clock.at_s += GROWS_EVERY_S
        await drafting._put_due()
        assert (await drafts.read(reply)).text == f"{LONG} more"


async def test_what_was_not_put_when_the_answer_ended_is_never_put(
    drafting: Drafting, drafts: RedisDrafts, partitions: Partitions
) -> None:
    reply = partitions.new_id(ROOM)
    putting = asyncio.create_task(drafting.run())
    try:
        with drafting.writing(reply, ROOM) as show:
            assert show is not None
            assert show(LONG)
        with drafting.writing(other := partitions.new_id(ROOM), ROOM) as show:
            assert show is not None
            assert show(LONG)
            async with asyncio.timeout(5):
                while not (await drafts.read(other)).text:
                    pass
    finally:
        putting.cancel()
    assert (await drafts.read(reply)).text == ""


@pytest.mark.parametrize(
    "key",
    [
        "xoxb-1234567890-abcdef",
        "xapp-1-A0123-456789-abcdef",
        "sk-proj-abcdefghijklmnop",
        "7000000001:AAtestTESTtestTESTtestTESTtestTEST",
        "ghp_abcdefghijklmnopqrstuvwxyz",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
def test_what_looks_like_a_key_is_masked_and_records_are_not(key: str) -> None:
    text = "P003: 61.5 kg, 121/77 on 2026-11-21 at 10:30, task-force SOP-7"
    assert no_keys(())(f"{text} {key}。") == f"{text} {MASK}。"
