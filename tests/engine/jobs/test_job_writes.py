"""Experts that write: people approve exactly what is written, and it is written once (§7)."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from pydantic import Field

from cards.deciding.decision import DecisionRefusal, decide
from cards.model import Card
from engine.errors import DefinitionError, ToolFailed, ToolUnsure
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.state import AgentState
from engine.playbooks.load import load
from engine.toolbox.toolbox import Toolbox
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext
from tests.fakes.job_playbook import TeamModel, job, plan, says
from tests.fakes.run_tree import RunTree
from tests.fakes.scripted_model import calls
from tests.fakes.walk import CHEN, LIN, new_run

MAIN = """\
id: bakery
name: {zh: 面包房, en: Bakery}
project: BAKERY-1
cues: [bake]
requests:
  - id: fair
    name: {zh: 备货, en: Get ready for the fair}
    examples: [get ready for the fair]
profile_fields:
  ready: {label: {zh: 备货, en: Ready}}
data_fields:
  note: {label: {zh: 说明, en: Note}, multiline: true, required: false}
phases:
  - id: fair
    name: {zh: 备货, en: Fair}
    goal: {zh: 备好货, en: All is ready}
    allowed_skills: [get-ready]
    gate_field: profile.ready
    gate_check: not_empty
"""
SKILL = """\
id: get-ready
name: {zh: 备货, en: Get ready}
description: {zh: 备货, en: A team gets ready}
category: fair
kind: job_graph
provides: [profile.ready]
sets: {profile.ready: "yes"}
jobs:
  experts:
    - {name: buyer, profile: You buy., tools: [order_flour], retry_count: 2}
    - {name: teller, profile: You tell the others.}
  retry_after_s: 0.05
  review: {roles: [reviewer]}
  summary: note
"""
TEAM = plan(job("flour", "buyer"), job("tell", "teller", "flour"))


class Flour(Arguments):
    """What is ordered."""

    kilos: int = Field(ge=1, description="How much.")
    mill: str = Field(default="east", description="Where.")


@dataclass
class Mill:
    """Where flour is ordered; what is ordered under one key counts once. `fails` are its faults."""

    keyed: bool = True
    orders: dict[str, tuple[int, str]] = field(default_factory=dict)
    fails: list[Exception] = field(default_factory=list)

    @property
    def ordered(self) -> list[int]:
        """The kilos of each order."""
        return [kilos for kilos, _ in self.orders.values()]

    async def run(self, args: Flour, ctx: ToolContext) -> dict[str, Any]:
        """An order, once a key."""
        assert ctx.key
        assert ctx.by
        if self.fails:
            raise self.fails.pop(0)
        self.orders.setdefault(ctx.key, (args.kilos, ctx.by))
        return {"kilos": args.kilos}

    @property
    def toolbox(self) -> Toolbox:
        """With the one tool that orders."""
        tool = Tool(
            name="order_flour",
            description="Orders flour.",
            arguments=Flour,
            readonly=False,
            run=self.run,
            tell=lambda result, lang: f"{result['kilos']} kg are ordered",
            keyed=self.keyed,
        )
        return Toolbox(own=[tool])


def wants(*calls: dict[str, Any], tool: str = "order_flour", **more: Any) -> str:
    """An expert's answer that proposes writes, with arguments as text or not."""
    writes = [{"tool": tool, "arguments": json.dumps(call)} for call in calls]
    told = {"status": None, "result": "", "lesson": "", "question": "", "writes": writes}
    return json.dumps({**told, **more})


def buys(*calls: dict[str, Any]) -> Callable[[str], str]:
    """Orders these, and then says so."""

    def answer(told: str) -> str:
        if "carried out" in told or "was made before" in told:
            return says("SUCCESS", "the flour is on its way")
        return wants(*calls)

    return answer


def tree(mill: Mill, flour: Any, *changes: tuple[str, str], **more: Any) -> RunTree:
    skill = SKILL
    for old, new in changes:
        assert old in skill, old
        skill = skill.replace(old, new, 1)
    files = {"playbook.yaml": MAIN, "skills/get-ready.yaml": skill}
    book = load(files, roles=None, held=None)
    model = TeamModel({"leader": [TEAM], "flour": flour, "tell": [says("SUCCESS", "told")]})
    run = new_run(book, message="get ready for the fair", text="get ready for the fair")
    return RunTree(book, run, model, toolbox=mill.toolbox, **more)


def only(walk: RunTree) -> Card:
    (card,) = walk.open_cards()
    return card


