"""A job graph for the static checks, and every change of it that they refuse."""

TEAM = "team-report"
SKILL = """\
id: team-report
name: {zh: 报告, en: Report}
description: {zh: 报告, en: A team writes the report}
category: report
kind: job_graph
jobs:
  goal: {zh: 报告 $law, en: "Report on ${law}"}
  experts:
    - {name: reader, profile: You read., tools: [knowledge__search]}
    - {name: checker, profile: You check., skill: visit-check}
  summary: plan
"""
Change = tuple[str, str, str]
_EXPERTS = SKILL[SKILL.index("  experts:") : SKILL.index("  summary:")]
_BATCH = "  batch: {tool: list_subjects, as: law, column: subject_id, summary: evidence}\n"

CASES: list[tuple[tuple[Change, ...], str]] = [
    (
        (
            (
                TEAM,
                "jobs:\n",
                "ask: {fields: [law], title: {zh: a, en: a}, text: {zh: a, en: a}}\njobs:\n",
            ),
        ),
        "ask: belongs to kind prompt, this skill is of kind job_graph",
    ),
    (
        ((TEAM, _EXPERTS, "  experts: []\n"),),
        "jobs.experts: should name at least one expert",
    ),
    (
        ((TEAM, "name: checker", "name: reader"),),
        "jobs.experts.1.name: 'reader' stands twice",
    ),
    (
        ((TEAM, "name: checker", "name: leader"),),
        "jobs.experts.1.name: 'leader' decomposes the goal, and is no expert",
    ),
    (
        ((TEAM, "[knowledge__search]", "[knowledge__serch]"),),
        "jobs.experts.0.tools.0: there is no tool 'knowledge__serch'; did you mean"
        " 'knowledge__search'?",
    ),
    (
        ((TEAM, "[knowledge__search]", "[record_visit]"),),
        "jobs.review: is required: record_visit writes, and people approve it first",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: visit-chek"),),
        "jobs.experts.1.skill: there is no skill 'visit-chek'; did you mean 'visit-check'?",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: visit-check, tools: [knowledge__search]"),),
        "jobs.experts.1.tools: either a skill or tools should be given",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: visit-record"),),
        "jobs.experts.1.skill: 'visit-record' writes (record_visit); an expert's skill only reads:"
        " give the expert the tool itself, and jobs a review",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: find-law"),),
        "jobs.experts.1.skill: 'find-law' only answers questions",
    ),
    (
        (
            ("work-plan", "category: ", "api_call_only: true\ncategory: "),
            (TEAM, "skill: visit-check", "skill: work-plan"),
        ),
        "jobs.experts.1.skill: 'work-plan' runs only over the internal API",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: look-up"),),
        "jobs.experts.1.skill: 'look-up' writes (memory__remember); an expert's skill only reads:"
        " give the expert the tool itself, and jobs a review",
    ),
    (
        ((TEAM, "skill: visit-check", "skill: team-report"),),
        "jobs.experts.1.skill: 'team-report' has child runs of its own; an expert is one of them",
    ),
    (
        (("visit-check", "  start_node: all\n", "  start_node: all\n" + _BATCH),),
        "jobs.experts.1.skill: 'visit-check' has child runs of its own; an expert is one of them",
    ),
    (
        ((TEAM, "  summary: plan", "  expert: writer\n  summary: plan"),),
        "jobs.expert: there is no expert 'writer'; known here: checker, reader",
    ),
    (
        ((TEAM, "${law}", "${laww}"),),
        "jobs.goal.en: there is no data field 'laww'; did you mean 'law'?",
    ),
    (
        ((TEAM, "summary: plan", "results: evidnce"),),
        "jobs.results: there is no data field 'evidnce'; did you mean 'evidence'?",
    ),
    (
        ((TEAM, "summary: plan", "results: evidence"),),
        "jobs.results: should be a list with the columns job, expert, result",
    ),
    (
        ((TEAM, "summary: plan", "summary: amount"),),
        "jobs.summary: should be a text, not number",
    ),
    (
        ((TEAM, "  summary: plan", "  on_error: {amount: 5}\n  summary: plan"),),
        "jobs.on_error.amount: should be a profile or decisions field",
    ),
    (
        ((TEAM, "  summary: plan", "  review: {roles: [reviewer]}\n  summary: plan"),),
        "jobs.review: does not go with tools that only read: nothing is to approve",
    ),
    (
        (
            (TEAM, "[knowledge__search]", "[record_visit]"),
            (TEAM, "  summary: plan", "  review: {roles: [crc]}\n  summary: plan"),
        ),
        "jobs.review.roles: nobody in people.yaml holds crc",
    ),
    (
        (
            (TEAM, "[knowledge__search]", "[record_visit]"),
            (
                TEAM,
                "  summary: plan",
                "  review: {roles: [reviewer], may_edit: [plan]}\n  summary: plan",
            ),
        ),
        "jobs.review.may_edit: does not go with the writes of experts: their arguments are no"
        " leaves",
    ),
    (
        ((TEAM, "  summary: plan", "  made_experts: {tools: [record_visi]}\n  summary: plan"),),
        "jobs.made_experts.tools.0: there is no tool 'record_visi'; did you mean 'record_visit'?",
    ),
    (
        ((TEAM, "  summary: plan", "  made_experts: {tools: [record_visit]}\n  summary: plan"),),
        "jobs.review: is required: record_visit writes, and people approve it first",
    ),
    (
        ((TEAM, "  summary: plan", "  expert: $law\n  summary: plan"),),
        "jobs.expert: law is a field of type text; a choice names an expert",
    ),
    (
        ((TEAM, "  summary: plan", "  expert: $side\n  summary: plan"),),
        "jobs.expert: side offers plaintiff, defendant, who is none of the experts",
    ),
]
