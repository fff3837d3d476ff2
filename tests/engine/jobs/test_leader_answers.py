"""What the Leader may answer, and the exact fault of all else (spec 002 §2, §3)."""

import json
from typing import Any

import pytest

from engine.jobs.leader import Team, plan_schema, read_leader_plan, read_plan
from engine.text.answer import AnswerFaults
from tests.fakes.job_playbook import job, plan
from tests.fakes.tables import table

EXPERTS = ("records", "protocol")
TEAM = Team(EXPERTS)
MAKING = Team(EXPERTS, tools=("read_tides",), most=1)


def faults(*jobs: dict[str, Any], room: int = 5) -> tuple[str, ...]:
    found = read_plan(plan(*jobs), TEAM, room)
    assert isinstance(found, AnswerFaults)
    return found


def test_a_plan_is_read_from_a_fence_or_between_sentences_and_written_back() -> None:
    text = f"Here it is:\n```json\n{plan(job('a'), job('b', 'protocol', 'a'))}\n```\nDone."
    found = read_plan(text, TEAM, 5)
    assert not isinstance(found, AnswerFaults)
    assert [(each.id, each.dependencies) for each in found.jobs] == [("a", ()), ("b", ("a",))]
    assert read_leader_plan(found.model_dump_json()) == found


@table("around", ["{}", "```json\n{}\n```", "The jobs:\n```\n{}\n```"])
def test_a_bare_array_of_jobs_is_a_plan(around: str) -> None:
    found = read_plan(around.replace("{}", json.dumps([job("a"), job("b")])), TEAM, 5)
    assert not isinstance(found, AnswerFaults)
    assert [each.id for each in found.jobs] == ["a", "b"]


def test_what_a_leader_of_an_earlier_version_planned_is_read() -> None:
    stored = json.dumps([job("a"), job("b", "protocol", "a")])
    assert [each.id for each in read_leader_plan(stored).jobs] == ["a", "b"]


def making(*experts: dict[str, Any], team: Team = MAKING) -> Any:
    jobs = [job("a", experts[0]["name"] if experts else "records")]
    return read_plan(json.dumps({"jobs": jobs, "experts": experts}), team, 5)


def test_an_expert_that_the_leader_makes_may_be_given_a_job() -> None:
    found = making({"name": "pilot", "profile": "You know tides.", "tools": ["read_tides"]})
    (expert,) = found.experts
    assert (expert.name, expert.tools, expert.retry_count) == ("pilot", ("read_tides",), 2)
    assert read_leader_plan(found.model_dump_json()) == found


PILOT = {"name": "pilot", "profile": "You know tides.", "tools": ["read_tides"]}


@pytest.mark.parametrize(
    ("experts", "told"),
    [
        (({**PILOT, "name": "records"},), "experts.0.name: 'records' is taken; give another name"),
        (({**PILOT, "name": "leader"},), "experts.0.name: 'leader' is taken; give another name"),
        (
            ({**PILOT, "tools": ["order_flour"]},),
            "experts.0.tools.0: 'order_flour' is not among the tools for new experts",
        ),
        ((PILOT, {**PILOT, "name": "mate"}), "experts: should have at most 1 entries"),
        (({**PILOT, "profile": " "},), "experts.0.profile: should be text of the form"),
    ],
)
def test_each_fault_of_a_made_expert_is_told(experts: Any, told: str) -> None:
    found = making(*experts)
    assert isinstance(found, AnswerFaults)
    assert any(told in fault for fault in found), found


def test_a_leader_that_may_make_none_is_not_heard() -> None:
    found = making(PILOT, team=TEAM)
    assert isinstance(found, AnswerFaults)
    assert "experts: should have at most 0 entries" in found


@table(
    ("jobs", "told"),
    [
        ((), "jobs: should have 1 to 5 entries, not 0"),
        (tuple(job(f"j{n}") for n in range(6)), "jobs: should have 1 to 5 entries, not 6"),
        ((job("a"), job("a")), "jobs.1.id: 'a' stands twice"),
        ((job("a", "record"),), "there is no expert 'record'; did you mean 'records'?"),
        ((job("a", "records", "a"),), "jobs.0.dependencies.0: a job cannot depend on itself"),
        ((job("a", "records", "b"),), "jobs.0.dependencies.0: there is no job 'b'"),
        ((job("a"), job("b", "records", "a", "a")), "jobs.1.dependencies.1: 'a' stands twice"),
        (
            (job("a", "records", "c"), job("b", "records", "a"), job("c", "records", "b")),
            "jobs: depend on each other in a circle: a -> c -> b -> a",
        ),
        ((job("a", goal=" "),), "jobs.0.goal: should be text of the form"),
        ((job("a", completion_criteria=""),), "jobs.0.completion_criteria: should be text"),
        ((job("a", thinking=""),), "jobs.0.thinking: should be text"),
        ((job("a b"),), "jobs.0.id: should be text of the form"),
        ((job("a", role="boss"),), "jobs.0.role: unknown key"),
        ((job("a", context="\x00"),), "jobs.0: should be without NUL and half characters"),
    ],
)
def test_each_fault_is_told_at_its_place(jobs: tuple[dict[str, Any], ...], told: str) -> None:
    assert any(told in fault for fault in faults(*jobs)), faults(*jobs)


@pytest.mark.parametrize("key", ["goal", "context", "assigned_expert", "thinking"])
def test_what_is_left_out_is_told(key: str) -> None:
    short = {name: value for name, value in job("a").items() if name != key}
    assert faults(short) == (f"jobs.0.{key}: is required",)


@table("text", ["", "no", "[1]", '{"jobs": 1}', '{"jobs": [], "jobs": []}', "{"])
def test_what_is_no_plan_is_told(text: str) -> None:
    found = read_plan(text, TEAM, 5)
    assert isinstance(found, AnswerFaults)
    assert len(found) == 1


def test_the_schema_offers_just_the_experts_and_wants_every_key() -> None:
    schema = json.loads(json.dumps(plan_schema(TEAM)))
    item = schema["properties"]["jobs"]["items"]
    assert item["properties"]["assigned_expert"]["enum"] == list(EXPERTS)
    assert set(item["required"]) == set(job("a"))