@pytest.mark.parametrize("dies", [False, True])
async def test_a_write_waits_for_its_approval_and_is_made_once_with_what_was_shown(
    dies: bool,
) -> None:
    turns = count()
    mill = Mill()
    crashes = (lambda: next(turns) % 2 == 0) if dies else (lambda: False)
    walk = tree(mill, buys({"kilos": 20}, {"kilos": 5, "mill": "west"}), crashes=crashes)
    await walk.start()
    card = only(walk)
    assert (card.kind, card.review.roles, card.review.four_eyes) == ("confirm", ("reviewer",), True)
    for shown in (r"order\_flour", "20", "west", "buyer", "goal of flour"):
        assert shown in card.text
    assert mill.orders == {}
    refused = decide(card, LIN, "approve", walk.now, revision=card.revision)
    assert isinstance(refused, DecisionRefusal)
    assert refused.reason == "own_request"
    await walk.answer(card, "approve", by=CHEN)
    await walk.go_on()
    assert walk.root.status == "completed"
    assert list(mill.orders.values()) == [(20, "chen"), (5, "chen")]
    assert isinstance(walk.model, TeamModel)
    assert "20 kg are ordered" in walk.model.told("flour")
    assert "the flour is on its way" in walk.model.told("tell")


async def test_rules_hold_for_all_that_the_team_writes_and_its_writers_take_turns() -> None:
    mill, sent_back = Mill(), list[str]()

    def more(told: str) -> str:
        if "breaks a rule" in told:
            sent_back.append(told)
            return says("SUCCESS", "one order is enough")
        return wants({"kilos": 3})

    ruled = ("  review: {", "  rules: [{at_most: 1, of: [order_flour]}]\n  review: {")
    walk = tree(mill, buys({"kilos": 20}), ruled)
    assert isinstance(walk.model, TeamModel)
    team = plan(job("flour", "buyer"), job("more", "buyer"), job("tell", "teller"))
    walk.model.scripts = {**walk.model.scripts, "leader": [team], "more": more}
    await walk.start()
    assert (walk.states["more"], walk.states["tell"]) == ("created", "finished")
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert (walk.root.status, mill.ordered) == ("completed", [20])
    (told,) = sent_back
    assert "Other jobs have written with: order_flour" in told
    rule = "at most 1 calls of: order_flour"
    assert f"writes.0: breaks a rule of this team: {rule}" in told
    assert all(rule in walk.model.told(who) for who in ("leader", "flour"))


async def test_a_proposal_that_breaks_a_rule_by_itself_is_sent_back() -> None:
    mill = Mill()
    ruled = ("  review: {", "  rules: [{at_most: 1, of: [order_flour]}]\n  review: {")

    def flour(told: str) -> str:
        if "carried out" in told:
            return says("SUCCESS", "done")
        return (
            wants({"kilos": 20}) if "breaks a rule" in told else wants({"kilos": 1}, {"kilos": 2})
        )

    walk = await tree(mill, flour, ruled).start()
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert mill.ordered == [20]


def test_a_rule_names_tools_of_the_team() -> None:
    with pytest.raises(DefinitionError, match=r"jobs\.rules\[0\].*no tool|order_flower"):
        tree(
            Mill(),
            buys(),
            ("  review: {", "  rules: [{at_most: 1, of: [order_flower]}]\n  review: {"),
        )


async def test_what_is_rejected_is_not_written_and_fails_the_job_with_who_and_why() -> None:
    mill = Mill()
    walk = await tree(mill, buys({"kilos": 20})).start()
    await walk.answer(only(walk), "reject", by=CHEN, reason="too much")
    await walk.go_on()
    assert (mill.orders, walk.graph.status, walk.states["flour"]) == ({}, "failed", "failed")
    assert "Chen Bo rejected it: too much" in walk.graph.error
    assert "too much" in only(walk).text
    assert isinstance(walk.model, TeamModel)
    await walk.answer(only(walk), "change", feedback="half of it")
    await walk.go_on()
    assert "too much" in walk.model.told("flour")
    assert "half of it" in walk.model.told("flour")
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert mill.ordered == [20]


async def test_nobody_answers_in_time_and_nothing_is_written() -> None:
    mill = Mill()
    review = ("review: {roles: [reviewer]}", "review: {roles: [reviewer], deadline: 2d}")
    walk = await tree(mill, buys({"kilos": 20}), review).start()
    await walk.expire(only(walk))
    await walk.go_on()
    assert (mill.orders, walk.graph.status) == ({}, "failed")


