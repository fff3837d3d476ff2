"""Several jobs ask at the same time: each answer reaches the job that asked (A30)."""

from itertools import permutations

import pytest

from tests.engine.jobs.test_job_graph_walk import tree
from tests.fakes.job_playbook import TeamModel, job, plan, says
from tests.fakes.model_server import ModelServer
from tests.fakes.team_server import TeamScript
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Start, nothing_goes_on
from tests.scenarios.test_model_walk import settings

NAMES = ("dates", "values", "counts")
THREE = plan(*map(job, NAMES), job("report", "statistics", *NAMES))


def asking() -> dict[str, list[str]]:
    """Each of the three asks once, and then is done."""
    return {name: [says(None, question=f"What of {name}?")] for name in NAMES}


@pytest.mark.parametrize("order", list(permutations(NAMES)))
async def test_a30_answers_in_any_order_reach_their_own_jobs(order: tuple[str, ...]) -> None:
    lines = {name: [*first, says("SUCCESS", f"done {name}")] for name, first in asking().items()}
    model = TeamModel({"leader": [THREE], "report": [says("SUCCESS", "report")], **lines})
    walk = await tree(model).start()
    cards = {name: c for c in walk.open_cards() for name in NAMES if f"of {name}?" in c.text}
    assert len(cards) == len(walk.open_cards()) == 3
    for name in order:
        await walk.answer(cards[name], "submit", answer=f"answer for {name}")
        await walk.go_on()
    assert walk.root.status == "completed"
    for name in NAMES:
        heard = model.told(name)
        assert [other for other in NAMES if f"answer for {other}" in heard] == [name]


async def test_a30_through_the_service_answered_in_reverse(start: Start) -> None:
    script = TeamScript(asking(), team=THREE)
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", "prepare a monitoring report for P003")
            cards = [await _card(room, name) for name in reversed(NAMES)]
            for name, card in zip(reversed(NAMES), cards, strict=True):
                status, told = await room.fill("lin", card, "submit", answer=f"answer for {name}")
                assert (status, told["ok"]) == (200, True)
            await room.card("phase_done")
        await nothing_goes_on(service)
    for name in NAMES:
        heard = script.told[name]
        assert [other for other in NAMES if f"answer for {other}" in heard] == [name]


async def _card(room: WebRoom, name: str) -> Message:
    """The open card in which that job asks."""

    def matches(message: Message) -> bool:
        card = message["card"]
        return bool(card) and not card["outcome"] and f"of {name}?" in text_of(message)

    card: Message = (await room.wait_for(matches))["card"]
    return card
