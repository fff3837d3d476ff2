"""Changes of the state are checked before they become state, and a bad one blocks the run."""

import json
from typing import Any

import pytest

from engine.frames.outcome import Next
from engine.frames.state import AgentState, Patch
from engine.mail import RunContinued
from engine.runs.run_state import BadState, merge_patch, state_faults, with_request_context
from tests.engine.sop.sop_stage import example
from tests.fakes.matter import BOUNDS, playbook
from tests.fakes.tables import table
from tests.fakes.walk import Walk, at_skill, new_run

MATTER = playbook()
BOUNDED = playbook(*BOUNDS)


@table(
    ("paths", "faults"),
    [
        ({"amount": "5"}, ["amount: should be a number, not '5'"]),
        ({"nothing": 1}, ["nothing: no such field"]),
        ({"profile.nothing": 1}, ["profile.nothing: no such field"]),
        ({"decisions.nothing": True}, ["decisions.nothing: no such decision"]),
        (
            {"decisions.cause_confirmed": []},
            ["decisions.cause_confirmed: should be a single value"],
        ),
        ({"evidence": ({"name": 5},)}, ["evidence.0.name: should be text, not 5"]),
        ({"amount": float("nan")}, ["amount: should be a number of at most 15 digits"]),
        ({"amount": None, "nothing": None, "decisions.x": None}, []),
        ({"amount": 5, "profile.summary": "s", "decisions.cause_confirmed": True}, []),
    ],
)
def test_what_does_not_fit_the_playbook_is_told(paths: dict[str, Any], faults: list[str]) -> None:
    assert state_faults(paths, MATTER) == faults


@table(
    ("paths", "faults"),
    [
        ({"people": 0}, ["people: should be at least 1, not 0"]),
        ({"amount": 2000001.0}, ["amount: should be at most 2000000.5, not 2000001.0"]),
        ({"law": "Art 5"}, ["law: should be as Art\\.[0-9]+ says, not 'Art 5'"]),
        ({"law": "Art.5\n"}, ["law: should be as Art\\.[0-9]+ says, not 'Art.5\\n'"]),
        (
            {"evidence": ({"name": "a", "pages": 9}, {"name": "B", "pages": 10})},
            [
                "evidence.1.name: should be as [a-z]+ says, not 'B'",
                "evidence.1.pages: should be at most 9, not 10",
            ],
        ),
        ({"people": 1, "amount": 2000000.5, "law": "Art.5", "evidence": ({"pages": 0},)}, []),
        ({"people": None, "law": None}, []),
    ],
)
def test_what_is_out_of_its_bounds_never_stands(paths: dict[str, Any], faults: list[str]) -> None:
    assert state_faults(paths, BOUNDED) == faults


def test_what_stands_from_before_is_in_nobodys_way() -> None:
    state = AgentState(data={"people": 0, "law": "old"})
    after = merge_patch(state, Patch(by="x", data={"amount": 1, "law": None}), BOUNDED, "en")
    assert after.data == {"people": 0, "amount": 1}


def test_a_change_is_merged_whole_or_not_at_all() -> None:
    state = AgentState(data={"amount": 1, "people": 2}, profile={"summary": "old"})
    good = Patch(by="x", data={"amount": 3, "people": None}, profile={"summary": "new"})
    after = merge_patch(state, good, MATTER, "en")
    assert (after.data, after.profile) == ({"amount": 3}, {"summary": "new"})
    bad = Patch(by="x", data={"amount": 3, "side": "judge"})
    with pytest.raises(BadState, match="side: should be one of plaintiff, defendant"):
        merge_patch(state, bad, MATTER, "en")


def test_a_run_in_which_a_model_judges_keeps_what_was_said_and_decided_before() -> None:
    judges, said = example(), ("Lin: it was cold",)
    asks_nobody = judges.model_copy(update={"skills": {}})
    decided = ("Chen chose Reject on it: too cold",)
    for book, kept in ((judges, (said, decided)), (asks_nobody, ((), ()))):
        run = with_request_context(new_run(book), book, said, decided=decided)
        assert (run.state.recent, run.state.decided) == kept


def test_of_what_was_said_before_a_run_keeps_the_newest_whole_and_counts_the_rest() -> None:
    said = [f"Lin: {n} {'x' * 600}" for n in range(9)]
    kept = with_request_context(new_run(example()), example(), said).state.recent
    assert kept == ("(6 older messages left out)", *said[-3:])
    decided = [f"Chen chose {n}" for n in range(8)]
    run = with_request_context(new_run(example()), example(), (), decided=decided)
    assert run.state.decided == ("(2 older decisions left out)", *decided[-6:])


def test_what_a_change_does_not_name_stays() -> None:
    state = AgentState(
        decisions={"cause_confirmed": True},
        recent=("r",),
        decided=("d",),
        chosen=("c",),
        response="said",
        problems=("p",),
    )
    after = merge_patch(state, Patch(by="x"), MATTER, "en")
    assert after == state


async def test_a_bad_change_blocks_the_run_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wrong(frame: Any, given: Any, context: Any) -> Next:
        return Next(frame, "goes wrong", Patch(by="x", data={"amount": "<b>much</b>"}))

    monkeypatch.setitem(__import__("engine.runs.run", fromlist=["ADVANCE"]).ADVANCE, "model", wrong)
    before = at_skill(MATTER, "matter-intake")
    walk = Walk(MATTER, before)
    stepped = await walk.step(RunContinued())
    assert stepped.park
    assert (walk.run.status, walk.run.state) == ("blocked", AgentState())
    assert "amount: should be a number" in walk.run.part.text
    assert r"\<b\>" in walk.run.part.text
    (entry,) = walk.log
    assert "changes" not in entry, "what was refused is not told as changed"
    assert json.dumps(entry)
