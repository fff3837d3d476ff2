"""Every static check of a playbook, with its exact message (spec 000 §4, 003)."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engine.errors import DefinitionError
from engine.playbooks.load import load
from tests.engine.playbooks import (
    answer_cases,
    computed_cases,
    document_cases,
    job_cases,
    review_cases,
    tool_cases,
)
from tests.fakes.matter import files
from tests.fakes.study import study_toolbox
from tests.fakes.tables import table

Change = tuple[str, str, str]

CHECKS = sorted((Path(__file__).parents[3] / "engine" / "playbooks" / "checks").glob("[a-z]*.py"))
MAIN = "playbook.yaml"
INTAKE, CAUSES, PLAN = "matter-intake", "cause-recommendation", "work-plan"
CHECK, APPROVE, RECORD = "visit-check", "visit-approve", "visit-record"
LOOK_UP = "look-up"
SEEN = "checkpoints: [profile.summary, amount]"
WORDS = "title: {zh: 好, en: Done}, text: {zh: 好, en: Done}"

MORE = {
    "visit_check": """\
id: visit-check
name: {zh: 核查, en: Check}
description: {zh: 核查, en: Checks visits}
category: check
kind: sop
provides: [visits_found, visits_summary]
sop:
  start_node: all
  nodes:
    all:
      type: hard_rule
      over:
        tool: list_visits
        with: {subject_id: $subject_id}
        for_each: {tool: list_subjects, as: subject_id}
        entry: visit_date
        count: visits
        findings: visits_found
        summary: visits_summary
      rules:
        - field: ecog
          logic: {"<=": [{var: ecog}, 5]}
          message: {zh: 太高, en: too high}
      on_pass: end_passed
      on_fail: end_failed
""",
    "visit_approve": """\
id: visit-approve
name: {zh: 审核, en: Approve}
description: {zh: 审核, en: Asks a reviewer}
category: review
kind: sop
provides: [decisions.approved]
sop:
  start_node: ask
  nodes:
    ask:
      type: human_review
      review: {roles: [reviewer]}
      decision: approved
      shows: visit-record
      on_approve: end_approved
  outcomes:
    end_approved: {decisions.approved: "yes"}
""",
    "visit_record": """\
id: visit-record
name: {zh: 写入, en: Record}
description: {zh: 写入, en: Writes a visit}
category: record
kind: tool_plan
provides: [profile.stage]
sets: {profile.stage: recorded}
plan:
  guard: {decision: approved}
  calls:
    - tool: record_visit
      arguments:
        subject_id: $law
        weight_kg: $amount
        visit_date: 2026-10-28
        ecog: 1
        systolic: 120
        diastolic: 80
""",
    "team_report": job_cases.SKILL,
    "look_up": """\
id: look-up
name: {zh: 查, en: Look up}
description: {zh: 查, en: Looks things up}
category: answer
kind: tool_plan
provides: [profile.summary]
sets: {profile.summary: asked}
planner:
  profile: You look things up.
  tools: [get_project_stats, memory__remember]
  review: {roles: [reviewer]}
  on_error: {profile.summary: failed}
""",
}
VISITS = """\
  visits_found:
    label: {zh: 问题, en: Findings}
    type: list
    columns:
      subject_id: {label: {zh: 号, en: Subject}}
      visit_date: {label: {zh: 日, en: Date}, type: date}
      field: {label: {zh: 项, en: Field}}
      value: {label: {zh: 值, en: Value}}
      message: {label: {zh: 话, en: Message}}
  visits_summary:
    label: {zh: 汇总, en: Summary}
    type: list
    columns:
      subject_id: {label: {zh: 号, en: Subject}}
      visits: {label: {zh: 访, en: Visits}, type: integer}
      findings: {label: {zh: 问, en: Findings}, type: integer}
"""
SUBJECTS = """\
  subjects_done:
    label: {zh: 结果, en: Results}
    type: list
    columns:
      subject_id: {label: {zh: 号, en: Subject}}
      result: {label: {zh: 果, en: Result}}
      problems: {label: {zh: 问, en: Problems}, type: integer}
