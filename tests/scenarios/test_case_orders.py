"""Letters of three requests of a case, over 64 partitions: late, twice, carried by who dies."""

import asyncio
import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as rules
from hypothesis import strategies as st
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.settings import Settings
from engine.frames.case import CaseDocument
from engine.ports.storage.outbox import OutboxRow
from tests.fakes.crank import Crank, cranked
from tests.fakes.feast import BY_FEAST, write_feast
from tests.fakes.settings import make_settings

EXAMPLES, STEPS = 5, 40
PEOPLE = ("ida", "otto", "ida")
ONCE = rules(
    max_examples=EXAMPLES,
    deadline=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


def kitchen(redis_server: EmbeddedServer, home: Path) -> Settings:
    """A kitchen whose cases are its feasts, over 64 partitions."""
    folder = write_feast(home / "kitchen", BY_FEAST)
    return make_settings(
        redis_url=redis_server.url,
        data_dir=home / "data",
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="KITCHEN",
        languages=("en",),
        partitions=64,
    )


class Post:
    """Who carries letters by hand, and may end in between."""

    def __init__(self, crank: Crank) -> None:
        self.crank = crank
        self.store = crank.parts.store
        self.carried: list[dict[str, Any]] = []

    async def carry(self, *, dies: bool = False) -> bool:
        """What is due; who dies has put the letters, and noted nothing. Whether there was any."""
        rows, _ = await self.store.outbox.take_rows(16)
        for row in rows:
            current: Any = row
            while isinstance(current, OutboxRow):
                if current.kind == "letter":
                    self.carried.append(json.loads(current.body))
                    await self.put(self.carried[-1], self.carried[-1]["key"])
                current = None if dies else await self.store.outbox.sent(current, "1")
        return bool(rows)

    async def put(self, letter: dict[str, Any], key: str) -> None:
        await self.store.mailbox.put(letter["lane"], letter["mail"], update_id=key)

    async def die_at_work(self) -> None:
        """A mail is handled, and its worker ends before the commit."""
        claim = await self.crank.take()
        if claim is not None:
            await self.crank.worked(claim)

    def later(self) -> None:
        """Leases of who died are over."""
        self.crank.later(self.crank.parts.settings.lease_s + 1)

    async def all(self) -> None:
        """Everything, by who does not die."""
        self.later()
        while await self.crank.turn() or await self.carry():
            pass


async def begin(post: Post, feast: str) -> None:
    """Each asks, and each adds a row of their own to the list."""
    crank, forms = post.crank, []
    for number, person in enumerate(PEOPLE):
        await crank.say(person, "add to the shopping", f"{feast}-{number}")
        await post.all()
        forms.append(await crank.card(f"{feast}-{number}"))
    for number, (person, form) in enumerate(zip(PEOPLE, forms, strict=True)):
        row = f"item{number} | {number + 1}"
        await crank.fill(person, form, "submit", {"feast": feast, "shopping": row})


async def live(crank: Crank, feast: str, data: st.DataObject) -> None:
    post = Post(crank)
    await begin(post, feast)
    for step in range(data.draw(st.integers(5, STEPS))):
        match data.draw(st.sampled_from(["work", "die at work", "carry", "die", "late", "again"])):
            case "work":
                await crank.turn()
            case "die at work":
                await post.die_at_work()
            case "carry" | "die" as way:
                await post.carry(dies=way == "die")
            case "late":
                post.later()
            case _ if post.carried:
                # As long after the first that its key is forgotten.
                letter = data.draw(st.sampled_from(post.carried))
                await post.put(letter, f"{letter['key']}/{feast}/{step}")
    await post.all()
    await post.all()
    stored = await crank.parts.services.cases.read(f"KITCHEN/feast/feast/{feast}")
    case = CaseDocument.model_validate_json(stored)
    shopping = case.values["shopping"]
    assert isinstance(shopping, tuple)
    assert sorted(str(row["item"]) for row in shopping) == ["item0", "item1", "item2"]
    assert [run.end for run in case.runs] == ["done"] * len(PEOPLE)
    assert case.version == sum(case.taken.values())


def test_whoever_dies_with_letters_of_a_case_each_change_is_there_once(
    redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    settings = kitchen(redis_server, tmp_path)
    feasts = iter(range(1, 9999))

    @seed(7)
    @ONCE
    @given(st.data())
    def lives(data: st.DataObject) -> None:
        runner.run(live(crank, f"F-{next(feasts)}", data))

    async def empty() -> None:
        async with Redis.from_url(redis_server.url) as client:
            await client.flushall()

    with asyncio.Runner() as runner:
        runner.run(empty())
        opened = cranked(settings)
        crank = runner.run(opened.__aenter__())
        try:
            lives()
        finally:
            runner.run(opened.__aexit__(None, None, None))


async def test_a_request_waits_for_letters_of_its_conversation_that_are_under_way(
    redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    async with cranked(kitchen(redis_server, tmp_path)) as crank:
        post = Post(crank)
        await crank.say("ida", "count the guests")
        await post.all()
        form = await crank.card()
        await crank.fill("ida", form, "submit", {"feast": "F-7", "guests": "80", "hall": "Blue"})
        await crank.still()
        carried = len(post.carried)
        await crank.say("otto", "choose the menu for F-7")
        await crank.still()
        assert not await crank.cards(), "nothing is asked before the case has been heard"
        await post.all()
        changes = [letter for letter in post.carried[carried:] if "Blue" in letter["mail"]]
        assert changes, "what was filled in was still under way"
        asked = await crank.card()
        fields = {field.name for choice in asked.choices for field in choice.form}
        assert "menu" in fields
        assert "hall" not in fields
