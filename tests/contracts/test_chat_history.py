"""What the web chat showed: its entries in order, and its messages as they are now."""

import json
from collections.abc import Awaitable, Callable, Iterable

import pytest

from adapters.redis import keys
from adapters.redis.client import Client
from adapters.redis.repositories import chat
from adapters.redis.repositories.chat import RedisChatLog, RedisConversations
from adapters.redis.scripts import Scripts
from engine.ports.conversations import Cursor, ListedFor


@pytest.fixture
def client(scripts: Scripts) -> Client:
    return scripts.client


@pytest.fixture
def log(scripts: Scripts, partitions: keys.Partitions) -> RedisChatLog:
    return RedisChatLog(scripts, scripts.client, partitions)


@pytest.fixture
def listed(scripts: Scripts, partitions: keys.Partitions) -> RedisConversations:
    return RedisConversations(scripts, partitions)


@pytest.fixture
def stored(client: Client, partitions: keys.Partitions) -> Callable[..., Awaitable[str]]:
    """Puts entries where they lie, as a build did that knew of nothing else; answers the key."""

    async def put(conversation: str, *entries: dict[str, str]) -> str:
        key = keys.chat(partitions.of_conversation(conversation), conversation)
        await lay(client, key, entries)
        return key

    return put


async def lay(client: Client, key: str, entries: Iterable[dict[str, str]]) -> None:
    async with client.pipeline(transaction=False) as pipe:
        for entry in entries:
            pipe.xadd(key, {"b": json.dumps(entry)})
        await pipe.execute()


def said(id: str, person: str = "lin", text: str = "") -> dict[str, str]:
    return {"op": "said", "id": id, "person": person, "text": text}


def post(id: str, text: str = "", op: str = "post") -> dict[str, str]:
    return {"op": op, "id": id, "text": text}


async def texts(log: RedisChatLog, conversation: str, before: int | None = None) -> list[str]:
    page = await log.page(conversation, before=before, count=100)
    return [message.body["text"] for message in page.messages]


async def test_a_message_keeps_its_place_and_is_as_its_last_entry_has_it(log, conversation):
    await log.append(conversation, said("a", text="ask"))
    await log.append(conversation, post("r1", "working"))
    await log.append(conversation, {"op": "typing"})
    await log.append(conversation, post("r2", "other"))
    last = await log.append(conversation, post("r1", "done", op="edit"))
    page = await log.page(conversation, before=None, count=10)
    assert [(m.number, m.body["text"]) for m in page.messages] == [
        (1, "ask"), (2, "done"), (3, "other")
    ]  # fmt: skip
    assert (page.seq, page.more) == (last, False)
    assert await log.newest([conversation, "web:local:nobody"]) == [3, 0]
    # Whoever goes on from there misses nothing, and gets nothing twice.
    assert await log.read(conversation, page.seq, wait_s=0.01) == []
    await log.append(conversation, post("r3", "next"))
    (entry,) = await log.read(conversation, page.seq, wait_s=1)
    assert entry.body["id"] == "r3"


async def test_an_empty_conversation_has_an_empty_page(log, conversation, client):
    page = await log.page(conversation, before=None, count=10)
    assert (page.messages, page.seq, page.more) == ((), "0", False)
    assert [name async for name in client.scan_iter("*chat*")] == []


async def test_older_pages_go_on_before_the_first_message(log, conversation):
    for number in range(1, 8):
        await log.append(conversation, post(f"r{number}", str(number)))
    newest = await log.page(conversation, before=None, count=3)
    assert [m.body["text"] for m in newest.messages] == ["5", "6", "7"]
    older = await log.page(conversation, before=newest.messages[0].number, count=3)
    assert ([m.body["text"] for m in older.messages], older.more) == (["2", "3", "4"], True)
    oldest = await log.page(conversation, before=older.messages[0].number, count=3)
    assert ([m.body["text"] for m in oldest.messages], oldest.more) == (["1"], False)


async def test_nobodys_message_takes_the_place_of_anothers(log, conversation):
    await log.append(conversation, said("same-id", "lin", "mine"))
    await log.append(conversation, said("same-id", "chen", "not yours"))
    await log.append(conversation, post("same-id", "an answer"))
    assert await texts(log, conversation) == ["mine", "not yours", "an answer"]


