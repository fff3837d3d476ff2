"""A worker leaves alone what a newer build wrote, for a while; then it is told as unreadable."""

import asyncio
import json
from typing import Any, cast

import pytest
from pydantic import ValidationError

from adapters.redis.keys import Partitions
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisMailbox
from bot.serve.work.lanes import LaneLoop, NewerBuildPatience
from bot.serve.work.results import HandlerResult
from cards.frozen import is_by_newer
from cards.model import Principal
from engine.errors import NewerState
from engine.events import Actor, MessageReceived
from engine.mail import Mail, MessageArrived, RunContinued, parse_mail
from engine.ports.meter import NO_METER
from engine.ports.storage.store import AsideWrite, Claim, Effects

UPDATE = MessageReceived(
    id="u1",
    conversation="web:local:room",
    actor=Actor(platform="web", workspace="local", user="lin"),
    text="hello",
)
SAID = MessageArrived(update=UPDATE, principal=Principal(id="lin", name="Lin", roles=("crc",)))


@pytest.mark.parametrize("mail", [SAID, RunContinued()])
def test_mail_is_stored_without_what_is_as_by_default(mail: Mail) -> None:
    held = json.loads(mail.stored())
    assert parse_mail(mail.stored()) == mail
    assert held["kind"] == mail.kind
    assert "zone" not in held.get("principal", {})


@pytest.mark.parametrize(
    ("body", "newer"),
    [
        ({**SAID.model_dump(), "later": 1}, True),
        ({**SAID.model_dump(), "principal": {"id": "lin", "name": "Lin", "later": 1}}, True),
        ({"kind": "of_later"}, True),
        ({"kind": "said"}, False),
        ([], False),
    ],
)
def test_a_field_or_kind_that_is_not_known_here_is_of_a_newer_build(body: Any, newer: bool) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_mail(json.dumps(body))
    assert is_by_newer(caught.value) is newer


class Older:
    """Handling that can read nothing of what is there."""

    async def handle(self, claim: Claim, progress: object) -> HandlerResult:
        """Never."""
        raise NewerState(claim.lane)

    async def give_up(self, claim: Claim) -> HandlerResult:
        """Sets it aside."""
        return HandlerResult(
            Effects(aside=(AsideWrite(claim.lane, claim.mail, "nobody can read it"),))
        )


async def test_it_stays_where_it_is_without_counting_until_the_patience_is_over(
    scripts: Scripts, partitions: Partitions, conversation: str
) -> None:
    now = [0.0]
    mailbox = RedisMailbox(scripts, partitions, lease_s=30, bell=scripts.client)
    lanes = LaneLoop(
        mailbox,
        cast(Any, Older()),
        limit=1,
        lease_s=30,
        typing_platform=lambda conversation: None,
        on_commit=lambda effects: None,
        meter=NO_METER,
        patience=NewerBuildPatience(300, lambda: now[0]),
    )
    lane = f"talk:{conversation}"
    await mailbox.put(lane, "of a newer build", update_id="a")
    for moment in (0.0, 299.0, 301.0):
        now[0] = moment
        (claim,) = (await mailbox.take(1)).claims
        assert (claim.attempts, claim.mail) == (1, "of a newer build")
        await lanes._handle_in_order(claim, _stopped())
        assert (await mailbox.take(1)).claims == ()
        scripts.offset_ms += 5_000
    assert (await mailbox.take(1)).claims == ()


def _stopped() -> Any:
    stop = asyncio.Event()
    stop.set()
    return stop
