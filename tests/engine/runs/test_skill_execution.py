"""A skill on a given state: its output, what keeps it from running, and what it never does."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.clock import SystemClock
from adapters.openai import OpenAIModel
from adapters.redis.keys import Partitions
from engine.frames.state import AgentState
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.runs.skill_execution import SkillExecution, SkillResult, execute_skill
from engine.runs.skill_output import SkillOutput, skill_output
from engine.services import Services
from tests.fakes.letters import PROJECT, letters
from tests.fakes.model_server import ModelServer, Reply, fail, garble, refuse, say, say_json, slow
from tests.fakes.services import services_of
from tests.fakes.settings import load_people
from tests.fakes.study import Study

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
VISIT = {
    "subject_id": "P003",
    "visit_date": "2026-10-30",
    "ecog": 1,
    "weight_kg": 60.5,
    "systolic": 120,
    "diastolic": 80,
}
PASSED = {"check_status": "passed"}
CLIENT = {"client": "Example Ltd"}
SUMMARY = {"response": "Done.", "data": {"summary": "short"}, "control": {"action": "continue"}}
CLOCK = SystemClock("Asia/Shanghai")


@pytest.fixture(scope="module")
def clinical() -> Playbook:
    folder = PLAYBOOKS / "clinical_qc"
    paths = [folder / "playbook.yaml", folder / "tools.yaml", *(folder / "skills").glob("*.yaml")]
    texts = {str(path): path.read_text("utf-8") for path in paths}
    return load(texts, roles=("crc", "reviewer"), held=("reviewer",))


@pytest.fixture(scope="module")
def written() -> Playbook:
    return letters()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server
        assert server.faults == []


@pytest.fixture
async def services(records: Study, server: ModelServer) -> AsyncIterator[Services]:
    model = OpenAIModel(
        api_key=server.api_key, base_url=server.base_url, model="stub", pause=_at_once
    )
    yield services_of(
        records=records,
        people=replace(load_people(PLAYBOOKS / "people.yaml"), platforms=["web"]),
        model=model,
        new_id=Partitions(4).new_id,
        clock=CLOCK,
        zone="Asia/Shanghai",
        project=lambda _: "another",
    )
    await model.close()


async def _at_once(seconds: float) -> None:
    """No pause between tries."""


def order(playbook: Playbook, skill: str, **more: Any) -> SkillExecution:
    groups = {name: more.pop(name, {}) for name in ("profile", "decisions", "data")}
    given = {"message": "", "lang": "en", "project": playbook.definition.project, **more}
    state = AgentState(**groups)
    return SkillExecution(
        id="0-run", playbook=playbook, skill=playbook.skills[skill], state=state, **given
    )


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of it, and what a caller is told."""

    executed: SkillResult
    output: SkillOutput | None


async def run(wanted: SkillExecution, services: Services, **more: Any) -> Ran:
    executed = await execute_skill(wanted, services, **{"within_s": 30, **more})
    return Ran(executed, skill_output(wanted, executed))


async def test_what_a_model_fills_in_comes_back_with_an_account_of_each_step(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    filled = {"summary": "short", "points": [{"claim": "pay"}], "urgent": True}
    answer = {"response": "Here.", "profile": {"route": "court"}, "data": filled}
    server.script([say_json({**answer, "control": {"action": "finish"}})])
    ran = await run(order(written, "summarize", data=CLIENT), services)
    assert ran.output is not None
    assert ran.output.model_dump(mode="json") == {
        **answer,
        "decisions": {},
        "problems": [],
        "control": {"action": "finish", "review_type": None, "questions": [], "card": None},
    }
    frames = [(entry["frame"], entry["outcome"]) for entry in ran.executed.steps]
    assert frames == [
        ("planner", "push"),
        ("model", "next"),
        ("model", "done"),
        ("planner", "done"),
    ]
    assert ran.executed.steps[0]["why"] == "force_skill: the caller asks for it"
    assert len(ran.executed.asked_model) == 1
    assert "Example Ltd" in str(server.requests[0]["messages"])


async def test_an_answer_that_does_not_fit_is_sent_back_with_its_fault(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    wrong = {**SUMMARY, "data": {"summary": 7}}
    server.script([say_json(wrong), say_json(SUMMARY)])
    ran = await run(order(written, "summarize", data=CLIENT), services)
    assert ran.output is not None
    assert (ran.output.data, ran.output.control.action) == ({"summary": "short"}, "continue")
    assert "data.summary: should be text, not 7" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "outcome", "why"),
    [
        (say("no JSON"), "model_faulty", "3 invalid answers"),
        (refuse(), "model_faulty", "declined"),
        (garble("{}"), "model_faulty", "not a chat completion"),
        (fail(503), "model_away", "no model answers"),
    ],
)
async def test_a_model_that_gives_nothing_usable_leads_to_no_form_by_hand(
    written: Playbook,
    services: Services,
    server: ModelServer,
    reply: Reply,
    outcome: str,
    why: str,
) -> None:
    server.script(lambda request: reply)
    ran = await run(order(written, "summarize", data=CLIENT), services)
    assert ran.executed.outcome == outcome
    assert why in ran.executed.why