async def test_what_an_earlier_build_kept_is_in_the_history(log, conversation, stored):
    entries = (said("a", text="old"), post("r1", "before"), post("r1", "after", op="edit"))
    await stored(conversation, *entries)
    assert await texts(log, conversation) == ["old", "after"]
    # While processes of both builds write, nothing is left out.
    await stored(conversation, post("r2", "theirs"))
    await log.append(conversation, post("r3", "ours"))
    assert await texts(log, conversation) == ["old", "after", "theirs", "ours"]


async def test_only_so_much_is_kept_for_so_long(log, conversation, client, monkeypatch, stored):
    monkeypatch.setattr(chat, "CHAT_MESSAGES", 3)
    monkeypatch.setattr(chat, "CHAT_ENTRIES", 100)
    key = await stored(conversation, *(post(f"r{n}", str(n)) for n in range(299)))
    await log.append(conversation, post("r299", "299"))
    assert await texts(log, conversation) == ["297", "298", "299"]
    assert await client.xlen(key) < 300
    assert await client.hlen(f"{key}:now") == 3 + 2
    for name in (key, f"{key}:order", f"{key}:now"):
        assert 0 < await client.ttl(name) <= chat.CHAT_KEEP_S
    assert len({name async for name in client.scan_iter("*chat*")}) == 3
    # Who only reads it does not keep it.
    await client.expire(key, 60)
    await log.page(conversation, before=None, count=1)
    assert await client.ttl(key) <= 60


async def test_ten_thousand_messages_cost_a_page_no_more_than_a_hundred(redis):
    partitions = keys.Partitions(64)
    log = RedisChatLog(Scripts(redis), redis, partitions)

    async def calls(name: str, count: int) -> int:
        key = keys.chat(partitions.of_conversation(name), name)
        for start in range(0, count, 2000):
            numbers = range(start, start + 2000)[:count]
            await lay(redis, key, (post(f"r{n}", str(n)) for n in numbers))
            await log.page(name, before=None, count=1)
        await redis.config_resetstat()
        page = await log.page(name, before=count - 10, count=40)
        assert (len(page.messages), page.more) == (40, True)
        stats = await redis.info("commandstats")
        return sum(int(of["calls"]) for command, of in stats.items() if "config" not in command)

    few = await calls("web:local:short", 100)
    assert 40 < few < 100
    assert await calls("web:local:long", 10_000) <= few


async def test_a_persons_conversations_are_listed_the_newest_first(listed):
    for room in ("a", "b", "c"):
        await listed.note_message("lin", room, f"about {room}")
    await listed.note_message("lin", "a", "a later text is no title")
    await listed.note_message("chen", "d", "")
    found = await listed.list_newest("lin", before_us=None, count=2)
    assert [(one.conversation, one.title) for one in found] == [("a", "about a"), ("c", "about c")]
    rest = await listed.list_newest("lin", before_us=found[-1].at_us, count=5)
    assert [one.conversation for one in rest] == ["b"]
    assert [one.title for one in await listed.list_newest("chen", before_us=None, count=5)] == [""]
    await listed.note_message("chen", "d", "a title comes when it comes")
    (one,) = await listed.list_newest("chen", before_us=None, count=5)
    assert (one.title, one.seen) == ("a title comes when it comes", 0)
    await listed.mark_read("chen", "d", 7)
    await listed.note_message("chen", "d", "")
    (one,) = await listed.list_newest("chen", before_us=None, count=5)
    assert (one.seen, await listed.last_read("chen", "d"), await listed.last_read("lin", "d")) == (
        7,
        7,
        0,
    )


async def test_who_says_something_has_seen_all_of_it(log, listed):
    conversation = "web:local:ward-7"
    await listed.mark_read("chen", conversation, 1)
    for number in (1, 2):
        await log.append(conversation, post(f"r{number}", "an answer"))
    said = {"op": "said", "id": "m1", "person": "lin", "name": "Lin Yue", "text": "a word"}
    await log.append(conversation, said, listed=ListedFor("lin", "a word"))
    (one,) = await listed.list_newest("lin", before_us=None, count=5)
    assert (one.conversation, one.title, one.seen) == (conversation, "a word", 3)
    assert await log.newest([conversation]) == [3]
    assert await listed.list_newest("chen", before_us=None, count=5) == []
    assert await listed.last_read("chen", conversation) == 1
    await log.append(conversation, said | {"id": "m2"}, listed=ListedFor("lin", "no title now"))
    (one,) = await listed.list_newest("lin", before_us=None, count=5)
    assert (one.title, one.seen) == ("a word", 4)


