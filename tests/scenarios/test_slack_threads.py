"""Threads of Slack: what is said below a question in a channel, and below a direct message."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from redis.asyncio import Redis

from adapters.redis import keys
from adapters.redis.server.embedded import EmbeddedServer
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.stored import unpack_all
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_platform_walk import SlackSide, slack_settings, with_accounts

ASKED = "1763700000.000100"
ANSWER = "ecog 2, weight 61.5 kg, systolic 121, diastolic 77"
THREADS = {"channels:history", "groups:history"}


async def _kept(server: EmbeddedServer) -> str:
    """All that the store holds, as one text."""
    reads = {
        "string": Redis.get,
        "hash": Redis.hgetall,
        "list": lambda redis, key: redis.lrange(key, 0, -1),
        "set": Redis.smembers,
        "zset": lambda redis, key: redis.zrange(key, 0, -1),
        "stream": Redis.xrange,
        # It went away meanwhile.
        "none": Redis.get,
    }
    url, plain = server.url, {"decode_responses": True, "encoding_errors": "replace"}
    async with Redis.from_url(url, **plain) as redis:
        found = [key async for key in redis.scan_iter(count=1000)]
        # What examples taught, which is packed, has no words, and some megabytes.
        said = [key for key in found if not key.startswith(keys.learned(""))]
        return "\n".join([_plain(await reads[await redis.type(key)](redis, key)) for key in said])


def _plain(value: Any) -> str:
    """What stands under a key, as it was before it was packed."""
    texts = value.values() if isinstance(value, dict) else value
    texts = [texts] if isinstance(texts, str) else list(texts or ())
    return str([value, *unpack_all([text for text in texts if isinstance(text, str)])])


async def _asking(start: Start, slack: SlackServer, people: Path) -> Service:
    accounts = with_accounts(people, slack.team)
    return await start(people=accounts, webchat=False, **slack_settings(slack))


async def test_what_the_bot_waits_for_is_heard_in_its_thread_and_nothing_else_is_kept(
    start: Start,
    slack: SlackServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    redis_server: EmbeddedServer,
) -> None:
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    thread = {"channel": "C0TRIAL", "thread_ts": ASKED}
    await side.send(slack.mention_event("Record today's visit of P003", ts=ASKED))
    card = await side.shown("Or answer in text", channel="C0TRIAL")
    assert "@" not in card.body.partition("Or answer in text")[2].splitlines()[0]

    # Others talk there, and so does who asked, to somebody else; strangers hear nothing either.
    for who in ("U0BYSTANDER", "U0NOBODY"):
        await side.send(slack.message_event("between us: kumquat", user=who, **thread))
    await side.send(slack.message_event("<@U0BYSTANDER> kumquat?", **thread))
    # In the channel, and in a thread where nobody waits.
    await side.send(slack.message_event("kumquat", channel="C0TRIAL"))
    elsewhere = {"channel": "C0TRIAL", "thread_ts": "1763700000.000001"}
    await side.send(slack.message_event("kumquat there", **elsewhere))
    assert "kumquat" not in await _kept(redis_server)
    assert not slack.ephemerals

    await side.send(slack.message_event(ANSWER, **thread))
    review = await side.shown("Please review", channel="C0TRIAL")
    assert "61.5 kg" in review.body
    # Only buttons decide a review: who talks it over in its thread talks to the others.
    await side.send(slack.message_event("kumquat, isn't it?", user="U0REVIEWER", **thread))
    await side.send(slack.message_event("kumquat yes", **thread))
    assert "kumquat" not in await _kept(redis_server)


async def test_a_numbered_choice_is_heard_in_its_thread(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    await side.send(slack.mention_event("P003今天的访视", ts=ASKED))
    asked = await side.shown("你是想…？", channel="C0TRIAL")
    assert asked.thread_ts == ASKED
    await side.send(slack.message_event("1", channel="C0TRIAL", thread_ts=ASKED))
    await side.shown("录入访视：请补充", channel="C0TRIAL")


async def test_an_answer_comes_once_by_mention_and_as_a_message(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    await side.send(slack.mention_event("Record today's visit of P003", ts=ASKED))
    await side.shown("Or answer in text", channel="C0TRIAL")
    ts = slack.new_ts()
    for kind in ("message", "app_mention", "message"):
        await side.send(slack.mention_event(ANSWER, kind=kind, ts=ts, thread_ts=ASKED))
    await side.shown("Please review", channel="C0TRIAL")
    texts = [each.body for each in slack.messages.values() if each.channel == "C0TRIAL"]
    assert sum("Please review" in text for text in texts) == 1


@pytest.mark.parametrize("left", [THREADS, {"groups:history"}])
async def test_without_the_scopes_the_card_says_to_mention_the_bot(
    start: Start,
    slack: SlackServer,
    http: aiohttp.ClientSession,
    people_file: Path,
    left: set[str],
) -> None:
    slack.scopes -= left
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    await side.send(slack.mention_event("Record today's visit of P003", ts=ASKED))
    card = await side.shown("Or answer in text, e.g. @signoff ECOG", channel="C0TRIAL")
    assert f"<@{slack.bot_user}>" not in json.dumps(card.blocks)
    direct = slack.message_event("Record today's visit of P001")
    await side.send(direct)
    card = await side.shown("Or answer in text", channel="D0REQUESTER")
    assert "@signoff" not in card.body


async def test_what_is_asked_in_a_thread_of_a_direct_message_is_answered_there(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    direct = "D0REQUESTER"
    await side.send(slack.message_event("Show me the ECOG of P003", ts=ASKED))
    first = await side.shown("2026-10-28", channel=direct)
    assert not first.thread_ts

    # It is one conversation, whose words are known in its threads.
    await side.send(slack.message_event("and P001?", thread_ts=ASKED))
    more = await side.shown("P001", channel=direct)
    assert more.thread_ts == ASKED
    await side.send(slack.message_event("/help", thread_ts=ASKED))
    helped = await side.shown("/cancel", channel=direct)
    assert helped.thread_ts == ASKED

    # Nor does what follows leave it: form, refusals and what came of it.
    await side.send(slack.message_event("Record today's visit of P003", thread_ts=ASKED))
    card = await side.shown("Or answer in text", channel=direct)
    assert card.thread_ts == ASKED
    reading = slack.message_event(ANSWER, thread_ts=ASKED)
    await side.send(reading)
    review = await side.shown("Please review", channel=direct)
    assert review.thread_ts == ASKED
    assert "direct message" not in review.body
    await side.tap(review, "Approve", user="U0REQUESTER")
    assert slack.ephemerals[-1].thread_ts == ASKED
    count = len(slack.messages)
    elsewhere = await side.shown("Please review", channel="D0REVIEWER")
    await side.tap(elsewhere, "Approve", user="U0REVIEWER")
    await side.shown("Visit recorded", channel=direct)
    await slack.wait_for(lambda: '"actions"' not in json.dumps(review.blocks))
    below = [m for m in slack.messages.values() if m.channel == direct and m is not first]
    assert {message.thread_ts for message in below} == {ASKED}
    assert len(slack.messages) >= count


async def test_a_card_in_a_direct_message_is_answered_in_its_own_thread(
    start: Start, slack: SlackServer, http: aiohttp.ClientSession, people_file: Path
) -> None:
    side = SlackSide(await _asking(start, slack, people_file), slack, http)
    await side.send(slack.message_event("Record today's visit of P003", ts=ASKED))
    card = await side.shown("Or answer in text", channel="D0REQUESTER")
    await side.send(slack.message_event("ecog 2, weight 61.5 kg", thread_ts=card.ts))
    told = await side.shown("Systolic", channel="D0REQUESTER")
    assert "61.5" in (await side.shown("61.5", channel="D0REQUESTER")).body
    assert told
