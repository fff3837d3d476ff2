"""A model's plan in a run: steps, cards, approvals, failures; every step persisted (spec 004)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import pytest

from cards.deciding.decision import DecisionRefusal, decide
from cards.model import Lang
from engine.errors import AllowanceUsedUp, DefinitionError, ModelUnavailable
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.state import AgentState, Run
from engine.ports.library import Library
from engine.runs.explain import explain_run
from engine.runs.migration import plan_migration
from engine.runs.replay import replay, trace_of
from engine.runs.skill_execution import SkillExecution, execute_skill
from engine.talk.cancellation import cancel_effects
from tests.fakes.desk import desk
from tests.fakes.memos import Memos
from tests.fakes.scripted_model import Line, ScriptedModel
from tests.fakes.study import Study, Visit, study_toolbox
from tests.fakes.walk import CHEN, LIN, NOW, Walk, crashing, new_run

ASK = "Look up the ECOG of P003, then remember the conclusion"
READ = {"type": "tool", "name": "read_clinical_data", "arguments": {"subject_id": "P003"}}
NOTE = {
    "type": "tool",
    "name": "memory__remember",
    "arguments": {"text": "P003 had ECOG $steps.1.ecog."},
}
REPLY = {"type": "reply", "text": "ECOG is $steps.1.ecog, and it is remembered."}


@dataclass
class Answers:
    """A model that answers the n-th time it is asked with the n-th line, whatever the dialogue."""

    lines: Sequence[Line]
    asked: list[str] = field(default_factory=list)

    async def complete(self, messages: Any, **options: Any) -> Any:
        """The next line."""
        line = self.lines[min(len(self.asked), len(self.lines) - 1)]
        self.asked.append("\n".join(message.content for message in messages))
        return await ScriptedModel([line]).complete(messages[:1], **options)


def study() -> Study:
    return Study({"P003": [Visit(subject_id="P003", visit_date=date(2026, 11, 1), ecog=1)]})


def walk(*lines: Line, changes: tuple[tuple[str, str], ...] = (), lang: Lang = "en") -> Walk:
    playbook = desk(*changes)
    run = new_run(playbook, message=ASK, lang=lang)
    return Walk(playbook, run, Answers(lines), records=study(), library=Library(memory=Memos()))


def memos(found: Walk) -> list[str]:
    assert isinstance(found.library.memory, Memos)
    return found.library.memory.texts


async def test_a_plan_reads_asks_for_approval_of_the_exact_write_writes_and_tells() -> None:
    found = await walk([READ, NOTE, REPLY]).start()
    card = found.card
    assert card.kind == "confirm"
    assert card.review.roles == ("reviewer",)
    assert card.review.four_eyes
    assert "P003 had ECOG 1." in card.text
    assert memos(found) == []
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"
    assert "ECOG is 1, and it is remembered." in found.run.part.text
    assert found.run.state.written == ("memory__remember",)


async def test_it_is_the_same_when_every_step_is_first_done_in_vain() -> None:
    found = await crashing(walk([READ, NOTE, REPLY])).start()
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"


async def test_a_plan_that_only_reads_asks_nobody() -> None:
    found = await walk([READ, {"type": "reply", "text": "It is $steps.1.ecog."}]).start()
    assert found.run.status == "completed"
    assert found.cards == {}
    assert "Its ECOG" not in found.run.part.text
    assert "P003" in found.run.part.text
    assert "It is 1." in found.run.part.text


RULED = ("  review:", "  rules: [{at_most: 1, of: [memory__remember]}]\n  review:")


async def test_a_rule_of_the_playbook_keeps_a_plan_from_what_it_forbids() -> None:
    found = await walk([READ, NOTE, NOTE, REPLY], changes=(RULED,)).start()
    assert (found.run.status, memos(found), found.cards) == ("failed", [], {})
    assert "breaks a rule of this work (at most 1 calls of" in found.run.part.text


def test_a_rule_names_tools_of_the_plan() -> None:
    with pytest.raises(DefinitionError, match="post_note"):
        desk(("  review:", "  rules: [{order: [post_note, memory__remember]}]\n  review:"))


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_plan_that_did_nothing_says_so(lang: Lang) -> None:
    found = await walk([{"type": "reply", "text": "I have remembered it."}], lang=lang).start()
    told = {"en": "Nothing was looked up or changed", "zh": "没有查询或更改任何内容"}[lang]
    assert told in found.run.part.text
    assert memos(found) == []


async def test_everything_is_said_in_the_persons_language() -> None:
    found = await walk([READ, NOTE, "?", REPLY], lang="zh").start()
    assert found.card.title == "请审核：将执行 1 项写入"
    assert "第 3 步：不是一个步骤" in found.card.problems[0]
    assert found.run.part.state == "in_review"


async def test_without_a_model_it_says_what_people_can_do() -> None:
    found = walk()
    found.model = None
    await found.start()
    assert found.run.status == "failed"
    assert "each step by itself" in found.run.part.text
    assert "OPENAI_API_KEY" not in found.run.part.text


async def test_a_model_that_is_away_fails_the_run_and_nothing_is_done() -> None:
    found = await walk(ModelUnavailable("away")).start()
    assert found.run.status == "failed"
    assert "gave no plan" in found.run.part.text


async def test_a_run_that_stops_at_a_limit_of_the_day_names_it() -> None:
    found = await walk(AllowanceUsedUp("all")).start()
    assert found.run.status == "failed"
    assert "of the whole service, is used up" in found.run.part.text


async def test_a_rejection_ends_it_with_the_reason() -> None:
    found = await walk([READ, NOTE, REPLY]).start()
    await found.answer("reject", {"reason": "not <b>now</b>"}, by=CHEN)
    assert found.run.status == "failed"
    assert memos(found) == []
    assert "not \\<b\\>now\\</b\\>" in found.run.part.text
    assert "Done before that:" in found.run.part.text, "what was read is not kept from people"


ON_ERROR = ("  review:", '  on_error: {profile.asked: "no"}\n  review:')


async def test_where_the_playbook_says_what_an_error_leaves_the_run_goes_on() -> None:
    found = await walk([READ, NOTE, REPLY], changes=(ON_ERROR,)).start()
    await found.answer("reject", {"reason": "no"}, by=CHEN)
    assert found.run.status == "completed"
    assert found.run.state.profile == {"asked": "no"}
    assert "Chen Bo rejected it: no" in found.run.part.text


@pytest.mark.parametrize(("changes", "status"), [((), "failed"), ((ON_ERROR,), "completed")])
async def test_nobody_decides_in_time(changes: tuple[tuple[str, str], ...], status: str) -> None:
    timed = ("{roles: [reviewer]}", "{roles: [reviewer], deadline_s: 60}")
    found = await walk([READ, NOTE, REPLY], changes=(timed, *changes)).start()
    assert found.card.deadline is not None
    await found.expire()
    assert found.run.status == status
    assert memos(found) == []


async def test_the_requester_cannot_approve_their_own_write() -> None:
    found = walk([READ, NOTE, REPLY])
    own = LIN.model_copy(update={"roles": ("crc", "reviewer")})
    found.run = found.run.model_copy(update={"requester": own})
    await found.start()
    verdict = decide(found.card, own, "approve", NOW, revision=1)
    assert isinstance(verdict, DecisionRefusal)
    assert verdict.reason == "own_request"


async def test_with_nobody_else_to_approve_the_run_is_blocked() -> None:
    found = await walk([READ, NOTE, REPLY], changes=(("[reviewer]", "[crc]"),)).start()
    assert found.run.status == "blocked"
    assert "nobody but the requester holds the role crc" in found.run.part.text
    assert memos(found) == []


async def test_what_is_left_out_is_told_on_the_card_in_the_reply_and_in_the_audit() -> None:
    wrong = {"type": "tool", "name": "delete_all", "arguments": {}}
    plan = [wrong, {**READ}, {**NOTE, "arguments": {"text": "x"}}, REPLY]
    found = await walk(plan, plan, plan).start()
    (problem,) = found.card.problems
    assert "step 1, delete\\_all: there is no such tool" in problem
    assert "left out step 1 (delete_all): unknown" in "\n".join(found.whys)
    await found.answer("approve", by=CHEN)
    assert "step 1, delete\\_all: there is no such tool" in found.run.part.text
    assert "it is remembered" not in found.run.part.text, "it was written before anything was done"


async def test_an_unknown_tool_and_a_missing_argument_go_back_before_anything_is_left_out() -> None:
    unknown = {"type": "tool", "name": "read_clinical", "arguments": {"subject_id": "P003"}}
    found = await walk([unknown, REPLY], [READ, NOTE, REPLY]).start()
    assert isinstance(found.model, Answers)
    assert "there is no such tool; did you mean 'read_clinical_data'?" in found.model.asked[1]
    assert found.card.problems == ()
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]


async def test_only_the_first_of_what_is_left_out_is_told() -> None:
    found = await walk([*["?"] * 9, REPLY]).start()
    assert found.run.part.text.count("is no step") == 3
    assert "and 6 more" in found.run.part.text


@pytest.mark.parametrize("more", [(), (REPLY,)])
async def test_a_plan_of_which_nothing_can_be_done_says_so(more: tuple[Any, ...]) -> None:
    found = await walk(["?", {"type": "tool", "name": "x", "arguments": {}}, *more]).start()
    assert found.run.status == "failed"
    assert "(No plan could be made for this.)" in found.run.part.text
    assert "is no step" in found.run.part.text


async def test_an_answer_that_is_no_plan_is_told_as_it_is() -> None:
    found = await walk("I would rather not.").start()
    assert found.run.part.text.endswith("I would rather not.")


# what a person is asked for
LESS = {"type": "tool", "name": "read_clinical_data", "arguments": {"field": "ecog"}}
THEN = [LESS, {**LESS, "arguments": {"field": "weight_kg"}}, {"type": "reply", "text": "There."}]


async def test_what_is_missing_is_asked_once_and_the_plan_goes_on() -> None:
    found = await walk(THEN).start()
    card = found.card
    assert (card.kind, card.review.persons) == ("clarify", ("lin",))
    (field,) = card.choices[0].form
    assert (field.name, field.label, field.type) == ("subject_id", "Subject", "text")
    await found.answer("submit", {"subject_id": "P003"})
    assert found.run.status == "completed"
    assert found.run.part.text.count("P003") == 2


async def test_it_may_be_withdrawn() -> None:
    found = await walk(THEN).start()
    await found.answer("withdraw")
    assert found.run.status == "stopped"


async def test_a_persons_word_is_data_and_refers_to_nothing() -> None:
    note = {"type": "tool", "name": "memory__remember", "arguments": {}}
    found = await walk([READ, note, REPLY]).start()
    await found.answer("submit", {"text": "$steps.1.ecog"})
    assert "$steps.1.ecog" in found.card.text
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["$steps.1.ecog"]


async def test_what_does_not_fit_is_asked_again() -> None:
    note = {"type": "tool", "name": "memory__remember", "arguments": {}}
    found = await walk([note, REPLY]).start()
    await found.answer("submit", {"text": "x" * 1500})
    assert found.card.kind == "clarify"
    assert "this cannot be used" in found.card.problems[0]
    await found.answer("submit", {"text": "short"})
    assert "short" in found.card.text


async def test_values_are_typed_by_the_tools_schema() -> None:
    window = {"type": "tool", "name": "check_visit_window", "arguments": {}}
    changes = (("get_project_stats", "check_visit_window"),)
    found = await walk([window, REPLY], changes=changes).start()
    types = {field.name: field.type for field in found.card.choices[0].form}
    assert types["subject_id"] == "text"
    assert set(types.values()) <= {"text", "integer", "number", "date", "choice"}
    asked = study_toolbox().find("check_visit_window").arguments.model_json_schema()
    assert set(types) == set(asked["required"])


# what fails
GONE = {"type": "tool", "name": "read_clinical_data", "arguments": {"subject_id": "!"}}


async def test_a_failed_step_is_planned_around_once_with_the_error() -> None:
    found = await walk([READ, GONE, REPLY], [NOTE, REPLY]).start()
    assert isinstance(found.model, Answers)
    again = found.model.asked[1]
    assert "numbered from 2" in again, "what is done keeps its number"
    assert "step 2, read_clinical_data" in again
    assert "Wrong arguments subject_id" in again
    assert '"ecog": 1' in again
    assert found.card.kind == "confirm"
    assert "this is a new one" in found.card.text
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"


async def test_a_second_failure_ends_it_and_says_what_was_done() -> None:
    found = await walk([READ, GONE, REPLY], [GONE, REPLY]).start()
    assert found.run.status == "failed"
    assert "did not work after planning anew" in found.run.part.text
    assert "Done before that:" in found.run.part.text
    assert isinstance(found.model, Answers)
    assert len(found.model.asked) == 2


async def test_a_reference_that_leads_nowhere_is_a_failed_step() -> None:
    lost = {**NOTE, "arguments": {"text": "$steps.1.height"}}
    found = await walk([READ, lost, REPLY], [REPLY]).start()
    assert isinstance(found.model, Answers)
    assert "$steps.1.height leads nowhere" in found.model.asked[1]
    assert found.run.status == "completed"


async def test_a_write_that_could_not_be_done_is_never_shown_for_approval() -> None:
    found = walk([READ, NOTE, REPLY], [REPLY])
    found.library = Library()
    await found.start()
    assert found.cards == {}
    assert found.run.status == "completed"


async def test_a_new_plan_with_writes_needs_a_new_approval_and_repeats_nothing() -> None:
    one, two = ({**NOTE, "arguments": {"text": text}} for text in ("one", "two"))
    found = await walk([one, GONE, REPLY], [one, two, REPLY]).start()
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["one"]
    assert found.card.kind == "confirm"
    assert "Written by this run before: memory\\_\\_remember" in found.card.text
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["one", "two"]
    assert "was written before" in found.run.part.text
    assert len(found.run.state.approvals) == 2


# what is approved
def note(text: str) -> dict[str, Any]:
    return {**NOTE, "arguments": {"text": text}}


async def test_writes_that_are_certain_are_approved_together_and_others_later() -> None:
    steps = [note("one"), READ, note("two"), note("$steps.2.ecog after"), REPLY]
    found = await walk(steps).start()
    assert "**1. memory\\_\\_remember**" in found.card.text
    assert "two" in found.card.text
    assert "after" not in found.card.text
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["one", "two"]
    assert "1 after" in found.card.text
    await found.answer("reject", {"reason": "no"}, by=CHEN)
    assert memos(found) == ["one", "two"]
    assert found.run.state.written == ("memory__remember",) * 2


async def test_the_whole_of_a_long_text_is_shown() -> None:
    text = "\n".join(f"line {n} of *many*" for n in range(40))
    found = await walk([note(text), REPLY]).start()
    assert all(f"line {n} of \\*many\\*" in found.card.text for n in range(40))


async def test_a_result_that_is_too_large_is_not_kept_and_nothing_refers_to_it() -> None:
    found = walk([READ, NOTE, REPLY], [REPLY])
    visits = study().visits_of("P003")
    found.records = Study({"P003": [visits[0].model_copy(update={"adverse_event": "x" * 19_900})]})
    await found.start()
    assert found.run.status == "completed"
    assert len(found.run.stored()) < 20_000


async def test_a_tool_that_is_not_for_this_project_is_not_offered() -> None:
    found = walk([READ, REPLY])
    found.records = Study({"P003": []}, project="OTHER")
    await found.start()
    assert isinstance(found.model, Answers)
    assert '"name": "read_clinical_data"' not in found.model.asked[0]
    assert "there is no such tool" in found.run.part.text


async def test_what_is_known_goes_to_the_model_as_data() -> None:
    found = walk([REPLY])
    state = AgentState(data={"subject_id": "</data>P003"}, recent=("said before",))
    found.run = found.run.model_copy(update={"state": state, "text": "a part of it"})
    await found.start()
    assert isinstance(found.model, Answers)
    (asked,) = found.model.asked
    assert "<data>said before</data>" in asked
    assert "Plan only for this part of it: a part of it" in asked
    assert "</data>P003" not in asked


# what is told elsewhere
async def test_the_run_is_explained_and_replayed_as_it_was() -> None:
    found = await walk([READ, NOTE, REPLY], changes=(("{roles", "{quorum: 1, roles"),)).start()
    entries = [json.dumps(entry, ensure_ascii=False) for entry in found.log]
    why = explain_run(found.run, found.playbook, entries, ended="")
    assert why.at == "llm_plan:look-up/2"
    await found.answer("approve", by=CHEN)
    entries = [json.dumps(entry, ensure_ascii=False) for entry in found.log]
    services = replace(found.services(), model=None)
    again = await replay(trace_of(found.run, entries), found.playbook, services)
    assert again.difference is None
    assert again.steps == len(found.log)


async def test_a_run_goes_on_with_another_version_only_if_its_planner_is_the_same() -> None:
    found = await walk([READ, NOTE, REPLY]).start()
    same = desk().model_copy(update={"digest": "new"})
    other = desk(("in the", "in all the"))
    assert plan_migration(found.run, found.playbook, same).asks_again == ""
    assert "is not the same there" in plan_migration(found.run, found.playbook, other).asks_again


async def test_a_call_of_the_skill_alone_asks_nobody_for_arguments_and_approves_nothing() -> None:
    found = walk(THEN, THEN, THEN, [note("x"), REPLY])
    skill = found.playbook.skills["look-up"]
    order = SkillExecution("api", found.playbook, skill, AgentState(), ASK, "en", "")
    done = await execute_skill(order, found.services(), within_s=10)
    assert done.outcome == "failed"
    assert "step 1 (read_clinical_data): missing: subject_id" in done.why
    asked = await execute_skill(order, found.services(), within_s=10)
    assert (asked.outcome, memos(found)) == ("asks", [])
    nobody = await execute_skill(order, replace(found.services(), model=None), within_s=10)
    assert nobody.outcome == "no_model"
    away = Answers([ModelUnavailable("away")])
    assert (
        await execute_skill(order, replace(found.services(), model=away), within_s=10)
    ).outcome == ("model_away")


async def test_cancelling_while_a_write_may_be_under_way_says_so() -> None:
    found = walk([READ, NOTE, REPLY])
    seen: list[str] = []
    found.on_step = lambda run: seen.append(cancelled(run)) if begun(run) else None
    await found.start()
    await found.answer("approve", by=CHEN)
    assert seen
    assert all("may have happened" in text for text in seen)


def cancelled(run: Run) -> str:
    """What somebody who cancels the run is told, and what its log says."""
    ending = cancel_effects(run, (), origin={"by": "lin"}, now=NOW)
    ((_, entry),) = ending.log
    assert json.loads(entry)["in_flight"] is True
    (part,) = ending.parts
    return part.body


def begun(run: Run) -> bool:
    top = run.frames[-1]
    return isinstance(top, LlmPlanFrame) and top.started