async def test_without_a_model_a_skill_that_needs_one_does_not_begin(
    written: Playbook, services: Services
) -> None:
    ran = await run(order(written, "summarize", data=CLIENT), replace(services, model=None))
    assert (ran.executed.outcome, ran.executed.steps) == ("no_model", ())


async def test_what_the_model_asks_is_told_by_field_and_type(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    asked = [
        {"field": "amount", "question": "How much?"},
        {"field": "urgent", "question": "Is it urgent?"},
        {"field": "profile.route", "question": "Which way?"},
    ]
    control = {"action": "ask_user", "review_type": "clarify", "questions": asked}
    server.script([say_json({"response": "I need more.", "control": control})])
    ran = await run(order(written, "summarize", data=CLIENT), services)
    assert ran.output is not None
    told = ran.output.control
    assert (told.action, told.review_type) == ("ask_user", "clarify")
    assert [(q.field, q.type, q.hint) for q in told.questions] == [
        ("data.amount", "number", "How much?"),
        ("data.urgent", "boolean", "Is it urgent?"),
        ("profile.route", "choice", "Which way?"),
    ]
    assert told.questions[2].options == ("court", "talks")
    assert ran.output.response == "I need more."


async def test_a_choice_of_the_model_is_told_with_its_options(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    options = ["settle now", "go to court"]
    question = {"field": "summary", "question": "Which?", "options": options}
    control = {"action": "ask_user", "review_type": "select", "questions": [question]}
    server.script([say_json({"response": "", "control": control})])
    ran = await run(order(written, "summarize", data=CLIENT), services)
    assert ran.output is not None
    assert ran.output.control.review_type == "select"
    (wanted,) = ran.output.control.questions
    assert (wanted.field, wanted.type, list(wanted.options)) == ("data.summary", "choice", options)


async def test_the_card_that_a_playbook_declares_is_what_is_asked(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    server.script([say_json(SUMMARY)])
    ran = await run(order(written, "letter"), services)
    assert ran.output is not None
    told = ran.output.control
    assert (told.action, told.review_type) == ("ask_user", "confirm")
    (wanted,) = told.questions
    assert (wanted.field, wanted.type) == ("decisions.letter", "boolean")
    assert told.card is not None
    assert [(row.label, row.value) for row in told.card.rows] == [("Summary", "short")]
    assert ran.output.data == {"summary": "short"}


async def test_a_declared_choice_offers_what_the_model_listed(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    listed = {"points": [{"claim": "pay"}, {"claim": "repair"}]}
    server.script([say_json({**SUMMARY, "data": listed})])
    ran = await run(order(written, "pick"), services)
    assert ran.output is not None
    (wanted,) = ran.output.control.questions
    assert (wanted.field, wanted.options) == ("data.chosen", ("pay", "repair"))


async def test_a_choice_of_nothing_is_an_unusable_answer(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    server.script([say_json({**SUMMARY, "data": {"points": []}})])
    ran = await run(order(written, "pick"), services)
    assert ran.executed.outcome == "model_faulty"


async def test_a_skill_that_asks_people_takes_what_the_message_says_and_names_the_rest(
    written: Playbook, services: Services
) -> None:
    wanted = order(written, "intake", message="amount 250 EUR")
    ran = await run(wanted, replace(services, model=None))
    assert ran.output is not None
    assert ran.output.data == {"amount": 250}
    asked = {question.field: question.type for question in ran.output.control.questions}
    assert asked == {"data.client": "text", "data.urgent": "boolean"}


@pytest.mark.parametrize(
    ("skill", "more", "why"),
    [
        ("summarize", {}, "summarize cannot run: client"),
        ("inner", {}, "inner cannot run: it is internal"),
        ("letter", {"phase": "settle"}, "letter cannot run: phase settle does not allow it"),
    ],
)
async def test_what_keeps_a_skill_from_running_is_said(
    written: Playbook,
    services: Services,
    server: ModelServer,
    skill: str,
    more: dict[str, str],
    why: str,
) -> None:
    ran = await run(order(written, skill, **more), services)
    assert ran.executed.outcome == "constraint"
    assert ran.executed.why.startswith(why)
    assert server.requests == []


async def test_a_skill_without_phases_cannot_run(written: Playbook, services: Services) -> None:
    definition = written.definition.model_copy(update={"phases": ()})
    without = written.model_copy(update={"definition": definition})
    ran = await run(order(without, "letter"), services)
    assert ran.executed.why == "letter cannot run: its playbook has no phases"


@pytest.mark.parametrize("phase", ["", "settle"])
async def test_a_skill_that_only_the_api_runs_may_run_here(
    written: Playbook, services: Services, server: ModelServer, phase: str
) -> None:
    server.script([say_json(SUMMARY)])
    ran = await run(order(written, "outside", phase=phase), services)
    assert ran.executed.outcome == "done"


async def test_rules_tell_what_they_find_and_only_what_was_set_is_output(
    clinical: Playbook, services: Services
) -> None:
    ran = await run(order(clinical, "visit-check", data={**VISIT, "weight_kg": 500}), services)
    assert ran.output is not None
    assert (ran.output.profile, ran.output.data) == ({"check_status": "failed"}, {})
    (problem,) = ran.output.problems
    assert "30 to 200 kg" in problem


async def test_a_review_is_told_and_nobody_is_asked(clinical: Playbook, services: Services) -> None:
    ran = await run(order(clinical, "visit-review", data=VISIT, profile=PASSED), services)
    assert ran.output is not None
    told = ran.output.control
    assert (told.action, told.review_type, told.questions) == ("ask_user", "confirm", ())
    assert told.card is not None
    assert told.card.roles == ("reviewer",)
    assert ("Subject", "P003") in [(row.label, row.value) for row in told.card.rows]


async def test_a_review_that_nobody_could_decide_fails_with_that(
    clinical: Playbook, services: Services
) -> None:
    nobody = clinical.skills["visit-review"].model_dump(mode="json")
    nobody["sop"]["nodes"]["approve"]["review"]["roles"] = ["admin"]
    skill = type(clinical.skills["visit-review"]).model_validate(nobody)
    changed = clinical.model_copy(update={"skills": {**clinical.skills, "visit-review": skill}})
    ran = await run(order(changed, "visit-review", data=VISIT, profile=PASSED), services)
    assert ran.executed.outcome == "failed"


async def test_nothing_is_written_however_the_state_is_given(
    clinical: Playbook, services: Services, records: Study
) -> None:
    before = records.visits_of("P003")
    state = {"data": VISIT, "profile": PASSED, "decisions": {"review": "approved"}}
    ran = await run(order(clinical, "visit-record", **state), services)
    assert ran.executed.outcome == "constraint"
    assert ran.executed.why == "record_visit: nobody approved it"
    assert records.visits_of("P003") == before


async def test_tools_read_only_what_belongs_to_the_project(
    clinical: Playbook, services: Services
) -> None:
    wanted = order(clinical, "visit-fits", data=VISIT, profile=PASSED)
    own = await run(wanted, services)
    assert own.output is not None
    assert own.output.profile == {"fits": "yes"}
    other = await run(replace(wanted, project=PROJECT), services)
    assert other.output is not None
    assert other.output.profile == {"check_status": "failed"}
    assert PROJECT in other.output.problems[0]


async def test_nothing_goes_to_a_system_of_record(clinical: Playbook, services: Services) -> None:
    synced = clinical.definition.model_dump(mode="json")
    synced["sync"] = {"to": "sample", "fields": ["profile.check_status"]}
    definition = type(clinical.definition).model_validate(synced)
    changed = clinical.model_copy(update={"definition": definition})
    ran = await run(order(changed, "visit-check", data=VISIT), services)
    assert ran.executed.outcome == "done"
    assert ran.executed.end is not None
    assert ran.executed.end.run.changes == 0


async def test_what_takes_too_many_steps_is_given_up(
    clinical: Playbook, services: Services
) -> None:
    ran = await run(order(clinical, "visit-check", data=VISIT), services, max_steps=2)
    assert (ran.executed.outcome, len(ran.executed.steps)) == ("timeout", 2)


async def test_what_takes_too_long_is_given_up_with_the_steps_so_far(
    written: Playbook, services: Services, server: ModelServer
) -> None:
    server.script([slow(asyncio.Event())])
    ran = await run(order(written, "summarize", data=CLIENT), services, within_s=0.1)
    assert (ran.executed.outcome, len(ran.executed.steps)) == ("timeout", 1)


async def test_steps_that_wait_for_nothing_let_others_go_first(
    clinical: Playbook, services: Services
) -> None:
    turns: list[str] = []

    async def other() -> None:
        while "done" not in turns:
            turns.append("other")
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        group.create_task(other())
        await run(order(clinical, "visit-check", data=VISIT), services)
        turns.append("done")
    assert turns.count("other") >= 2
