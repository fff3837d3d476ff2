"""Faults of ours, of a platform or of stored data hold up one thing, and never the service."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession

from bot.serve.delivery.carriers import ChangeCarrier
from bot.serve.delivery.delivery import Delivery
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.pacing import Throttle
from bot.serve.work.handler import MailHandler, Progress
from bot.serve.work.lanes import ATTEMPTS, LaneLoop
from bot.serve.work.results import HandlerResult
from bot.settings import Settings
from bot.wiring.service import Parts, open_parts
from cards.showing.view import MessageView, PartView
from cards.texts import say
from engine.errors import PlatformError
from engine.frames.state import Run
from engine.mail import RunResumed
from engine.ports.platform import Pace
from engine.ports.storage.operations import MailAside
from engine.ports.storage.store import Claim, Effects, Post
from tests.fakes.platforms.patience import START_S, until, within
from tests.fakes.stored import read_body
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_web_walk import to_review

NewSettings = Callable[..., Settings]


class Wall:
    """A platform that refuses some texts: with its own error, or with one of ours."""

    name = "web"
    overall = Pace()

    def __init__(self, errors: dict[str, Exception]) -> None:
        self.errors = errors
        self.shown: list[str] = []
        self.tried: list[str] = []
        self.mute = False
        self._changed = asyncio.Condition()

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        text = view.parts[0].text
        async with self._changed:
            self.tried.append(text)
            self._changed.notify_all()
            if self.mute:
                await asyncio.get_running_loop().create_future()
            if text in self.errors:
                raise self.errors[text]
            self.shown.append(text)
            self._changed.notify_all()
        return key

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        return await self.send(conversation, view, key=message_id)

    def pace(self, conversation: str) -> Pace:
        return Pace()

    async def link(self, conversation: str, message_id: str) -> str:
        return ""

    async def typing(self, conversation: str) -> None:
        return

    async def wait_until_tried(self, text: str, *, times: int) -> None:
        async with (
            within(START_S, f"{text!r} is tried {times} times", lambda: str(self.tried)),
            self._changed,
        ):
            await self._changed.wait_for(lambda: self.tried.count(text) >= times)

    async def wait_until_shown(self, text: str) -> None:
        async with within(START_S, f"{text!r} is shown", lambda: str(self.shown)), self._changed:
            await self._changed.wait_for(lambda: text in self.shown)


def note(text: str, conversation: str) -> Post:
    view = MessageView(lang="en", parts=(PartView(number=0, state="answered", text=text),))
    row = f"note-{text}"
    return Post(
        row=row, conversation=conversation, kind="note", ref=row, body=view.model_dump_json()
    )


async def post(parts: Parts, *posts: Post) -> None:
    await parts.store.mailbox.put("control:web:local:main", "x", update_id="posts")
    (claim,) = (await parts.store.mailbox.take(1)).claims
    await parts.store.mailbox.commit(claim, Effects(posts=posts), pop=True)


@asynccontextmanager
async def delivering(parts: Parts, platform: Wall, *, lease_s: float = 30.0):
    delivery = Delivery(
        parts.store.outbox,
        {"web": platform},
        parts.services.clock,
        carriers=(
            ChangeCarrier(
                parts.store.outbox, parts.store.mailbox, parts.resources.record, lease_s=lease_s
            ),
        ),
        rate=parts.store.rate,
        localizer=Localizer(parts.resources.people, "Asia/Shanghai"),
        reply_after_s=0,
        lease_s=lease_s,
        meter=parts.telemetry.meter,
    )
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(delivery.run(stop))
        yield
        stop.set()
        delivery.wake()


@pytest.mark.parametrize("error", [KeyError("fault of ours"), PlatformError("invalid_blocks")])
async def test_a_message_that_cannot_be_shown_holds_up_nobody_else(
    new_settings: NewSettings, error: Exception
) -> None:
    async with open_parts(new_settings()) as parts:
        wall = Wall({"bad": error})
        here, there = "web:local:here", "web:local:there"
        await post(parts, note("bad", here), note("other chat", there))
        async with delivering(parts, wall):
            await wall.wait_until_shown("other chat")


async def test_what_a_platform_refuses_in_any_form_is_dropped_and_the_next_message_is_shown(
    new_settings: NewSettings,
) -> None:
    async with open_parts(new_settings()) as parts:
        line = say("unshown.command", "en", link="", command="/runs")
        wall = Wall(dict.fromkeys(("bad", line), PlatformError("invalid_blocks")))
        here = "web:local:here"
        await post(parts, note("bad", here), note("next", here))
        async with delivering(parts, wall):
            await wall.wait_until_shown("next")
        assert wall.tried == [*["bad"] * 4, line, "next"]
        await parts.telemetry.meter.share()
        counted = {
            n[2]: x for n, x in (await parts.store.numbers.counts()).items() if n[0] == "refused"
        }
        assert counted == dict.fromkeys(("ok", "plain", "pieces", "file", "line"), 1)
        rows = await parts.store.client.keys("*:row:note-bad")
        assert await parts.store.client.hget(rows[0], "dropped") == "invalid_blocks"


async def test_a_send_without_an_answer_is_over_before_another_may_repeat_it(
    new_settings: NewSettings,
) -> None:
    async with open_parts(new_settings()) as parts:
        wall = Wall({})
        wall.mute = True
        here = "web:local:here"
        await post(parts, note("unheard", here))
        async with delivering(parts, wall, lease_s=0.1):
            await wall.wait_until_tried("unheard", times=2)
            wall.mute = False
            await wall.wait_until_shown("unheard")


async def test_all_workers_together_keep_to_what_a_platform_takes(
    new_settings: NewSettings,
) -> None:
    async with open_parts(new_settings()) as parts:
        wall = Wall({})
        wall.overall = Pace(every_s=1000.0, burst=10)
        workers = [Throttle(parts.store.rate) for _ in range(2)]
        passing = [asyncio.create_task(w.wait_turn(wall)) for w in workers for _ in range(10)]
        async with within(START_S, "ten have their turn"):
            while sum(task.done() for task in passing) < 10:
                await asyncio.wait(
                    [task for task in passing if not task.done()],
                    return_when=asyncio.FIRST_COMPLETED,
                )
        assert await parts.store.rate.ask("web", wall.overall, 1) > 900
        assert await parts.store.rate.ask("another", wall.overall, 10) == 0
        assert sum(task.done() for task in passing) == 10
        for task in passing:
            task.cancel()


@pytest.mark.parametrize("per_s", [1, 4])
async def test_a_slow_overall_pace_lets_messages_pass(
    new_settings: NewSettings, per_s: int
) -> None:
    async with open_parts(new_settings()) as parts, within(START_S, "it has its turn"):
        wall = Wall({})
        wall.overall = Pace(every_s=1 / per_s, burst=per_s)
        await Throttle(parts.store.rate).wait_turn(wall)
        assert await parts.store.rate.ask("web", wall.overall, per_s) > 0


async def test_mail_that_ends_its_worker_again_and_again_is_given_up_and_said(
    start: Start, new_settings: NewSettings
) -> None:
    async with open_parts(new_settings(lease_s=1)) as parts:
        service_room = "web:local:main"
        await parts.store.mailbox.put(f"talk:{service_room}", SAID, update_id="poison")
        for _ in range(ATTEMPTS):
            # Taken, and never heard of again.
            (claim,) = (await parts.store.mailbox.take(1)).claims
            parts.store.scripts.offset_ms += 2_000
        assert claim.attempts == ATTEMPTS
    service = await start(lease_s=1)
    service.parts.store.scripts.offset_ms = ATTEMPTS * 2_000
    async with WebRoom(service.url) as room:
        message = await room.wait_for(lambda m: bool(m["parts"]))
        assert message["parts"][0]["state"] == "failed"
        await room.say("lin", "P003 的 ECOG")
        await room.wait_for(lambda m: "2026-10-28" in text_of(m))
        (kept,) = await service.parts.store.operations.waiting()
        assert isinstance(kept, MailAside)
        assert await metric(service, "signoff_aside") == 1
        # What ended its workers is mended: an operator has the message handled after all.
        assert await service.parts.store.operations.retry(kept.name, RESUMED)
        await room.wait_for(lambda m: "P001" in text_of(m) and part_state(m) == "answered")
        assert await metric(service, "signoff_aside") == 0


async def metric(service: Service, name: str) -> float:
    async with ClientSession() as session, session.get(f"{service.url}/metrics") as answer:
        assert answer.status == 200
        lines = (await answer.text()).splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))


def part_state(message: Message) -> str:
    return str(message["parts"][0]["state"]) if message["parts"] else ""


RESUMED = RunResumed().model_dump_json()
SAID = (
    '{"kind":"said","update":{"kind":"message","id":"poison","conversation":"web:local:main",'
    '"actor":{"platform":"web","workspace":"local","user":"lin","name":"Lin"},"text":'
    '"P001 的 ECOG"},'
    '"principal":{"id":"lin","name":"Lin","roles":[]}}'
)


@pytest.fixture
def nothing_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time in which a newer process may come is over."""
    monkeypatch.setattr("bot.wiring.work.NEWER_BUILD_WAIT_S", 0.0)