"""
KNOWN_CHECKS = "known here: empty, equals, in, not_empty, not_equals"
BASE: tuple[Change, ...] = (
    (
        MAIN,
        "allowed_skills: [find-law]\n",
        VISITS + "allowed_skills: [find-law]\n",
    ),
    (
        MAIN,
        "[cause_confirmed, plan_confirmed]",
        "[cause_confirmed, plan_confirmed, approved]",
    ),
)

TOOLS = study_toolbox().facts


def changed(*changes: Change) -> dict[str, str]:
    return files(*BASE, *changes, **MORE)


@cache
def problems(*changes: Change) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        load(
            changed(*changes),
            tools=TOOLS,
            roles=("crc", "reviewer"),
            held=("reviewer",),
            languages=("zh", "en"),
        )
    return list(caught.value.problems)


def test_the_playbook_itself_is_sound() -> None:
    assert (
        load(changed(), tools=TOOLS, roles=("crc", "reviewer"), held=("reviewer",)).id == "matter"
    )


RULE = "    priority_rules:\n      - {when: {field: FIELD, check: empty}, skill: SKILL}\n"
IN_INTAKE = "    goal: {zh: 收集信息, en: Know the facts}\n"


def rule(field: str, skill: str) -> Change:
    text = RULE.replace("FIELD", field).replace("SKILL", skill)
    return (MAIN, IN_INTAKE, IN_INTAKE + text)


DEPENDENT = "    depends_on: [later]\n    gate_field: decisions."
CASES: list[tuple[tuple[Change, ...], str]] = [
    # cases
    (
        ((MAIN, "id: matter\n", "id: matter\ncase: order\n"),),
        "case: 'order' is none of request, conversation, project",
    ),
    (
        (
            (
                MAIN,
                "id: matter\n",
                "id: matter\ncase: bin\n"
                "entities: {bin: {name: {zh: 仓, en: Bin}, pattern: 'B-[0-9]{1,3}'}}\n",
            ),
        ),
        "case: needs a field of type entity and kind 'bin', which asks for it",
    ),
    (
        ((MAIN, "id: matter\n", "id: matter\ncase: {of: project, rows: {amount: x}}\n"),),
        "case.rows.amount: is no list among data_fields",
    ),
    (
        ((MAIN, "id: matter\n", "id: matter\ncase: {of: project, rows: {causes: x}}\n"),),
        "case.rows.causes: has no column 'x': cause, basis",
    ),
    (
        ((MAIN, "    gate_field: decisions.", DEPENDENT),),
        "phases.1.depends_on.0: 'later' is no phase before 'path'",
    ),
    (
        ((MAIN, SEEN, f"{SEEN}\n    done_card: {{{WORDS}, tells: [{{person: $ammount}}]}}"),),
        "phases.0.done_card.tells.0.person: 'ammount' is not among data_fields;"
        " did you mean 'amount'?",
    ),
    (
        (
            (
                MAIN,
                SEEN,
                f"{SEEN}\n    done_card: {{{WORDS}, holds: true, tells: [{{person: $requester}}]}}",
            ),
        ),
        "phases.0.done_card.tells: does not go together with holds: others only read the card",
    ),
    # gates and checkpoints, as spec 000 §4 lists them
    (
        ((MAIN, "checkpoints: [profile.summary", "checkpoints: [state.profile.summary"),),
        "phases.0.checkpoints.0: write 'profile.summary' without 'state.'",
    ),
    (
        ((MAIN, "checkpoints: [profile.summary", "checkpoints: [data.money.amount"),),
        "phases.0.checkpoints.0: a data field is named without its groups: write 'amount'",
    ),
    (
        ((MAIN, "gate_field: decisions.", "gate_field: profile.decisions."),),
        "phases.1.gate_field: write 'decisions.cause_confirmed' without 'profile.'",
    ),
    (
        ((MAIN, "gate_field: decisions.cause", "gate_field: decisions.clause"),),
        "phases.1.gate_field: 'clause_confirmed' is not among decision_fields; did you mean"
        " 'cause_confirmed'?",
    ),
    (
        ((MAIN, "checkpoints: [profile.summary", "checkpoints: [profile.sumary"),),
        "phases.0.checkpoints.0: 'sumary' is not among profile_fields; did you mean 'summary'?",
    ),
    (
        ((MAIN, "checkpoints: [profile.summary, amount]", "checkpoints: [summary profile]"),),
        "phases.0.checkpoints.0: 'summary profile' is no path; use profile.x, decisions.x or the"
        " name of a data field",
    ),
    (
        ((MAIN, "    gate_value: completed\n", ""),),
        "phases.0.gate_field: needs gate_value or gate_check",
    ),
    (
        (
            (MAIN, "    gate_field: profile.stage\n", ""),
            (MAIN, "    gate_value: planned\n", ""),
        ),
        "phases.2: needs a gate_field or checkpoints, or it would never begin",
    ),
    (
        ((PLAN, "provides: [profile.stage]\n", ""), (RECORD, "provides: [profile.stage]\n", "")),
        "phases.2.gate_field: no skill provides 'profile.stage', so the phase could never end",
    ),
    (
        (
            (PLAN, "provides: [profile.stage]\n", "provides: [profile.stage]\ninternal: true\n"),
            (RECORD, "provides: [profile.stage]\n", ""),
        ),
        "phases.2.gate_field: no skill provides 'profile.stage', so the phase could never end",
    ),
    (
        ((PLAN, "kind: prompt", "kind: prompt\ninternal: true"),),
        "phases.2.gate_field: 'profile.stage' is provided only by visit-record, which no phase up"
        " to this one allows in request 'file-claim': the phases after it cannot be reached",
    ),
    (
        ((MAIN, "checkpoints: [profile.summary, amount]", "checkpoints: [cause]"),),
        "phases.0.checkpoints.0: 'cause' is provided only by cause-recommendation, which no phase"
        " up to this one allows in request 'file-claim': the phases after it cannot be reached",
    ),
    (
        ((INTAKE, "  data: [amount, ", "  data: ["),),
        "phases.0.checkpoints.1: no skill provides 'amount', so the phase could never end",
    ),
    (
        ((MAIN, "    goal: {zh: 收集信息", "    gate_chek: empty\n    goal: {zh: 收集信息"),),
        "phases.0.gate_chek: unknown key; did you mean 'gate_check'?",
    ),
    *(
        (
            ((MAIN, "    gate_value: completed\n", f"    gate_check: {check}\n"),),
            f"phases.0.gate_check: {problem}",
        )
        for check, problem in (
            ('"gt:3"', f"unknown check 'gt'; {KNOWN_CHECKS}"),
            ("banana", f"unknown check 'banana'; {KNOWN_CHECKS}"),
            ("equal:completed", "unknown check 'equal'; did you mean 'equals'?"),
            ('"equals:"', "'equals' needs a value; write \"\" for empty text"),
            ('"empty:x"', "'empty' takes no value"),
            ('"in:[completed"', "'in' has a bracket that is not closed"),
            (
                '"equals:5"',
                "profile.intake_status never holds this: should be text, not 5; write it in quotes",
            ),
            (
                '"in:[completed, true]"',
                "profile.intake_status never holds this: should be text, not true; write it in"
                " quotes",
            ),
        )
    ),
    *(
        (
            (
                (MAIN, "gate_field: profile.intake_status", f"gate_field: {field}"),
                (MAIN, "gate_value: completed", gate),
            ),
            f"phases.0.{gate.partition(':')[0]}: {field} never holds this: {problem}",
        )
        for field, gate, problem in (
            ("side", "gate_value: judge", "should be one of plaintiff, defendant, not 'judge'"),
            (
                "side",
                'gate_check: "not_equals:judge"',
                "should be one of plaintiff, defendant, not 'judge'",
            ),
            (
                "side",
                'gate_check: "in:[plaintiff, judge]"',
                "should be one of plaintiff, defendant, not 'judge'",
            ),
            ("urgent", 'gate_value: "true"', "should be true or false, not 'true'"),
            ("people", 'gate_check: "equals:2.5"', "should be a whole number, not 2.5"),
            (
                "filed_on",
                'gate_check: "equals:2026-02-30"',
                "should be a date like 2026-01-31, not '2026-02-30'",
            ),
            ("evidence", 'gate_check: "equals:all"', "should be a list, not 'all'"),
        )
    ),
    *(
        (
            (
                (MAIN, "decisions.cause_confirmed\n", f"decisions.{decision}\n"),
                (MAIN, 'gate_check: "equals:true"', gate),
            ),
            f"phases.1.{problem}",
        )
        for decision, gate, problem in (
            (
                "cause_confirmed",
                'gate_value: "true"',
                "gate_value: decisions.cause_confirmed never holds 'true': what sets it sets true",
            ),
            (
                "cause_confirmed",
                "gate_check: 'equals:\"true\"'",
                "gate_check: decisions.cause_confirmed never holds 'true': what sets it sets true",
            ),
            (
                "approved",
                "gate_value: true",
                "gate_value: decisions.approved never holds true: what sets it sets 'yes'",
            ),
        )
    ),
    (
        (
            (MAIN, "plan_confirmed, approved]", "plan_confirmed, approved, unset]"),
            (MAIN, "decisions.cause_confirmed\n", "decisions.unset\n"),
        ),
        "phases.1.gate_check: decisions.unset never holds true: no card and no outcome sets it",
    ),
    (
        ((MAIN, "gate_value: completed\n", "gate_value: completed\n    gate_check: not_empty\n"),),
        "phases.0.gate_check: either gate_value or gate_check should be given",
    ),
    *(
        (
            ((MAIN, "    gate_field: profile.intake_status\n    gate_value: completed\n", gate),),
            f"phases.0.{gate.strip().partition(':')[0]}: says nothing without a gate_field: name"
            " the field that it is of",
        )
        for gate in ("    gate_value: completed\n", "    gate_check: not_empty\n")
    ),
    # what skills wait for
    (
        (
            (
                CAUSES,
                "system_prompt:",
                "requires: [{field: side, check: 'in:[judge]'}]\nsystem_prompt:",
            ),
        ),
        "requires.0.check: side never holds this: should be one of plaintiff, defendant, not"
        " 'judge'",
    ),
    (
        (
            (
                INTAKE,
                "system_prompt:",
                "requires: [{field: causes, check: not_empty}]\nsystem_prompt:",
            ),
            (
                CAUSES,
                "system_prompt:",
                "requires: [{field: amount, check: not_empty}]\nsystem_prompt:",
            ),
        ),
        "requires.0: could never hold: 'causes' is filled only by cause-recommendation, whose own"
        " requires wait in turn; let one of them begin without",
    ),
    (
        (
            (
                INTAKE,
                "system_prompt:",
                "requires: [{field: amount, check: not_empty}]\nsystem_prompt:",
            ),
        ),
        "requires.0: could never hold: 'amount' is filled by this skill alone",
    ),
    (
        ((CHECK, "      over:\n", "      only_branches: true\n      over:\n"),),
        "sop.nodes.all.only_branches: does not go with over, which lists what it finds",
    ),
    # what stands in texts
    *(
        (
            ((APPROVE, "      type: human_review\n", f"      type: human_review\n      {text}\n"),),
            f"sop.nodes.ask.{problem}",
        )
        for text, problem in (
            (
                "title: '{requster} asks'",
                "title: nothing fills {requster}; did you mean 'requester'?",
            ),
            (
                "title: {en: '{date}', zh: x}",
                "title.en: nothing fills {date}; known here: amount, approver, approvers, case,"
                " cause, causes, evidence, filed_on, law, people, plan, project, requester, side,"
                " today, urgent, visits_found, visits_summary",
            ),
            (
                "title: '{evidence}'",
                "title: {evidence} is a list, which no text holds; a card lists it with shows",
            ),
            ("description: '{case}'", "description: {case} has no name here: case is request"),
        )
    ),
    (
        ((APPROVE, '"yes"}', "\"yes\", says: 'Done by {aprover}'}"),),
        "sop.outcomes.end_approved.says: nothing fills {aprover}; did you mean 'approver'?",
    ),
    # what a review shows
    (
        ((APPROVE, "      shows: visit-record\n", ""),),
        "sop.nodes.ask.presents: or shows is required: a review that shows nothing approves"
        " nothing",
    ),
    # what rules compare dates with
    *(
        (
            ((CAUSES, "system_prompt:", f"requires: [{{logic: {logic}}}]\nsystem_prompt:"),),
            f"requires.0.logic.{problem}",
        )
        for logic, problem in (
            (
                "{'<': [{var: filed_on}, '1.2.2026']}",
                "<.1: should be a date like 2026-01-31, not '1.2.2026'",
            ),
            (
                "{date_before: [{var: filed_on}, {var: amount}]}",
                "date_before.1: is of type number, and compared with a date",
            ),
        )
    ),
    # allowed skills, rules, phases, requests
    (
        ((MAIN, "allowed_skills: [find-law]", "allowed_skills: [find-lwa]"),),
        "allowed_skills.0: there is no skill 'find-lwa'; did you mean 'find-law'?",
    ),
    (
        (
            (MAIN, "allowed_skills: [find-law]\n", ""),
            (MAIN, "    allowed_skills: [work-plan]\n", ""),
        ),
        "phases.2.allowed_skills: is required here or for the whole playbook",
    ),
    (
        (
            (MAIN, "[work-plan]", "[work-plan, find-law]"),
            ("find-law", "category: retrieval", "category: other"),
        ),
        "phases.2.allowed_skills.1: 'find-law' fills and sets nothing, so it could be chosen for"
        " ever",
    ),
    (
        (rule("law", INTAKE),),
        "phases.0.priority_rules.0.skill: 'matter-intake' changes none of law, so the rule would"
        " hold for ever",
    ),
    (
        (rule("amount", "matter-intak"),),
        "phases.0.priority_rules.0.skill: there is no skill 'matter-intak'; did you mean"
        " 'matter-intake'?",
    ),
    (
        (rule("amuont", INTAKE),),
        "phases.0.priority_rules.0.when.field: 'amuont' is not among data_fields; did you mean"
        " 'amount'?",
    ),
    (
        ((MAIN, "  - id: path\n", "  - id: intake\n"),),
        "phases.1.id: phase 'intake' is defined twice",
    ),
    (
        ((MAIN, "    examples: [file a claim]", "    phases: [intak]\n    examples: [x y]"),),
        "requests.0.phases.0: there is no phase 'intak'; did you mean 'intake'?",
    ),
    (
        ((MAIN, "    examples: [file a claim]", "    phases: [intake]\n    examples: [x y]"),),
        "phases.1.id: no request goes through phase 'path'",
    ),
    (
        ((MAIN, "      cause: {label: {zh: 案由, en: Cause}}", "      cause: {label: {zh: x}}"),),
        "data_fields.causes.columns.cause.label: lacks en; a plain text is for every language",
    ),
    # fields
    (
        (
            (
                MAIN,
                "  summary: {label: {zh: 摘要, en: Summary}, required: false}",
                "  s: {label: {zh: a, en: b}, type: list}",
            ),
        ),
        "profile_fields.s.type: a list belongs among data_fields",
    ),
    (
        ((MAIN, "    type: choice\n    options: [plaintiff, defendant]\n", "    type: choice\n"),),
        "data_fields.side.options: is required for a choice",
    ),
    (
        ((MAIN, "type: choice, options: [paper, sound]", "type: choice"),),
        "data_fields.evidence.columns.kind.options: is required for a choice",
    ),
    (
        ((MAIN, "  law: {label", "  notes: {label: {zh: a, en: b}, type: list}\n  law: {label"),),
        "data_fields.notes.columns: is required for a list",
    ),
    (
        (
            (
                MAIN,
                "  law: {label",
                "  n: {label: {zh: a, en: b}, columns: {c: {label: {zh: a, en: b}}}}\n"
                "  law: {label",
            ),
        ),
        "data_fields.n.columns: belongs to a list",
    ),
    (
        ((MAIN, "  law: {label", "  law.text: {label: {zh: a, en: b}}\n  law: {label"),),
        "data_fields.law.text: is no name for a field; use letters, digits and _, as in due_date",
    ),
    (
        ((MAIN, "      cause: {label: {zh: 案由", "      the cause: {label: {zh: 案由"),),
        "data_fields.causes.columns.the cause: is no name for a field; use letters, digits and _,"
        " as in due_date",
    ),
    (
        ((MAIN, "plan_confirmed, approved]", "plan_confirmed, approved, by.whom]"),),
        "decision_fields.3: is no name for a field; use letters, digits and _, as in due_date",
    ),
    # sync
    (
        (
            (
                "find-law",
                "system_prompt: Find the law.\n",
                "ask: {fields: [law], title: {zh: 法, en: L}, text: {zh: 法, en: L}}\n",
            ),
        ),
        "system_prompt: is required for category retrieval",
    ),
    (
        (("find-law", "kind: prompt\n", "kind: prompt\nsets: {profile.stage: x}\n"),),
        "sets: a retrieval skill answers questions and changes nothing",
    ),
    (
        ((MAIN, "  fields: [profile.summary", "  fields: [profile.sumary"),),
        "sync.fields.0: 'sumary' is not among profile_fields; did you mean 'summary'?",
    ),
    # skills
    (
        ((CAUSES, "kind: prompt", "kind: sop"),),
        "sop: is required for kind sop",
    ),
    (
        ((INTAKE, "system_prompt: Gather the facts of the matter.\n", ""),),
        "ask: is required for kind prompt: ask or system_prompt",
    ),
    (
        (
            (
                INTAKE,
                "provides:",
                "ask: {fields: [amount], title: {zh: a, en: b}, text: {zh: a, en: b}}\nprovides:",
            ),
        ),
        "ask: either ask or system_prompt should be given",
    ),
    (
        ((CHECK, "kind: sop", "kind: sop\nsystem_prompt: Hello."),),
        "system_prompt: belongs to kind prompt, this skill is of kind sop",
    ),
    (
        ((CHECK, "kind: sop", "kind: sop\ntools: [file__list]"),),
        "tools: goes together with system_prompt",
    ),
    (
        ((INTAKE, "  profile: [summary]", "  profile: [sumary]"),),
        "output_schema.profile.0: there is no profile field 'sumary'; did you mean 'summary'?",
    ),
    (
        ((INTAKE, "  data: [amount,", "  data: [amuont,"),),
        "output_schema.data.0: there is no data field 'amuont'; did you mean 'amount'?",
    ),
    (
        ((INTAKE, "tools: [file__list", "tools: [file_list"),),
        "tools.0: there is no tool 'file_list'; did you mean 'file__list'?",
    ),
    (
        ((INTAKE, "tools: [file__list", "tools: [record_visit"),),
        "tools.0: 'record_visit' writes; a model reaches only tools that read",
    ),
    (
        ((INTAKE, "provides: [profile.intake_status]", "provides: [profile.intak_status]"),),
        "provides.0: 'intak_status' is not among profile_fields; did you mean 'intake_status'?",
    ),
    (
        (
            (
                INTAKE,
                "provides:",
                "requires: [{any: [{field: amount, check: empty}, {field: x, check: empty}]}]\n"
                "provides:",
            ),
        ),
        "requires.0.any.1.field: 'x' is not among data_fields; known here: amount, cause, causes,"
        " evidence, filed_on, law, people, plan, side, urgent, visits_found, visits_summary",
    ),
    (
        (
            (
                INTAKE,
                "provides:",
                'requires: [{logic: {">": [{var: amuont}, 1]}}]\nprovides:',
            ),
        ),
        "requires.0.logic: 'amuont' is not among data_fields; did you mean 'amount'?",
    ),
    (
        ((INTAKE, "sets: {profile.intake_status: completed}", "sets: {amount: 5}"),),
        "sets.amount: should be a profile or decisions field",
    ),
    (
        ((INTAKE, "sets: {profile.intake_status: completed}", "sets: {profile.stage: 5}"),),
        "sets.profile.stage: should be text, not 5",
    ),
    (
        ((INTAKE, "sets: {profile.intake_status: completed}", "sets: {decisions.approved: true}"),),
        "sets.decisions.approved: only a human_review can set a decision; null clears it",
    ),
    (
        ((CHECK, "category: check", "category: files"),),
        "category: files are read by a skill with a system_prompt; name another category",
    ),
    # how an SOP ends
    *(
        (
            ((APPROVE, '{decisions.approved: "yes"}', f'{{decisions.approved: "yes", {more}}}'),),
            f"sop.outcomes.end_approved.{told}",
        )
        for more, told in (
            ("end: gone", "end: should be one of done, rejected, refused, failed, expired"),
            ("says: 5", "says: should be a text, or a text for each language"),
            (
                "profile.stage: {zh: 好, en: good}",
                "profile.stage: is a text by language; only says is one",
            ),
        )
    ),
    # cards
    (
        ((PLAN, "  decision: plan_confirmed\n", ""),),
        "card.decision: is required: what a confirmation sets",
    ),
    (
        ((PLAN, "  decision: plan_confirmed\n", "  decision: plan_confirmd\n"),),
        "card.decision: there is no decision field 'plan_confirmd'; did you mean 'plan_confirmed'?",
    ),
    (
        ((PLAN, "  decision: plan_confirmed\n", "  decision: plan_confirmed\n  field: plan\n"),),
        "card.field: belongs to a select",
    ),
    (
        ((CAUSES, "  field: cause\n", ""),),
        "card.field: is required: where the choice goes",
    ),
    (
        ((CAUSES, "  field: cause\n", "  field: clause\n"),),
        "card.field: 'clause' is not among data_fields; did you mean 'cause'?",
    ),
    (
        ((CAUSES, "  field: cause\n", "  field: amount\n"),),
        "card.field: takes number values, and causes.cause has text ones",
    ),
    (
        (
            (CAUSES, "options_from: causes.cause", "options_from: evidence.kind"),
            (CAUSES, "  field: cause\n", "  field: side\n"),
        ),
        "card.field: takes choice values, and evidence.kind has choice ones",
    ),
    (
        ((CAUSES, "options_from: causes.cause", "options_from: causes"),),
        "card.options_from: should be a column of a list among data_fields, as leaf.column",
    ),
    (
        ((CAUSES, "  shows: [causes]", "  shows: [cuases]"),),
        "card.shows.0: 'cuases' is not among data_fields; did you mean 'causes'?",
    ),
    (
        ((PLAN, "deadline_s: 3600", "review: {roles: []}"),),
        "card.review.roles: should name at least one role",
    ),
    (
        ((PLAN, "deadline_s: 3600", "review: {roles: [crc]}"),),
        "card.review.roles: nobody in people.yaml holds crc",
    ),
    (
        ((PLAN, "deadline_s: 3600", "review: {roles: [reviewer], execute_within: 1d}"),),
        "card.review.execute_within: belongs to a review that shows a plan",
    ),
    (
        ((PLAN, "deadline_s: 3600", "review: {roles: [reviewer], may_edit: [plan]}"),),
        "card.review.may_edit: does not go with a card: it is sent back with a reason",
    ),
    (
        ((PLAN, "deadline_s: 3600", "deadline_s: 3600\n  review: {roles: [reviewer]}"),),
        "card.deadline_s: belongs into review, as deadline",
    ),
    (
        (
            (
                CAUSES,
                "  field: cause\n",
                "  field: cause\n  review: {roles: [reviewer], quorum: 2}\n",
            ),
        ),
        "card.review.quorum: does not go with a select, which one person decides; have a confirm"
        " follow it",
    ),
    (
        (
            (
                CAUSES,
                "  field: cause\n",
                "  field: cause\n  review: {roles: [reviewer], also: [{roles: [reviewer]}]}\n",
            ),
        ),
        "card.review.also: does not go with a select, which one person decides; have a confirm"
        " follow it",
    ),
    (
        ((PLAN, "deadline_s: 3600", "deadline_s: 0"),),
        "card.deadline_s: should be more than 0, not 0",
    ),
    # SOPs
    (
        ((CHECK, "start_node: all", "start_node: al"),),
        "sop.start_node: there is no node 'al'; did you mean 'all'?",
    ),
    (
        (
            (CHECK, "    all:\n", "    end_all:\n"),
            (CHECK, "start_node: all", "start_node: end_all"),
        ),
        "sop.nodes.end_all: names that begin with 'end' are ends, not nodes",
    ),
    (
        (
            (
                CHECK,
                "    all:\n",
                "    lost: {type: human_review, review: {roles: [reviewer]}, decision: approved,"
                " on_approve: end}\n    all:\n",
            ),
        ),
        "sop.nodes.lost: cannot be reached from start_node",
    ),
    (
        ((CHECK, "      on_fail: end_failed\n", ""),),
        "sop.nodes.all.on_fail: is required",
    ),
    (
        ((CHECK, "on_fail: end_failed", "on_fail: al"),),
        "sop.nodes.all.on_fail: there is no node 'al'; did you mean 'all'?",
    ),
    (
        ((CHECK, "        - field: ecog", "        - field: ecg"),),
        "sop.nodes.all.rules.0.field: there is no column 'ecg'; did you mean 'ecog'?",
    ),
    (
        ((CHECK, "{var: ecog}", "{var: weight}"),),
        "sop.nodes.all.rules.0.logic.<=.0.var: unknown name 'weight'; did you mean 'weight_kg'?",
    ),
    (
        (
            (
                CHECK,
                "      rules:\n        - field: ecog\n"
                '          logic: {"<=": [{var: ecog}, 5]}\n'
                "          message: {zh: 太高, en: too high}\n",
                "",
            ),
        ),
        "sop.nodes.all.rules: should have at least one rule",
    ),
    (
        ((CHECK, "findings: visits_found", "findings: causes"),),
        "sop.nodes.all.over.findings: should be a list with some of the columns field, value,"
        " message, subject_id, visit_date, ecog, weight_kg, systolic, diastolic, adverse_event",
    ),
    (
        (
            (MAIN, "  visits_summary:\n", SUBJECTS + "  visits_summary:\n"),
            (CHECK, "provides: [", "provides: [subjects_done, "),
            (
                CHECK,
                "  start_node: all\n",
                "  batch: {tool: list_subjects, as: law, column: subject_id,"
                " summary: subjects_done}\n  start_node: all\n",
            ),
        ),
        "sop.batch.summary: should be a list whose column problems is text, not integer",
    ),
    (
        ((CHECK, "      type: hard_rule\n", "      type: branch\n"),),
        "sop.nodes.all.ways: is required: conditions, and where each leads",
    ),
    (
        ((CHECK, "summary: visits_summary", "summary: visits_found"),),
        "sop.nodes.all.over.summary: should be a list with the columns subject_id, visits,"
        " findings",
    ),
    (
        ((CHECK, "over:\n        tool: list_visits", "over:\n        tool: list_visit"),),
        "sop.nodes.all.over.tool: there is no tool 'list_visit'; did you mean 'list_visits'?",
    ),
    (
        ((CHECK, "over:\n        tool: list_visits", "over:\n        tool: record_visit"),),
        "sop.nodes.all.over.tool: 'record_visit' writes; a list comes from a tool that reads",
    ),
    (
        ((CHECK, "with: {subject_id: $subject_id}", "with: {subject_id: $subjct_id}"),),
        "sop.nodes.all.over.with.subject_id: unknown name 'subjct_id'; did you mean 'subject_id'?",
    ),
    (
        ((CHECK, "with: {subject_id: $subject_id}", "with: {subject_id: $law, sex: F}"),),
        "sop.nodes.all.over.with.sex: there is no argument 'sex'; known here: subject_id",
    ),
    (
        ((CHECK, "        with: {subject_id: $subject_id}\n", ""),),
        "sop.nodes.all.over.with: lacks 'subject_id', which list_visits needs",
    ),
    (
        ((CHECK, "entry: visit_date", "entry: visit_day"),),
        "sop.nodes.all.over.entry: there is no column 'visit_day'; did you mean 'visit_date'?",
    ),
    (
        ((CHECK, "as: subject_id}", "as: subject id}"),),
        "sop.nodes.all.over.for_each.as: should be text of the form ^[A-Za-z_][A-Za-z0-9_]*$, not"
        " 'subject id'",
    ),
    (
        ((CHECK, "as: subject_id}", "as: subject_id, only: subjct}"),),
        "sop.nodes.all.over.for_each.only: there is no data field 'subjct'; known here: amount,"
        " cause, causes, evidence, filed_on, law, people, plan, side, urgent, visits_found,"
        " visits_summary",
    ),
    (
        ((APPROVE, "      review: {roles: [reviewer]}\n", ""),),
        "sop.nodes.ask.review: is required: who decides",
    ),
    (
        ((APPROVE, "      decision: approved\n", ""),),
        "sop.nodes.ask.decision: is required: the name under which it is remembered",
    ),
    (
        ((APPROVE, "shows: visit-record", "shows: visit-check"),),
        "sop.nodes.ask.shows: 'visit-check' has no plan to show",
    ),
    (
        ((APPROVE, "roles: [reviewer]", "roles: []"),),
        "sop.nodes.ask.review.roles: should name at least one role",
    ),
    (
        ((APPROVE, "roles: [reviewer]", "roles: [revewer]"),),
        "sop.nodes.ask.review.roles.0: there is no role in people.yaml 'revewer'; did you mean"
        " 'reviewer'?",
    ),
    (
        ((APPROVE, "roles: [reviewer]", "roles: [crc]"),),
        "sop.nodes.ask.review.roles: nobody in people.yaml holds crc",
    ),
    # tool plans
    (
        ((RECORD, "tool: record_visit", "tool: record_vist"),),
        "plan.calls.0.tool: there is no tool 'record_vist'; did you mean 'record_visit'?",
    ),
    (
        ((RECORD, "        ecog: 1\n", ""),),
        "plan.calls.0.arguments: lacks 'ecog', which record_visit needs",
    ),
    (
        ((RECORD, "weight_kg: $amount", "weight_kg: $amuont"),),
        "plan.calls.0.arguments.weight_kg: there is no data field 'amuont'; did you mean 'amount'?",
    ),
    (
        ((RECORD, "weight_kg: $amount", "weigth_kg: $amount"),),
        "plan.calls.0.arguments.weigth_kg: there is no argument 'weigth_kg'; did you mean"
        " 'weight_kg'?",
    ),
    (
        ((RECORD, "  guard: {decision: approved}\n", ""),),
        "plan.guard: is required: record_visit writes",
    ),
    (
        ((RECORD, "guard: {decision: approved}", "guard: {decision: plan_confirmed}"),),
        "plan.guard.decision: no human_review decides 'plan_confirmed' and shows 'visit-record';"
        " known here: approved",
    ),
    (
        ((RECORD, "  guard:", "  rehearses: visit-check\n  guard:"),),
        "plan.calls: either these or rehearses should be given",
    ),
    (
        ((RECORD, "  guard:", "  rehearses: visit-check\n  guard:"),),
        "plan.rehearses: 'visit-check' has no calls to rehearse",
    ),
    (
        ((RECORD, "  guard:", "  on_error: {amount: 5}\n  guard:"),),
        "plan.on_error.amount: should be a profile or decisions field",
    ),
    (
        (
            (
                RECORD,
                "    - tool: record_visit\n",
                "    - tool: record_visit\n      for_each: law\n",
            ),
        ),
        "plan.calls.0.for_each: should be a list among data_fields",
    ),
    (
        (
            (
                RECORD,
                "    - tool: record_visit\n      arguments:\n        subject_id: $law\n",
                "    - tool: record_visit\n      for_each: causes\n      arguments:\n"
                "        subject_id: $causes.caus\n",
            ),
        ),
        "plan.calls.0.arguments.subject_id: there is no column of causes 'caus'; did you mean"
        " 'cause'?",
    ),
    *job_cases.CASES,
    # plans that a model makes
    (
        ((LOOK_UP, "profile: You look things up.", 'profile: " "'),),
        "planner.profile: is required: what the model plans as",
    ),
    (
        ((LOOK_UP, "tools: [get_project_stats, memory__remember]", "tools: []"),),
        "planner.tools: should name at least one tool",
    ),
    (
        ((LOOK_UP, "[get_project_stats,", "[get_project_stat,"),),
        "planner.tools.0: there is no tool 'get_project_stat'; did you mean 'get_project_stats'?",
    ),
    (
        ((LOOK_UP, "memory__remember]", "memory__remember, get_project_stats]"),),
        "planner.tools.2: 'get_project_stats' stands twice",
    ),
    (
        ((LOOK_UP, "  review: {roles: [reviewer]}\n", ""),),
        "planner.review: is required: memory__remember writes, and people approve it first",
    ),
    (
        ((LOOK_UP, ", memory__remember]", "]"),),
        "planner.review: does not go with tools that only read: nothing is to approve",
    ),
    (
        ((LOOK_UP, "roles: [reviewer]", "roles: [revewer]"),),
        "planner.review.roles.0: there is no role in people.yaml 'revewer'; did you mean"
        " 'reviewer'?",
    ),
    (
        ((LOOK_UP, "roles: [reviewer]", "roles: [crc]"),),
        "planner.review.roles: nobody in people.yaml holds crc",
    ),
    (
        ((LOOK_UP, "roles: [reviewer]}", "roles: [reviewer], may_edit: [law]}"),),
        "planner.review.may_edit: does not go with a planned review: its arguments are no leaves",
    ),
    (
        ((LOOK_UP, "roles: [reviewer]}", "roles: [reviewer], decides: majority, quorum: 2}"),),
        "planner.review.quorum: should be odd with decides: majority, so that no vote ends 1 to 1",
    ),
    (
        ((LOOK_UP, "on_error: {profile.summary:", "on_error: {profile.sumary:"),),
        "planner.on_error.profile.sumary: 'sumary' is not among profile_fields; did you mean"
        " 'summary'?",
    ),
    (
        ((LOOK_UP, "  profile: You", "  max_steps: 1\n  profile: You"),),
        "planner.max_steps: should be at least 2, not 1",
    ),
    (
        ((LOOK_UP, "planner:\n", "plan: {calls: []}\nplanner:\n"),),
        "plan: either plan or planner should be given",
    ),
    (
        ((RECORD, "kind: tool_plan\n", "kind: sop\n"),),
        "plan: belongs to kind tool_plan, this skill is of kind sop",
    ),
    (
        ((APPROVE, "shows: visit-record", "shows: look-up"),),
        "sop.nodes.ask.shows: 'look-up' has no plan to show",
    ),
    # what may be given for a leaf
    *(
        (((MAIN, f"type: {kind}", f"type: {kind}, {bounds}"),), f"data_fields.{problem}")
        for kind, bounds, problem in (
            ("integer", "minimum: 5, maximum: 4", "people.maximum: is below the minimum"),
            ("number", "minimum: -1.5, maximum: -2", "amount.maximum: is below the minimum"),
            (
                "integer",
                "minimum: 1.2, maximum: 1.9",
                "people.maximum: leaves no whole number above the minimum",
            ),
            (
                "number",
                "maximum: 1000000000000000",
                "amount.maximum: should be a number, not '1000000000000000'",
            ),
            (
                "date",
                "minimum: 1",
                "filed_on.minimum: should be a date like 2026-01-31, or today, not 1.0",
            ),
            (
                "date",
                "minimum: 2026-02-30",
                "filed_on.minimum: should be a date like 2026-01-31, or today, not '2026-02-30'",
            ),
            (
                "date",
                "minimum: 2026-03-01, maximum: 2026-02-01",
                "filed_on.maximum: is below the minimum",
            ),
            (
                "boolean",
                "maximum: 1",
                "urgent.maximum: belongs to an integer, a number, money, a date or a time",
            ),
            ("number", "minimum: zero", "amount.minimum: should be a number, not 'zero'"),
            ("number", "minimum: true", "amount.minimum: should be a number or text, not true"),
            ("number", "options: [a]", "amount.options: belongs to a choice"),
            ("number", "currency: EUR", "amount.currencies: belongs to money"),
            ("number", "kinds: [pdf]", "amount.kinds: belongs to a file"),
            ("number", 'pattern: "[0-9]+"', "amount.pattern: belongs to a text"),
            ("date", 'pattern: "[0-9]+"', "filed_on.pattern: belongs to a text"),
        )
    ),
    *(
        (((MAIN, "en: Law}", f"en: Law}}, {bounds}"),), f"data_fields.law.{problem}")
        for bounds, problem in (
            ("minimum: 1", "minimum: belongs to an integer, a number, money, a date or a time"),
            (
                "type: time, minimum: 5pm",
                "minimum: should be a time like 15:30, not '5pm'",
            ),
            (
                "type: money, currencies: [EUR, DEM]",
                "currencies: 'DEM' is no currency in use: write its ISO 4217 code, as in EUR",
            ),
            ("type: entity", "entity: is required: the kind of entity"),
            ("type: file, kinds: [pdff]", "kinds: 'pdff' cannot be read; did you mean 'pdf'?"),
            (
                "type: date, options_from: {tool: file__list, value: name}",
                "options_from: belongs to a choice or an entity without options",
            ),
            ("type: choice, options: [a, b, a]", "options: has an entry twice"),
            (
                f"type: choice, options: [{', '.join(f'o{n}' for n in range(1001))}]",
                "options: should have at most 1000 entries",
            ),
            ('pattern: "(a"', "pattern: cannot be run: missing ): (a"),
            ('pattern: "(?=a)a"', "pattern: cannot be run: invalid perl operator: (?="),
            (r'pattern: "(a)\\1"', r"pattern: cannot be run: invalid escape sequence: \1"),
            ('pattern: "a{2000}"', "pattern: cannot be run: invalid repetition size: {2000}"),
            ("pattern: 5", "pattern: should be text, not 5"),
        )
    ),
    (
        ((MAIN, "en: Pages}, type: integer", "en: Pages}, type: list"),),
        "data_fields.evidence.columns.pages.type: a row is flat: a list holds no lists",
    ),
    (
        ((MAIN, "en: Pages}, type: integer", "en: Pages}, type: integer, minimum: 2, maximum: 1"),),
        "data_fields.evidence.columns.pages.maximum: is below the minimum",
    ),
    (
        ((MAIN, "{zh: 名称, en: Name}", "{zh: 名称, en: Name}, minimum: 1"),),
        "data_fields.evidence.columns.name.minimum: belongs to an integer, a number, money, "
        "a date or a time",
    ),
    (
        ((MAIN, "{zh: 名称, en: Name}", '{zh: 名称, en: Name}, pattern: "["'),),
        "data_fields.evidence.columns.name.pattern: cannot be run: missing ]: [",
    ),
    # kinds of entities
    *(
        (
            ((MAIN, "profile_fields:\n", f"entities:\n  {entity}\nprofile_fields:\n"),),
            f"entities.{problem}",
        )
        for entity, problem in (
            (f"{kind}: {{name: {{zh: 案号, en: Number}}, {keys}}}", f"{kind}{problem}")
            for kind, keys, problem in (
                ("no", 'case: upper, pattern: "(a"', ".pattern: cannot be run: missing ): (a"),
                (
                    "no",
                    'pattern: "(?<=N)[0-9]+"',
                    ".pattern: cannot be run: invalid perl operator: (?<=",
                ),
                (
                    "no",
                    'pattern: "a{2000}"',
                    ".pattern: cannot be run: invalid repetition size: {2000}",
                ),
                (
                    "no",
                    'pattern: "[0-9]*"',
                    ".pattern: finds an empty text; say what an id has at least",
                ),
                ("no", 'pattern: ".+"', ".pattern: takes plain words for ids, such as 'is'"),
                (
                    "no",
                    'pattern: "[A-Z]+", case: upper',
                    ".pattern: takes plain words for ids, such as 'is'",
                ),
                (
                    "no",
                    f'pattern: "{"a" * 201}"',
                    f".pattern: should be text of at most 200 characters, not '{'a' * 39}…'",
                ),
                (
                    "no",
                    'pattern: "N[0-9]", tool: file__list',
                    ": should have either a pattern, or a tool that lists them",
                ),
                ("no", "case: lower", ": should have either a pattern, or a tool that lists them"),
                ("no", 'pattern: "N[0-9]", id: x', ".id: belongs to a list of a tool"),
                ("no", 'pattern: "N[0-9]", names: [x]', ".names: belongs to a list of a tool"),
                ("no", 'tool: file__list, without: "-", id: x', ".without: belongs to a pattern"),
                ("no", "tool: file__list, case: upper, id: x", ".case: belongs to a pattern"),
                ("no", "tool: file__list", ".id: is required: the column of the id"),
                (
                    "no",
                    "tool: list_files, id: x",
                    ".tool: there is no tool 'list_files'; did you mean 'list_visits'?",
                ),
                (
                    "no",
                    "tool: record_visit, id: x",
                    ".tool: 'record_visit' writes; a list comes from a tool that reads",
                ),
                (
                    "n-o",
                    'pattern: "N[0-9]"',
                    ": is no name for a kind; use letters, digits and _, as in work_order",
                ),
            )
        )
    ),
    # what element__extract finds
    *(
        (
            ((MAIN, "data_fields:", f"elements: {{{name}: {{name: x, {change}}}}}\ndata_fields:"),),
            f"elements.{name}{fault}",
        )
        for name, change, fault in (
            (
                "n-o",
                "pattern: ab",
                ": is no name for a kind; use letters, digits and _, as in clause",
            ),
            (
                "date",
                "pattern: ab",
                ": is no name for a kind; use letters, digits and _, as in clause",
            ),
            (
                "no",
                'pattern: "(a)(b)"',
                ".pattern: should have one group at most, which is the value; write (?:…) for the "
                "others",
            ),
        )
    ),
    (
        (
            (
                MAIN,
                "data_fields:",
                'entities: {no: {name: x, pattern: "N[0-9]"}}\n'
                "elements: {no: {name: x, pattern: ab}}\ndata_fields:",
            ),
        ),
        "elements.no: is a kind of entity already, and found as that",
    ),
    (
        ((MAIN, "en: Law}", "en: Law}, pair_with: people"),),
        "data_fields.law.pair_with: belongs to a field of type integer, number, date, time",
    ),
    (
        ((MAIN, "type: integer", "type: integer, pair_with: amuont"),),
        "data_fields.people.pair_with: there is no field 'amuont'; did you mean 'amount'?",
    ),
    (
        ((MAIN, "type: integer", "type: integer, pair_with: law"),),
        "data_fields.people.pair_with: is of type text, and this one of type integer",
    ),
    (
        ((MAIN, "en: Law}", "en: Law}, entity: statute"),),
        "data_fields.law.entity: there is no kind of entity 'statute'",
    ),
    (
        ((MAIN, "type: integer", "type: integer, entity: statute"),),
        "data_fields.people.entity: belongs to a text or an entity",
    ),
    # values of a playbook's own that are out of its bounds
    *(
        (
            (
                (MAIN, "type: integer", "type: integer, maximum: 5"),
                (MAIN, "gate_field: profile.intake_status", "gate_field: people"),
                (MAIN, "gate_value: completed", gate),
            ),
            f"phases.0.{gate.partition(':')[0]}: people never holds this: should be at most 5,"
            " not 9",
        )
        for gate in ("gate_value: 9", 'gate_check: "equals:9"')
    ),
    (
        (
            (MAIN, "{label: {zh: 阶段, en: Stage}}", "{label: {zh: 阶段, en: Stage}, pattern: x+}"),
            (PLAN, "sets: {profile.stage: planned}", "sets: {profile.stage: planned}"),
        ),
        "sets.profile.stage: should be as x+ says, not 'planned'",
    ),
    (
        (
            (
                MAIN,
                "{label: {zh: 阶段, en: Stage}}",
                '{label: {zh: 阶段, en: Stage}, pattern: "("}',
            ),
            (PLAN, "sets: {profile.stage: planned}", "sets: {profile.stage: 5}"),
        ),
        "sets.profile.stage: should be text, not 5",
    ),
    (
        ((MAIN, "en: Chosen cause}", 'en: Chosen cause}, pattern: "[a-z]+"'),),
        "card.field: is bounded, and causes.cause is not so: a choice might not fit",
    ),
]


@table(("changes", "expected"), CASES)
def test_each_check_has_its_message_at_its_place(
    changes: tuple[Change, ...], expected: str
) -> None:
    found = problems(*changes)
    assert expected in [problem.split(": ", 1)[1] for problem in found]


# What is lacking stands nowhere: its problem is where it should have been.
PLACED = [case for case in CASES if "is required" not in case[1]]


@table(("changes", "expected"), PLACED)
def test_each_problem_stands_on_a_line_that_has_to_do_with_it(
    changes: tuple[Change, ...], expected: str
) -> None:
    texts = changed(*changes)
    place = next(p for p in problems(*changes) if p.endswith(expected)).split(": ", 1)[0]
    file, _, line = place.rpartition(":")
    lines = texts[file].splitlines()
    keys = re.split(r"\.(?![a-z]+:)", expected.split(": ", 1)[0])
    # The key itself, or the nearest around it that is there, stands on the line.
    around = [key for key in keys if not key.isdigit()]
    shown = "\n".join(lines[max(0, int(line) - 1) : int(line) + 1])
    assert any(key in shown for key in around) or keys[-1].isdigit(), (place, shown)


@table(
    ("leaf", "column", "fits"),
    [
        ("", "", True),
        ("", "maximum: 3", True),
        ("minimum: 1", "minimum: 1", True),
        ("minimum: 1, maximum: 9", "minimum: 2, maximum: 8", True),
        ("minimum: 1", "", False),
        ("minimum: 1", "minimum: 0", False),
        ("maximum: 9", "minimum: 1", False),
        ("maximum: 9", "maximum: 10", False),
    ],
)
def test_a_choice_is_of_what_fits_its_field(leaf: str, column: str, fits: bool) -> None:
    changes = (
        (MAIN, "{zh: 选定案由, en: Chosen cause}", f"{{zh: a, en: b}}, type: number, {leaf}"),
        (
            MAIN,
            "cause: {label: {zh: 案由, en: Cause}",
            f"cause: {{label: {{zh: a, en: b}}, type: number, {column}",
        ),
    )
    told = "card.field: is bounded, and causes.cause is not so: a choice might not fit"
    if fits:
        load(changed(*changes), tools=TOOLS, roles=("crc", "reviewer"), held=("reviewer",))
    else:
        assert any(problem.endswith(told) for problem in problems(*changes))


def test_a_problem_is_told_as_file_line_path_message() -> None:
    assert problems((PLAN, "  decision: plan_confirmed\n", "  decision: plan\n")) == [
        "skills/work-plan.yaml:15: card.decision: there is no decision field 'plan'; known here:"
        " approved, cause_confirmed, plan_confirmed"
    ]
    assert problems((INTAKE, "category: intake", "categry: intake")) == [
        "skills/matter-intake.yaml:1: category: is required",
        "skills/matter-intake.yaml:4: categry: unknown key; did you mean 'category'?",
    ]


def test_all_problems_are_told_at_once() -> None:
    changes = [CASES[n][0] for n in (0, 6, 65, 73, 83)]
    found = [p.split(": ", 1)[1] for p in problems(*[c for each in changes for c in each])]
    for number in (0, 6, 65, 73, 83):
        assert CASES[number][1] in found


def test_phases_are_required_only_when_something_can_be_done() -> None:
    texts = changed()
    head = texts[MAIN].split("phases:\n  - id: intake")[0]
    texts[MAIN] = head + "phases: []\n"
    with pytest.raises(DefinitionError) as caught:
        load(texts, tools=TOOLS, roles=None, held=None)
    assert any(
        p.endswith("phases: should have at least one phase, since not every request is not_yet")
        for p in caught.value.problems
    )
    texts[MAIN] = texts[MAIN].replace("    examples:", "    not_yet: true\n    examples:")
    load(texts, tools=TOOLS, roles=None, held=None)


def test_a_playbook_that_only_answers_needs_neither_requests_nor_phases() -> None:
    texts = {MAIN: "id: stock\nname: Stock\nproject: WAREHOUSE\n"}
    assert load(texts, tools=TOOLS, roles=None, held=None).definition.examples == ()


def test_cues_are_required_only_when_something_can_be_asked_for() -> None:
    texts = changed()
    texts[MAIN] = re.sub(r"(?m)^cues: .*\n", "", texts[MAIN])
    with pytest.raises(DefinitionError) as caught:
        load(texts, tools=TOOLS, roles=None, held=None)
    told = "cues: is required: the words that ask for its work, as in [book, order]"
    assert any(p.endswith(told) for p in caught.value.problems)


# What stands in the code but not in the table above, and the test that has it.
# Those of SOPs have their cases in test_sop_checks.py.
ELSEWHERE = (
    "'differences' holds those of 'bins' by then; name another list",
    "is required: the words that ask for its work, as in [book, order]",
    "should have at least one phase, since not every request is not_yet",
    "belongs to type x, this node is of type y",
    "does not go with over: every finding fails the node",
    "is required: what the model is to judge",
    # test_names_in_texts.py
    "nothing fills {requester}: the model is shown all of it beside the instruction",
    "is required: who decides when the model cannot",
    "no end can be reached from it",
    # test_project_folder.py
    "'find_hoist' gives no list; in tools.yaml a list is `result: many`",
    # tests/bot/testing/test_look_up.py
    "is required: a tool, and the fields that it fills",
    "'hoist' looks up by 'bay', or fills it; it is not edited then",
    "'find_hoist' writes; what is looked up comes from a tool that reads",
    "'list_hoists' gives a list; a tool that gives one thing is `result: one`",
    "is of type number, and the column text",
    # test_graph_command.py
    "'end_x' sets nothing, so the run ends there if the gate of its phase is still open; say under "
    "outcomes what it sets, or name it there",
    # test_edit_checks.py
    "decisions are made, not edited",
    "the card does not show 'x'; known here: y",
    "'x' is a list, which no card's form can change",
    # tests/bot/definitions/test_list_arguments.py
    "is a list, and 'part' is of type text; for_each: part calls for each row",
    # test_review_checks.py
    "should be an amount with its currency, as in 5000 EUR",
)


def templates() -> Iterator[str]:
    """Every text in the checks that is told: what is added, and what such a text is made of."""
    for path in CHECKS:
        tree = ast.parse(path.read_text())
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        inside: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inside |= {id(part) for part in ast.walk(node) if part is not node}
                pattern = "".join(
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*"
                    for part in node.values
                )
                if len(pattern.replace(".*", "").strip()) > 4:
                    yield pattern
        bare = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if id(node) not in docs | inside | bare and node.value.strip().count(" ") >= 2:
                yield re.escape(node.value)


def test_every_message_of_the_checks_is_in_the_table() -> None:
    found = list(templates())
    assert len(found) > 40
    told = [expected for _, expected in CASES] + list(ELSEWHERE)
    # Those of reviews have theirs in test_review_checks.py.
    told += [expected for _, _, expected in review_cases.CASES] + [review_cases.ON_EXPIRE]
    for cases in (tool_cases, answer_cases):
        told += [expected for _, _, expected in cases.CASES] + list(cases.ELSEWHERE)
    # Those of documents have theirs in tests/engine/documents, of computed fields in test_computed.
    told += [expected for _, _, expected in (*document_cases.CASES, *computed_cases.CASES)]
    lacking = [t for t in found if not any(re.search(t, text) for text in told)]
    assert lacking == []


@table(
    ("old", "new", "problem"),
    [
        ("id: matter\n", "id: matter\nid: matter\n", "key 'id' stands twice, first on line 1"),
        ("cues: [matter]", "cues: &a [matter]", "anchors (&name) are not allowed"),
        ("cues: [matter]", "cues: *a", "aliases (*name) are not allowed; write it out"),
        ("cues: [matter]", "cues: !!set {matter}", "tags (!name) are not allowed"),
        ("cues: [matter]", "cues: [no]", ""),
        ("cues: [matter]", "cues: [2026-01-01, 1:30, 0o17, yes, 1_000, 007]", ""),
        ("cues: [matter]", "cues: [12]", "cues.0: should be text, not 12"),
        *(
            ("cues: [matter]", f"cues: [{word}]", f"playbook.yaml:4: {word} is no number; quote it")
            for word in (".nan", ".NaN", ".inf", "-.inf", "+.Inf", "-.INF")
        ),
        ("cues: [matter]", "cues: ['.nan', \".inf\", .infinite, .n, inf, nan]", ""),
        ("cues: [matter]", "cues: [true]", "cues.0: should be text, not true"),
        ("    gate_value: completed", "    gate_value: no", ""),
        ("    gate_value: completed", "    gate_value: 1.5", "phases.0.gate_value: "),
    ],
)
def test_surprises_of_yaml_are_refused_or_read_as_text(old: str, new: str, problem: str) -> None:
    texts = changed((MAIN, old, new))
    if not problem:
        load(texts, tools=TOOLS, roles=None, held=None)
        return
    with pytest.raises(DefinitionError) as caught:
        load(texts, tools=TOOLS, roles=None, held=None)
    assert any(problem in each for each in caught.value.problems)
    assert all(each.startswith("playbook.yaml:") for each in caught.value.problems)
