"""What is wrong with an SOP is told when it is loaded, with the part that it stands in."""

from typing import get_args

import pytest

from engine.errors import DefinitionError
from engine.playbooks.skill import SOP_NODE_KINDS, SopNode, SopNodeType
from tests.engine.sop.sop_stage import loaded, with_sop
from tests.fakes.study_lists import over_visits
from tests.fakes.tables import table

SIGN = (
    "{type: human_review, presents: [subject_id], review: {roles: [reviewer]%s},"
    " decision: signature, %s}"
)
SOFT = "{type: soft_instruction, instruction: Does it fit, review: {roles: [reviewer]%s}, %s}"


def problems(text: str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        loaded(with_sop(text))
    return [problem.split(": ", 1)[1] for problem in caught.value.problems]


FIELDS = "known here: age, consent_date, ecog, enrolment_date, medical_history, subject_id"
ECOG = "rules: [{field: ecog, logic: {'!!': {var: ecog}}, message: x}]"
ENDS = "on_pass: end_ok, on_fail: end_no"
RULES = 'rules: [{field: age, logic: {"!!": {var: age}}, message: x}]'


@table(
    ("node", "told"),
    [
        (
            f"type: soft_instruction, review: {{roles: [reviewer]}}, {ENDS}",
            ["sop.nodes.a.instruction: is required: what the model is to judge"],
        ),
        (
            f"type: soft_instruction, instruction: Does it fit, {ENDS}",
            ["sop.nodes.a.review: is required: who decides when the model cannot"],
        ),
        (
            "type: soft_instruction, instruction: Does it fit, review: {roles: [reviewer]}",
            ["sop.nodes.a.on_pass: is required", "sop.nodes.a.on_fail: is required"],
        ),
        (
            f"type: soft_instruction, instruction: Fit, review: {{roles: [reviewers]}}, {ENDS}",
            [
                "sop.nodes.a.review.roles.0: there is no role in people.yaml 'reviewers';"
                " did you mean 'reviewer'?",
                "sop.nodes.a.review.roles: nobody in people.yaml holds reviewers",
            ],
        ),
        (
            f"type: soft_instruction, instruction: Fit, tools: [serch_protocol, record_visit],"
            f" review: {{roles: [reviewer]}}, {ENDS}",
            [
                "sop.nodes.a.tools.0: there is no tool 'serch_protocol';"
                " did you mean 'search_protocol'?",
                "sop.nodes.a.tools.1: 'record_visit' writes; a model reaches only tools that read",
            ],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, instruction: x, on_approve: end_ok",
            [
                "sop.nodes.a.instruction: belongs to type soft_instruction,"
                " this node is of type hard_rule",
                "sop.nodes.a.on_approve: belongs to type human_review,"
                " this node is of type hard_rule",
            ],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, review: {{roles: [reviewer]}}",
            [
                "sop.nodes.a.review: belongs to type soft_instruction or human_review,"
                " this node is of type hard_rule",
            ],
        ),
        (
            "type: human_review, review: {roles: [reviewer]}, decision: signature,"
            " on_approve: end_ok, fail_on: info",
            [
                "sop.nodes.a.fail_on: belongs to type hard_rule, this node is of type human_review",
                "sop.nodes.a.presents: or shows is required: a review that shows nothing approves"
                " nothing",
            ],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, on_error: b",
            ["sop.nodes.a.on_error: there is no node 'b'; known here: a"],
        ),
        (
            f"type: soft_instruction, instruction: Fit, review: {{roles: [reviewer]}}, {ENDS},"
            " on_expire: b",
            ["sop.nodes.a.on_expire: there is no node 'b'; known here: a"],
        ),
        (
            f"type: hard_rule, {RULES}, on_pass: a, on_fail: a",
            ["sop.nodes.a: no end can be reached from it"],
        ),
        (
            f"type: hard_rule, {ECOG}, {ENDS}, fail_on: info, over: {over_visits('f', 's')}",
            [
                "sop.nodes.a.fail_on: does not go with over: every finding fails the node",
                f"sop.nodes.a.over.findings: there is no data field 'f'; {FIELDS}",
                f"sop.nodes.a.over.summary: there is no data field 's'; {FIELDS}",
            ],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, max_visits: 0",
            ["sop.nodes.a.max_visits: should be at least 1, not 0"],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, max_visits: 101",
            ["sop.nodes.a.max_visits: should be at most 100, not 101"],
        ),
        (
            f"type: hard_rule, {RULES}, {ENDS}, fail_on: fatal",
            ["sop.nodes.a.fail_on: should be 'error', 'warning' or 'info', not 'fatal'"],
        ),
        (
            f"type: soft_rule, {ENDS}",
            [
                "sop.nodes.a.type: should be 'hard_rule', 'soft_instruction', 'human_review',"
                " 'branch' or 'look_up', not 'soft_rule'"
            ],
        ),
    ],
)
def test_a_faulty_node_is_told_where_it_is(node: str, told: list[str]) -> None:
    assert problems(f"start_node: a\nnodes:\n  a: {{{node}}}\n") == told


def test_a_node_that_only_an_error_leads_to_is_reached() -> None:
    nodes = (
        f"  a: {{type: hard_rule, {RULES}, {ENDS}, on_error: b}}\n"
        f"  b: {{type: hard_rule, {RULES}, {ENDS}}}\n"
    )
    playbook = loaded(with_sop(f"start_node: a\nnodes:\n{nodes}"))
    assert playbook.skills["eligibility"].sop is not None


def test_a_model_cannot_be_the_way_to_a_decision() -> None:
    text = (
        "start_node: a\nnodes:\n"
        f"  a: {SOFT % ('', 'on_pass: end_ok, on_fail: b')}\n"
        f"  b: {SIGN % ('', 'on_approve: end_ok')}\n"
        "outcomes:\n  end_ok: {decisions.signature: approved}\n"
    )
    assert problems(text) == [
        "sop.outcomes.end_ok.decisions.signature: only a human_review can set a decision;"
        " null clears it"
    ]


def test_every_type_of_node_has_its_entry_and_shares_out_what_a_node_may_say() -> None:
    assert set(SOP_NODE_KINDS) == set(get_args(SopNodeType))
    of_some = {key for kind in SOP_NODE_KINDS.values() for key in (*kind.parts, *kind.target_keys)}
    of_all = {"type", "title", "description", "on_error", "max_visits"}
    assert of_some | of_all == set(SopNode.model_fields)
    assert of_some & of_all == set()