@pytest.mark.usefixtures("nothing_newer")
async def test_mail_that_nobody_can_read_is_set_aside_and_the_lane_goes_on(start: Start) -> None:
    service = await start()
    await service.parts.store.mailbox.put(
        "talk:web:local:main", '{"kind":"later"}', update_id="odd"
    )
    async with WebRoom(service.url) as room:
        await room.say("lin", "P003 的 ECOG")
        await room.wait_for(lambda m: "2026-10-28" in text_of(m))
    (kept,) = await service.parts.store.operations.waiting()
    assert isinstance(kept, MailAside)
    assert (kept.lane, kept.mail) == ("talk:web:local:main", '{"kind":"later"}')


async def test_a_blocked_run_keeps_the_decision_and_costs_nothing(start: Start) -> None:
    service = await start()
    client = service.parts.store.client
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        (run_id, body), *_ = await service.parts.services.decisions.active_runs("web:local:main")
        lost = Run.model_validate_json(body).model_copy(update={"digest": "0" * 64})
        (key,) = await client.keys(f"*:run:{run_id}")
        await client.hset(key, "body", lost.model_dump_json())
        await room.tap("chen", card, "approve")
        await room.wait_for(lambda m: "找不到启动时的流程版本" in text_of(m))
        (inbox,) = await client.keys(f"*:l:run:{run_id}:in")
        assert "card_decided" in (await client.lrange(inbox, 0, -1))[0]
        (log,) = await client.keys(f"*:log:{run_id}")
        entries = await client.llen(log)
        # Another message is handled meanwhile; the blocked run is not looked at again.
        await room.say("lin", "P003 的 ECOG")
        await room.wait_for(lambda m: len(m["parts"]) == 1 and "2026-10-28" in text_of(m))
        assert await client.llen(log) == entries
        assert await metric(service, "signoff_blocked") == 1
        # The playbook is found again: an operator lets the run go on with the decision it kept.
        (waiting,) = await service.parts.store.operations.waiting()
        assert waiting.name == run_id
        stopped = Run.model_validate_json(await read_body(client, key))
        digest = Run.model_validate_json(body).digest
        found = stopped.model_copy(update={"digest": digest})
        await client.hset(key, "body", found.model_dump_json())
        assert await service.parts.store.operations.retry(run_id, RESUMED)
        await room.card("phase_done")
        assert await metric(service, "signoff_blocked") == 0


