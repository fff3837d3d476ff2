"""A person behind a common word, such as "for": who of the people is named there."""

from typing import Any

from engine.playbooks.model import Playbook
from engine.text.entity_kinds import Entities
from tests.engine.understanding.domains.folders import read_playbook
from tests.fakes.tables import table
from tests.fakes.walk import Walk, new_run

PERMIT = read_playbook("wind", "permit-to-work")


async def begun(message: str, lang: Any = "en", playbook: Playbook = PERMIT) -> Walk:
    known = Entities(tuple(playbook.definition.pattern_kinds))
    named = known.record(message)
    run = new_run(
        playbook, message=message, text=message, request=playbook.id, lang=lang, named=named
    )
    return await Walk(playbook, run, listed=lambda *_: known).start()


@table(
    ("message", "holder"),
    [
        ("I need a permit for Lin Yue to work at height on T31 tomorrow", "lin"),
        ("I need a permit for Chen to work at height on T31 tomorrow", "chen"),
        ("permit for working at height on T31 tomorrow for Lin Yue", "lin"),
        ("permit for working at height on T31 tomorrow for me", "lin"),
        ("tell me, I need a permit to work at height on T31 tomorrow", None),
        ("permit for Chen to work at height on T31 tomorrow, book it for me", "chen"),
        # Two of them say of nobody that they are meant.
        ("permit for Lin and Chen to work at height on T31 tomorrow", None),
    ],
)
async def test_the_longest_stretch_that_names_somebody(message: str, holder: str | None) -> None:
    known = (await begun(message)).run.state.data
    assert known.get("holder") == holder
    assert (known.get("turbine"), known.get("work")) == ("T31", "height")
    assert "day" in known


async def test_who_is_named_before_another_keeps_to_their_own_field() -> None:
    service = read_playbook("wind", "schedule-service")
    message = "plan the annual service of T26 on 18 December with Lin and Chen please"
    walk = await begun(message, playbook=service)
    assert (walk.run.state.data["lead"], walk.run.state.data["mate"]) == ("lin", "chen")


async def test_what_may_be_a_name_is_told_to_be_unknown() -> None:
    walk = await begun("permit for Robert, electrical, on T31 tomorrow")
    assert any("Robert" in problem for problem in walk.card.problems)


async def test_what_is_no_name_is_no_fault() -> None:
    assert not (await begun("permit for working at height on T31 tomorrow for us")).card.problems


async def test_what_names_nobody_is_told_as_not_used() -> None:
    assert "robert" in (await begun("permit for robert, electrical, on T31 tomorrow")).card.text
