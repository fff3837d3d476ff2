"""When an answer in the making begins to be shown, how often, and what is taken out of it."""

import asyncio

import pytest

from adapters.redis.keys import Partitions
from adapters.redis.repositories.drafts import RedisDrafts
from adapters.redis.scripts import Scripts
from adapters.slack.room import SlackSettings
from adapters.telegram.room import TelegramSettings
from adapters.webchat.platform import GROWS_EVERY_S, WebChat
from bot.masking import MASK, compile_key_mask
from bot.serve.delivery.streaming import BEGINS_CHARS, BEGINS_S, DraftWriter
from tests.bot.serve.test_rate_limits import SetClock
from tests.fakes.chat_log import MemoryChatLog
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.tables import table

ROOM = "web:local:main"
PATTERNS = (*SlackSettings.key_patterns, *TelegramSettings.key_patterns)
LONG = "word " * BEGINS_CHARS


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def drafts(scripts: Scripts, partitions: Partitions) -> RedisDrafts:
    return RedisDrafts(scripts, partitions)


@pytest.fixture
def drafting(drafts: RedisDrafts, clock: SetClock) -> DraftWriter:
    chat = WebChat(log=MemoryChatLog(), people=())
    return DraftWriter(drafts, {"web": chat}, clock, compile_key_mask(("our-own-key",), PATTERNS))


def test_where_no_platform_can_show_it_nobody_listens(drafting: DraftWriter) -> None:
    with drafting.writing("r", "telegram:1:2") as show:
        assert show is None


def test_it_begins_after_a_second_of_writing_or_with_a_long_text(
    drafting: DraftWriter, clock: SetClock
) -> None:
    with drafting.writing("r", ROOM) as show:
        assert show is not None
        assert not show("It is")
        clock.elapsed += BEGINS_S / 2
        assert not show("It is well")
        clock.elapsed += BEGINS_S / 2
        assert show("It is well.")
    with drafting.writing("r", ROOM) as show:
        assert show is not None
        assert show(LONG)


async def test_texts_are_put_at_the_platforms_pace_and_without_keys(
    drafting: DraftWriter, drafts: RedisDrafts, partitions: Partitions, clock: SetClock
) -> None:
    reply = partitions.new_id(ROOM)
    with drafting.writing(reply, ROOM) as show:
        assert show is not None
        assert show(f"{LONG} our-own-key")
        assert await drafting._put_due() > GROWS_EVERY_S
        assert (await drafts.read(reply)).text == f"{LONG} {MASK}"
        assert show(f"{LONG} more")
        assert 0 < await drafting._put_due() <= GROWS_EVERY_S
        clock.elapsed += GROWS_EVERY_S
        await drafting._put_due()
        assert (await drafts.read(reply)).text == f"{LONG} more"


async def test_what_was_not_put_when_the_answer_ended_is_never_put(
    drafting: DraftWriter, drafts: RedisDrafts, partitions: Partitions
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
            async with within(PATIENCE_S, "the other draft is put"):
                while not (await drafts.read(other)).text:
                    pass
    finally:
        putting.cancel()
    assert (await drafts.read(reply)).text == ""


@table(
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
    assert compile_key_mask((), PATTERNS)(f"{text} {key}。") == f"{text} {MASK}。"