async def test_the_list_forgets_what_is_too_old_or_too_much(client, listed, monkeypatch):
    monkeypatch.setattr(chat, "CONVERSATIONS", 2)
    key = keys.conversations("lin")
    for room in ("a", "b", "c"):
        await listed.note_message("lin", room, room)
        await listed.mark_read("lin", room, 1)
    await listed.note_message("lin", "c", "")
    newest = await listed.list_newest("lin", before_us=None, count=9)
    assert [one.conversation for one in newest] == ["c", "b"]
    await client.zadd(key, {"b": 1})
    await listed.note_message("lin", "c", "")
    assert await client.zrange(key, 0, -1) == ["c"]
    for name in (f"{key}:titles", f"{key}:seen"):
        assert await client.hkeys(name) == ["c"]
        assert 0 < await client.ttl(name) <= chat.CHAT_KEEP_S
    assert 0 < await client.ttl(key) <= chat.CHAT_KEEP_S


async def test_a_title_of_ones_own_stays(listed):
    await listed.note_message("lin", "a", "first")
    assert await listed.rename("lin", "a", "mine")
    await listed.note_message("lin", "a", "later")
    assert [one.title for one in await listed.list_newest("lin", before_us=None, count=5)] == [
        "mine"
    ]
    assert not await listed.rename("lin", "b", "not listed")
    assert not await listed.rename("chen", "a", "another's")
    assert await listed.list_newest("chen", before_us=None, count=5) == []


async def test_what_matches_is_found_further_down_and_in_pages(listed):
    for number in range(6):
        await listed.note_message("lin", f"room-{number}", "odd" if number % 2 else "even")

    async def find(before_us: int | None) -> list[tuple[str, int]]:
        found = await listed.list_newest(
            "lin", before_us=before_us, count=2, matches=lambda _, title: title == "odd"
        )
        return [(one.conversation, one.at_us) for one in found]

    first = await find(None)
    assert [name for name, _ in first] == ["room-5", "room-3"]
    assert [name for name, _ in await find(first[-1][1])] == ["room-1"]


async def test_what_is_forgotten_is_gone_and_told(listed, log, client, conversation, partitions):
    tag = keys.tag(partitions.of_conversation(conversation))
    await listed.note_message("lin", conversation, "a title")
    await listed.mark_read("lin", conversation, 1)
    await log.append(conversation, said("a", text="a secret"))
    await log.append(conversation, post("r1", "an answer"))
    for name in ("reply:r1", "row:r1", f"c:{conversation}:st"):
        await client.set(f"{tag}{name}", "a secret")
    await client.sadd(f"{tag}rows:r1", "r1")
    await client.set(f"{tag}reply:r2", "another's")
    drafts = Cursor(at="0")
    assert await listed.forget("lin", conversation, whole=True)
    (told,) = await log.read(conversation, "0", wait_s=1, drafts=drafts)
    assert told.body == {"op": "deleted"}
    assert await texts(log, conversation) == []
    assert await listed.list_newest("lin", before_us=None, count=5) == []
    assert 0 < await client.ttl(f"{tag}chat:{conversation}:draft") <= 60
    left = {name async for name in client.scan_iter() if not name.startswith("signoff:bell")}
    assert left == {f"{tag}chat:{conversation}:draft", f"{tag}reply:r2"}
    # What broke off after the transcript was deleted is done once more.
    await listed.note_message("lin", conversation, "again")
    assert await listed.forget("lin", conversation, whole=True)
    # Spoken in again, it begins anew.
    await log.append(conversation, said("b", text="anew"))
    assert await texts(log, conversation) == ["anew"]


@pytest.mark.parametrize(
    "unfinished", ["c:{}:cards", "c:{}:runs", "d:{}", "l:talk:{}:in", "l:control:{}:in"]
)
async def test_nothing_is_forgotten_where_something_is_unfinished(
    listed, log, client, conversation, partitions, unfinished
):
    tag = keys.tag(partitions.of_conversation(conversation))
    await listed.note_message("lin", conversation, "a title")
    await log.append(conversation, said("a", text="ask"))
    await client.set(tag + unfinished.format(conversation), "something")
    assert not await listed.forget("lin", conversation, whole=True)
    assert await texts(log, conversation) == ["ask"]
    assert len(await listed.list_newest("lin", before_us=None, count=5)) == 1
    # One's own list is one's own: others go on there.
    assert await listed.forget("lin", conversation, whole=False)
    assert await texts(log, conversation) == ["ask"]
    assert await listed.list_newest("lin", before_us=None, count=5) == []