@pytest.mark.usefixtures("nothing_newer")
async def test_a_run_of_a_newer_version_is_left_alone_and_said(start: Start) -> None:
    service = await start()
    client = service.parts.store.client
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        (run_id, body), *_ = await service.parts.services.decisions.active_runs("web:local:main")
        newer = body.replace('"schema_version":1', '"schema_version":2', 1)
        (key,) = await client.keys(f"*:run:{run_id}")
        await client.hset(key, "body", newer)
        await room.tap("chen", card, "approve")
        await room.wait_for(lambda m: "更新的版本" in text_of(m))
        assert await client.hget(key, "body") == newer
        await room.say("lin", "/runs")
        await room.wait_for(lambda m: "没有进行中" in text_of(m))


async def test_many_lanes_at_once_end_when_they_are_told_to(new_settings: NewSettings) -> None:
    """A cancellation that a client library swallows must not keep a lane for ever."""
    async with open_parts(new_settings()) as parts:
        together = asyncio.Barrier(16)

        class Slow(MailHandler):
            async def handle(self, claim: Claim, progress: Progress) -> HandlerResult:
                # Until all of them are at work, which takes longer than a renewal.
                await together.wait()
                return HandlerResult(Effects())

        fields = {name: getattr(parts.handler, name) for name in parts.handler.__slots__}
        for n in range(64):
            lane = f"talk:web:local:room{n}"
            # What one person says is worked on in turn.
            said = SAID.replace('"id":"lin"', f'"id":"person {n}"')
            await parts.store.mailbox.put(lane, said, update_id=f"u{n}")
        lanes = LaneLoop(
            parts.store.mailbox,
            Slow(**fields),
            limit=16,
            lease_s=0.003,
            typing_platform=lambda conversation: parts.resources.platforms["web"],
            on_commit=lambda effects: None,
            meter=parts.telemetry.meter,
        )
        stop = asyncio.Event()

        async def handled() -> bool:
            return not await parts.store.client.keys("*:l:talk:*:in")

        async with asyncio.TaskGroup() as group:
            group.create_task(lanes.run(stop))
            await until(handled)
            stop.set()
            lanes.wake()
        assert (await parts.store.operations.backlog()).lanes == 0
