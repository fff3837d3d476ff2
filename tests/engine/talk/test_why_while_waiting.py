"""`/why` of a message that the conversation has not handled: that it waits, and what is in it."""

from cards.model import Principal
from engine.events import Actor, CommandGiven, MessageReceived
from engine.mail import CommandArrived, MessageArrived
from engine.talk.last_message import why_text
from tests.fakes.services import services_of

LIN = Principal(id="lin", name="Lin")
MAX = Principal(id="max", name="Max")
AT = "web:site:room"


def message(number: int, text: str, of: Principal = LIN) -> str:
    actor = Actor(platform="web", workspace="site", user=of.id, name=of.name)
    update = MessageReceived(id=f"web:{number}", conversation=AT, actor=actor, text=text)
    return MessageArrived(update=update, principal=of).model_dump_json()


class NoReplies:
    """Decisions of a conversation in which nothing was answered."""

    async def reply(self, reply_id: str) -> tuple[str, tuple[str, ...]] | None:
        return None


async def why(*mails: str, last: str = "") -> str:
    """What Lin is told while these mails wait."""

    async def waiting(lane: str) -> tuple[str, ...]:
        assert lane == f"talk:{AT}"
        return mails

    def derived_id(*seeds: str) -> str:
        return "/".join(seeds[1:])

    services = services_of(waiting=waiting, derived_id=derived_id, decisions=NoReplies())
    actor = Actor(platform="web", workspace="site", user="lin", name="Lin")
    asked = CommandGiven(id="web:9", conversation=AT, actor=actor, name="why", text="")
    return await why_text(CommandArrived(update=asked, principal=LIN), last, "en", services)


async def test_a_message_that_waits_is_told_with_how_many_are_before_it() -> None:
    told = await why(message(1, "hello", MAX), message(2, "once Wu agrees, order the pump"))
    assert "“once Wu agrees, order the pump” is not handled yet; messages before it: 1." in told
    assert "“once” makes a condition." in told


async def test_the_newest_of_several_that_wait_is_told() -> None:
    told = await why(message(1, "order a pump"), message(2, "order a valve"))
    assert "“order a valve” is not handled yet; messages before it: 1." in told


async def test_what_others_wrote_is_not_told_nor_what_is_answered_already() -> None:
    nothing = "I have read no message of yours here"
    assert (await why(message(1, "hello", MAX))).startswith(nothing)
    answered = await why(message(1, "hello"), last="reply/web:1")
    assert "not handled yet" not in answered


async def test_mail_of_a_kind_that_this_version_does_not_know_is_passed_over() -> None:
    told = await why('{"kind": "of tomorrow"}', message(1, "order a pump"))
    assert "“order a pump” is not handled yet; messages before it: 1." in told
