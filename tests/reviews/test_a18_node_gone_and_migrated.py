"""A18: the waiting node is gone and the run is moved by force: asked again, or refused."""

from pathlib import Path

import pytest

from tests.fakes.study import visits_in
from tests.fakes.web_room import Message, WebRoom
from tests.reviews.test_a28_edited_after_an_approval import edited_to, form_of, stored
from tests.scenarios.conftest import Start
from tests.scenarios.test_reload_walk import looked
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_run_traces import Capture, moved, the_run
from tests.scenarios.test_web_walk import to_review

REVIEW = "skills/visit-review.yaml"


async def asked_again(room: WebRoom, old: Message) -> Message:
    message = await room.wait_for(
        lambda m: (
            bool(m["card"])
            and m["card"]["kind"] == "confirm"
            and not m["card"]["outcome"]
            and m["card"]["token"] != old["token"]
        )
    )
    card: Message = message["card"]
    return card


def renamed(playbooks: Path) -> None:
    change(playbooks, REVIEW, "start_node: approve", "start_node: second")
    change(playbooks, REVIEW, "    approve:\n      type", "    second:\n      type")
    change(playbooks, REVIEW, "on_fail: approve", "on_fail: second")


def narrowed(playbooks: Path) -> None:
    change(playbooks, REVIEW, "may_edit: [ecog, weight_kg, ", "may_edit: [ecog, ")


@pytest.mark.parametrize("changes", [renamed, narrowed])
async def test_a18_a_card_of_a_node_that_is_not_the_same_is_superseded_and_asked_again(
    start: Start, playbooks: Path, capsys: Capture, changes: object
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await the_run(service)
        await room.fill("wu", card, "edit", **form_of(card, weight_kg="72"))
        edited = await edited_to(room, "72 kg")
        assert callable(changes)
        changes(playbooks)
        await looked(service)
        assert service.parts.reloader.current.problems == ()
        status, told = await moved(service, run, capsys)
        assert (status, "visit-review/approve" in told["asks_again"]) == (0, True)
        again = await asked_again(room, card)
        status, answer = await room.tap("chen", edited, "approve")
        assert (answer["ok"], "更新的一张" in answer["text"]) == (False, True)
        status, answer = await room.fill("chen", edited, "edit", **form_of(edited, ecog="3"))
        assert (answer["ok"], "更新的一张" in answer["text"]) == (False, True)
        assert (await stored(service, card["token"])).status == "superseded"
        # Nobody approved the change of the old card: the new one shows what the run knows.
        assert "61.5 kg" in [row["value"] for row in again["rows"]]
        assert (await room.tap("wu", again, "approve"))[1]["ok"]
        await room.card("phase_done")
    visits = visits_in(service.parts.settings.data_dir, "P003")
    assert visits[-1].weight_kg == 61.5


@pytest.mark.parametrize(
    ("leaf", "fault"),
    [
        ("type: date", "ecog: should be text, not 2"),
        ("type: integer\n    maximum: 1", "ecog: should be at most 1, not 2"),
    ],
)
async def test_a18_a_run_whose_state_does_not_fit_is_refused_and_its_card_works_on(
    start: Start, playbooks: Path, capsys: Capture, leaf: str, fault: str
) -> None:
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        card = await to_review(room)
        run = await the_run(service)
        before = "type: integer\n    minimum: 0\n    maximum: 5\n    cues: [ecog]"
        change(playbooks, "playbook.yaml", before, f"{leaf}\n    cues: [ecog]")
        for name in ("skills/visit-check.yaml", REVIEW):
            change(playbooks, name, '{"<=": [0, {var: ecog}, 5]}', '{"!!": [{var: ecog}]}')
        await looked(service)
        assert service.parts.reloader.current.problems == ()
        status, told = await moved(service, run, capsys)
        assert (status, told["faults"]) == (1, [fault])
        assert (await stored(service, card["token"])).status == "open"
        await room.fill("wu", card, "edit", **form_of(card, ecog="1"))
        assert (await room.tap("chen", await edited_to(room, "1"), "approve"))[1]["ok"]
        await room.card("phase_done")
