"""For how many lanes there is room, and when it is told that there is again."""

import pytest

from bot.serve.work.capacity import LanePlaces
from engine.ports.storage.store import LaneCapacity


def test_runs_and_commands_take_the_places_kept_for_them_first() -> None:
    places = LanePlaces(LaneCapacity(2, run=1, control=1), lambda: None)
    seen = []
    for kind in ("run", "control", "run", "control", "talk"):
        places.take(kind)
        seen.append(places.room())
    assert seen == [
        LaneCapacity(2, 0, 1),
        LaneCapacity(2, 0, 0),
        LaneCapacity(1, 0, 0),
        LaneCapacity(0, 0, 0),
        LaneCapacity(0, 0, 0),
    ]


def test_talk_leaves_the_places_of_others_free() -> None:
    places = LanePlaces(LaneCapacity(1, run=1, control=1), lambda: None)
    places.take("talk")
    assert places.room() == LaneCapacity(0, 1, 1)


@pytest.mark.parametrize(("kind", "all_of_them"), [("talk", 1), ("run", 2), ("control", 2)])
def test_it_is_told_when_there_is_room_where_there_was_none(kind: str, all_of_them: int) -> None:
    told: list[str] = []
    places = LanePlaces(LaneCapacity(1, 1, 1), lambda: told.append("freed"))
    held = [places.take(kind) for _ in range(all_of_them)]
    assert told == []
    held[0].end()
    assert told == ["freed"]


def test_room_that_was_there_all_along_is_not_told() -> None:
    told: list[str] = []
    places = LanePlaces(LaneCapacity(2, 1, 1), lambda: told.append("freed"))
    places.take("talk").end()
    assert told == []


def test_a_lane_that_is_away_leaves_its_place_until_all_of_it_is_back() -> None:
    places = LanePlaces(LaneCapacity(1), lambda: None)
    place = places.take("talk")
    with place.vacate():
        assert places.room().shared == 1
        with place.vacate():
            assert places.room().shared == 1
        assert places.room().shared == 1
    assert places.room().shared == 0
    place.end()
    assert places.room().shared == 1


def test_a_lane_that_ended_while_away_takes_its_place_no_more() -> None:
    places = LanePlaces(LaneCapacity(1), lambda: None)
    place = places.take("talk")
    with place.vacate():
        place.end()
        assert places.room().shared == 1
    assert places.room().shared == 1
