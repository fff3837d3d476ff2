"""The open cards of a reply, beside what another version of the service has stored."""

from datetime import UTC, datetime
from pathlib import Path

from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions, RedisMailbox
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.reply_cards import ReplyCards
from cards.model import Principal
from engine.frames.replies import ReplyHead
from engine.ports.pages import ReplyCardsPage
from engine.ports.storage.store import CardWrite, Effects, ReplyWrite
from tests.contracts.given import card_for, claim_one, open_card
from tests.fakes.settings import load_people

PEOPLE = "roles: []\npeople:\n  - {id: lin, name: Lin}\n"
ROOM = "web:local:main"


async def test_a_run_that_cannot_be_read_here_hides_no_card_of_the_reply(
    redis: Redis, tmp_path: Path
) -> None:
    (tmp_path / "people.yaml").write_text(PEOPLE, "utf-8")
    partitions, scripts = Partitions(1), Scripts(redis)
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=redis)
    cards = ReplyCards(
        RedisDecisions(scripts, partitions),
        Localizer(load_people(tmp_path / "people.yaml"), "Europe/Berlin"),
    )
    # Its run is stored as `{}`, which no version that is known here wrote.
    await open_card(mailbox, partitions, ROOM)
    reply = partitions.new_id(ROOM)
    head = ReplyHead(
        id=reply,
        conversation=ROOM,
        lang="en",
        principal=Principal(id="lin", name="Lin"),
        text="hello",
        at=datetime(2026, 11, 21, tzinfo=UTC),
    )
    asks = card_for("", partitions.new_id(ROOM), ROOM, reply=reply)
    await mailbox.put(f"talk:{ROOM}", "mail", update_id="u")
    effects = Effects(
        reply=ReplyWrite(id=reply, head=head.model_dump_json(), parts=()),
        cards=(CardWrite(asks),),
    )
    await mailbox.commit(await claim_one(mailbox), effects, pop=True)
    assert [card.token for card, _ in (await cards(reply, ROOM)).cards] == [asks.token]
    assert await cards(reply, "web:local:other") == ReplyCardsPage()
    other = partitions.new_id(ROOM)
    await mailbox.put(f"talk:{ROOM}", "mail", update_id="v")
    unread = Effects(reply=ReplyWrite(id=other, head="{}", parts=()))
    await mailbox.commit(await claim_one(mailbox), unread, pop=True)
    assert await cards(other, ROOM) == ReplyCardsPage()
    await scripts.drain()