async def test_after_a_failed_write_the_next_try_knows_why_and_what_stands() -> None:
    mill = Mill()

    def flour(told: str) -> str:
        if "carried out" in told:
            return says("SUCCESS", "done")
        kilos = 5 if "the mill is closed" in told else 7
        return wants({"kilos": 20}, {"kilos": kilos})

    walk = await tree(mill, flour).start()
    await walk.answer(only(walk), "approve", by=CHEN)
    mill.fails = []
    original = mill.run

    async def closed(args: Flour, ctx: ToolContext) -> dict[str, Any]:
        if args.kilos == 7:
            raise ToolFailed("tool.refused", why="the mill is closed")
        return await original(args, ctx)

    mill.run = closed  # type: ignore[method-assign]
    walk.toolbox = mill.toolbox
    await walk.go_on()
    card = only(walk)
    assert "5" in card.text
    assert "kilos: 20" not in card.text.lower(), "what was made is not proposed again"
    assert isinstance(walk.model, TeamModel)
    told = walk.model.told("flour")
    assert "Written for this job before, not to be repeated" in told
    assert "20 kg are ordered" in told
    await walk.answer(card, "approve", by=CHEN)
    await walk.go_on()
    assert sorted(mill.ordered) == [5, 20]
    assert walk.root.status == "completed"


async def test_what_a_stopped_job_wrote_is_not_written_again_once_the_graph_goes_on() -> None:
    mill = Mill(keyed=False)

    def flour(told: str) -> str:
        if "Written for this job before" in told:
            return wants({"kilos": 20})
        return wants({"kilos": 9}) if "carried out" in told else wants({"kilos": 20})

    answers: list[Any] = []

    def script(told: str) -> str:
        answers.append(told)
        done = "was made before" in told
        return says("SUCCESS", "it stands") if done else flour(told)

    walk = await tree(mill, script).start()
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert mill.ordered == [20]
    second = only(walk)
    assert "9" in second.text
    await walk.order("stop", "enough")
    assert walk.cards[second.token].status in ("cancelled", "superseded")
    await walk.answer(only(walk), "recover")
    await walk.go_on()
    assert mill.ordered == [20]
    assert (walk.root.status, walk.open_cards()) == ("completed", [])
    assert "20 kg are ordered" in answers[-1]


async def test_a_write_that_may_have_happened_is_asked_about_and_not_repeated() -> None:
    mill = Mill(keyed=False, fails=[ToolUnsure("tool.timeout_write", name="x", seconds="1")])
    walk = await tree(mill, buys({"kilos": 20})).start()
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    lost = only(walk)
    assert lost.review.roles == ("reviewer",)
    assert [choice.id for choice in lost.choices] == ["happened", "again", "fail"]
    assert mill.orders == {}
    await walk.answer(lost, "happened", by=CHEN)
    await walk.go_on()
    assert (mill.orders, walk.root.status) == ({}, "completed")


async def test_a_worker_that_dies_while_it_writes_leaves_the_question_and_no_second_order() -> None:
    mill, dying = Mill(keyed=False), [True]

    def crashes() -> bool:
        # Once, in the step that makes the call: it is made, and that is not stored.
        frames = [frame for run in walk.runs.values() for frame in run.frames]
        begun = any(isinstance(frame, LlmPlanFrame) and frame.started for frame in frames)
        return begun and bool(dying) and dying.pop()

    walk = tree(mill, buys({"kilos": 20}), crashes=crashes)
    await walk.start()
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert mill.ordered == [20]
    assert [choice.id for choice in only(walk).choices] == ["happened", "again", "fail"]
    await walk.answer(only(walk), "happened", by=CHEN)
    await walk.go_on()
    assert (mill.ordered, walk.root.status) == ([20], "completed")


async def test_what_is_wrong_with_a_proposal_goes_back_to_the_expert() -> None:
    faulty = [
        wants({"kilos": 0}),
        wants({"kilos": 1}, tool="pay"),
        wants({"kilos": 2}, status="SUCCESS"),
    ]
    walk = await tree(Mill(), faulty).start()
    assert isinstance(walk.model, TeamModel)
    told = "\n".join(text for who, text in walk.model.heard if who == "flour")
    assert "writes.0: kilos: 0 is less than the minimum of 1" in told
    assert "none of your tools that write is called so; known here: order_flour" in told
    assert "status: is for when the writes have been made; leave it null" in told
    assert (walk.graph.status, walk.states["flour"]) == ("failed", "failed")


async def test_missing_arguments_and_a_question_beside_a_write_go_back_too() -> None:
    mill = Mill()
    answers = [wants({}), wants({"kilos": 5}, question="How many?"), wants({"kilos": 5})]
    walk = await tree(mill, answers).start()
    assert isinstance(walk.model, TeamModel)
    told = "\n".join(text for who, text in walk.model.heard if who == "flour")
    assert "writes.0: arguments lack kilos; needed are kilos" in told
    assert "writes: leave them out of an answer that asks a question" in told
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert mill.ordered == [5]


