"""Playbooks change under a running service: what was begun ends as it began."""

from collections.abc import Callable
from pathlib import Path

from structlog.testing import capture_logs

from adapters.redis import keys
from bot.settings import Settings
from tests.fakes.platforms.patience import until
from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start, running, runs_in
from tests.scenarios.test_did_you_mean import VISIT, part_is
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_web_walk import ASK, GOOD, to_review

COMPLETE = "录入 P002 今天的访视,ECOG 1,体重 60,血压 120/80"
CHAIN = "录入 P003 今天的访视,然后查一下 P003 的 ECOG,如果有变化,再录入 P002 今天的访视"
OLD, NEW = "访视已录入", "改过的标题"


async def looked(service: Service) -> None:
    """What the service does every two seconds, as often as a change needs."""
    await service.parts.reloader.check()
    await service.parts.reloader.check()


async def ends_as(room: WebRoom, review: Message, title: str) -> None:
    """The visit is approved, and the last card has this title."""
    await room.tap("chen", review, "approve")
    assert (await room.card("phase_done"))["title"] == title


async def test_a17_a_run_that_waits_keeps_its_version_and_the_next_has_the_new(
    start: Start, playbooks: Path
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url, "old") as old, WebRoom(service.url, "new") as new:
        await old.say("lin", ASK["zh"])
        form = await old.card("clarify")
        change(playbooks, "playbook.yaml", OLD, NEW)
        await looked(service)
        await new.say("lin", COMPLETE)
        await ends_as(new, await new.card("confirm"), NEW)
        await old.fill("lin", form, "submit", **GOOD)
        await ends_as(old, await old.card("confirm"), OLD)


async def test_nobody_has_to_tell_the_service_to_look(start: Start, playbooks: Path) -> None:
    service = await start(playbooks=playbooks)
    current, client = service.parts.reloader.current, service.parts.store.client
    before = await client.get(keys.CURRENT)
    change(playbooks, "playbook.yaml", OLD, NEW)
    await until(lambda: current.snapshot.pointer.model_dump_json() != before)
    assert await client.get(keys.CURRENT) == current.snapshot.pointer.model_dump_json()
    assert current.snapshot.table.learned


async def test_a_broken_folder_is_refused_and_the_service_goes_on(
    start: Start, playbooks: Path
) -> None:
    service = await start(playbooks=playbooks)
    change(playbooks, "playbook.yaml", OLD, NEW)
    change(playbooks, "skills/visit-review.yaml", "start_node: approve", "start_node: nowhere")
    with capture_logs() as lines:
        await looked(service)
    told = [line["problem"] for line in lines if line["event"] == "playbooks_refused"]
    assert "nowhere" in told[0]
    async with WebRoom(service.url, "one") as one, WebRoom(service.url, "two") as two:
        await ends_as(one, await to_review(one), OLD)
        change(playbooks, "skills/visit-review.yaml", "start_node: nowhere", "start_node: approve")
        await looked(service)
        await two.say("lin", COMPLETE)
        await ends_as(two, await two.card("confirm"), NEW)


async def test_a_playbook_that_is_gone_starts_nothing_and_its_runs_still_end(
    start: Start, playbooks: Path
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url, "old") as old, WebRoom(service.url, "new") as new:
        review = await to_review(old)
        (playbooks / "clinical_qc" / "playbook.yaml").unlink()
        await looked(service)
        await new.say("lin", COMPLETE)
        await new.wait_for(lambda m: all(p["state"] != "working" for p in m["parts"]))
        assert await runs_in(service, new) == 0
        assert "访视录入" not in text_of(new.shown)
        await ends_as(old, review, OLD)
    assert visits_in(service.parts.settings.data_dir, "P003")[-1].ecog == 2


async def test_what_waits_to_begin_says_that_its_playbook_is_gone(
    start: Start, playbooks: Path
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url, "chain") as chain, WebRoom(service.url, "choice") as choice:
        await chain.say("lin", CHAIN)
        form = await chain.card("clarify")
        await choice.say("lin", VISIT)
        asked = await choice.card("select")
        (playbooks / "clinical_qc" / "playbook.yaml").unlink()
        await looked(service)
        await choice.tap("lin", asked, "1")
        await choice.wait_for(part_is("failed", "已经撤下了"))
        await chain.fill("lin", form, "submit", **GOOD)
        await ends_as(chain, await chain.card("confirm"), OLD)
        await chain.wait_for(part_is("failed", "已经撤下了"))
        assert await runs_in(service, choice) == 0


async def test_a_start_with_new_playbooks_ends_a_run_of_the_old(
    new_settings: Callable[..., Settings], playbooks: Path
) -> None:
    async with running(new_settings(playbooks=playbooks)) as before, WebRoom(before.url) as room:
        await room.say("lin", ASK["zh"])
        form = await room.card("clarify")
        change(playbooks, "playbook.yaml", OLD, NEW)
        await looked(before)
    async with running(new_settings(playbooks=playbooks)) as after, WebRoom(after.url) as room:
        await room.fill("lin", form, "submit", **GOOD)
        await ends_as(room, await room.card("confirm"), OLD)


async def test_a_second_service_over_an_unchanged_folder_follows_the_first(
    start: Start, playbooks: Path
) -> None:
    first, second = await start(playbooks=playbooks), await start()
    async with WebRoom(first.url, "old") as old, WebRoom(second.url, "new") as new:
        await old.say("lin", ASK["zh"])
        form = await old.card("clarify")
        change(playbooks, "playbook.yaml", OLD, NEW)
        await looked(first)
        await looked(second)
        assert (
            second.parts.reloader.current.snapshot.pointer
            == first.parts.reloader.current.snapshot.pointer
        )
        await new.say("lin", COMPLETE)
        await ends_as(new, await new.card("confirm"), NEW)
        await old.fill("lin", form, "submit", **GOOD)
        await ends_as(old, await old.card("confirm"), OLD)
