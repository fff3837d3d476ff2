"""Mail as a platform brings it and a worker handles it, over a store that is away at times."""

from contextlib import suppress

from adapters.redis.store import RedisMailbox
from engine.errors import StoreUnavailable
from engine.ports.storage.store import Claim, Effects

CONVERSATION = "web:local:moves"
LANE = f"talk:{CONVERSATION}"


async def handled(mailbox: RedisMailbox, wanted: int) -> set[str]:
    """The mail of all lanes, each committed; as often asked as a Cluster that changes needs."""
    found: set[str] = set()
    while len(found) < wanted:
        try:
            claims = (await mailbox.take(16)).claims
        except StoreUnavailable:
            continue
        for claim in claims:
            following: Claim | None = claim
            while following is not None:
                assert following.mail not in found
                found.add(following.mail)
                following = await again(mailbox, following)
    return found


async def again(mailbox: RedisMailbox, claim: Claim) -> Claim | None:
    """Commit, as a worker would whose store was away for a moment: under the same lease."""
    while True:
        try:
            return await mailbox.commit(claim, Effects(), pop=True)
        except StoreUnavailable:
            # Where keys are on their way, that is refused as well for as long.
            with suppress(StoreUnavailable):
                await mailbox.renew(claim)


async def put(mailbox: RedisMailbox, mail: str, lane: str = LANE) -> bool:
    return await mailbox.put(lane, mail, update_id=mail)


async def was_acknowledged(mailbox: RedisMailbox, mail: str) -> bool:
    """Whether it was put; a platform brings it again after each 503."""
    try:
        await put(mailbox, mail)
    except StoreUnavailable:
        return False
    return True