async def test_an_expert_proposes_so_often_and_no_more() -> None:
    mill, numbers = Mill(), count(1)

    def flour(told: str) -> str:
        if "no more can be proposed" in told:
            return says("SUCCESS", "enough")
        return wants({"kilos": next(numbers)})

    walk = await tree(mill, flour).start()
    for _ in range(3):
        await walk.answer(only(walk), "approve", by=CHEN)
        await walk.go_on()
    assert (mill.ordered, walk.root.status) == ([1, 2, 3], "completed")


async def test_a_tool_that_writes_is_no_tool_that_a_model_can_call() -> None:
    mill = Mill()
    direct = calls(("order_flour", {"kilos": 20}))

    def flour(told: str) -> Any:
        return says("SUCCESS", "x") if "Refused" in told else direct

    walk = await tree(mill, flour).start()
    assert (mill.orders, walk.root.status) == ({}, "completed")


@pytest.mark.parametrize("name", ["buyer", ""])
async def test_the_request_says_which_expert_has_the_whole_goal_else_it_is_decomposed(
    name: str,
) -> None:
    mill = Mill()
    who = "  who: {label: {zh: 谁, en: Who}, type: choice, options: [buyer, teller]}\n"
    main = MAIN.replace("  note: {", f"{who}  note: {{")
    skill = SKILL.replace("jobs:\n", "jobs:\n  expert: $who\n  goal: {zh: a, en: goal of flour}\n")
    book = load({"playbook.yaml": main, "skills/get-ready.yaml": skill}, roles=None, held=None)
    state = AgentState(data={"who": name} if name else {})
    model = TeamModel(
        {"leader": [TEAM], "flour": buys({"kilos": 20}), "tell": [says("SUCCESS", "told")]}
    )
    run = new_run(book, message="get ready", text="get ready", state=state)
    walk = await RunTree(book, run, model, toolbox=mill.toolbox).start()
    assert ("leader" in model.asked) is not bool(name)
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert (walk.root.status, mill.ordered) == ("completed", [20])


async def test_the_leader_makes_an_expert_of_the_allowed_tools_who_writes_behind_the_review() -> (
    None
):
    mill = Mill()
    made = {"name": "miller", "profile": "You know mills.", "tools": ["order_flour"]}
    team = json.dumps({"jobs": [job("flour", "miller")], "experts": [made]})
    making = ("  review: {", "  made_experts: {tools: [order_flour], most: 1}\n  review: {")
    walk = tree(mill, buys({"kilos": 20}), making)
    assert isinstance(walk.model, TeamModel)
    walk.model.scripts = {**walk.model.scripts, "leader": [team]}
    await walk.start()
    assert "make experts" in walk.model.told("leader")
    assert "order_flour (writes, once approved: Orders flour.)" in walk.model.told("leader")
    assert "You know mills." in walk.model.told("flour")
    assert [expert.name for expert in walk.graph.experts] == ["miller"]
    assert "miller" in only(walk).text
    await walk.answer(only(walk), "approve", by=CHEN)
    await walk.go_on()
    assert (walk.root.status, mill.ordered) == ("completed", [20])


async def test_a_predecessor_that_is_asked_again_sees_its_old_result_and_why() -> None:
    def tell(told: str) -> str:
        if "twenty" in told:
            return says("INPUT_DATA_ERROR", lesson="say how many kilos, in digits")
        return says("SUCCESS", "told")

    answers: list[str] = []

    def flour(told: str) -> str:
        answers.append(told)
        return says("SUCCESS", "20 kilos" if len(answers) > 1 else "twenty kilos")

    walk = tree(Mill(), flour)
    assert isinstance(walk.model, TeamModel)
    walk.model.scripts = {**walk.model.scripts, "tell": tell}
    await walk.start()
    assert walk.root.status == "completed"
    assert "Your result of before, which was not enough: <data>twenty kilos</data>" in answers[1]
    assert "say how many kilos, in digits" in answers[1]
    assert "Your result of before" not in answers[0]


async def test_the_leader_and_each_expert_know_the_tools_of_the_team() -> None:
    walk = await tree(Mill(), buys({"kilos": 20})).start()
    assert isinstance(walk.model, TeamModel)
    assert "buyer: You buy. Has these tools: order_flour (writes" in walk.model.told("leader")
    assert "teller: You tell the others." in walk.model.told("flour")
    assert "- buyer:" not in walk.model.told("flour").partition("others of the team")[2]
