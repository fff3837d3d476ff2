"""Playbooks as people write them, made to measure: any number of phases and skills."""

from collections.abc import Iterator

Files = dict[str, str]

_BEGINS = ("collect", "check", "review", "record")
_SPOKEN = (
    "- record visit {n} of P{at}, weight 70.5 kg, blood pressure 120/80, ECOG 1",
    "- 请登记 P{at} 的第 {n} 次访视,体重 70.5kg,血压 120/80",
    "- could you record the week {at} visit of P{n}?",
    "- 帮我录入 P{at} 昨天的访视 {n}",
)


def sample_playbook(number: int, *, phases: int, skills: int) -> Files:
    """Path to text of a valid playbook: at least 5 phases and 6 skills, of all three kinds.

    It holds sets of prompts, rules, reviews and writes as the sample study does; the phases after
    the first four share the skills that are left, and allow every skill of the playbook.
    """
    extra = [(at, f"step-{at}", len(_BEGINS) + at % (phases - 4)) for at in range(skills - 5)]
    names = ("collect", "check", "fits", "review", "record", *(name for _, name, _ in extra))
    files = {
        "playbook.yaml": _main(number, phases, names, [(name, at) for _, name, at in extra]),
        "skills/collect.yaml": _COLLECT.format(n=number),
        "skills/check.yaml": _rules("check", "check", number, requires="profile.collect"),
        "skills/fits.yaml": _FITS.format(n=number),
        "skills/review.yaml": _REVIEW.format(n=number),
        "skills/record.yaml": _RECORD.format(n=number),
    }
    for at, name, _ in extra:
        files[f"skills/{name}.yaml"] = (
            _rules(name, f"step_{at}", number, requires="profile.record")
            if at % 2
            else _PROMPT.format(n=number, name=name, field=f"step_{at}")
        )
    return files


def _main(number: int, phases: int, names: tuple[str, ...], extra: list[tuple[str, int]]) -> str:
    profile = ("collect", "check", "fits", "record", *(_field(name) for name, _ in extra))
    lines = [_HEAD.format(n=number)]
    for request in range(2):
        lines.append(_REQUEST.format(n=number, at=request))
        lines += [f"      {said.format(n=number, at=at)}" for at in range(2) for said in _SPOKEN]
    lines += [
        "profile_fields:",
        *(f"  {name}: {{label: {{zh: 字段, en: Field}}}}" for name in profile),
    ]
    lines += ["decision_fields: [review]", _FIELDS]
    lines += [f"allowed_skills: [{', '.join(names)}]", _FIRST_PHASES]
    for at in range(len(_BEGINS), phases):
        mine = [f"profile.{_field(name)}" for name, phase in extra if phase == at]
        lines += _later_phase(number, at, mine)
    return "\n".join(lines) + "\n"


def _later_phase(number: int, at: int, paths: list[str]) -> Iterator[str]:
    yield _PHASE.format(n=number, at=at)
    yield f"    checkpoints: [{', '.join(paths)}]"
    yield f"    gate_field: {paths[0]}"
    yield "    gate_check: in:[passed, failed, complete]"


def _field(name: str) -> str:
    return name.replace("-", "_")


def _rules(name: str, field: str, number: int, *, requires: str) -> str:
    return _RULES.format(n=number, name=name, field=field, requires=requires)


_HEAD = """\
# Playbook {n}: a visit is collected, checked, reviewed, recorded and followed up.
id: playbook_{n}
name: {{zh: 第 {n} 号访视录入, en: Visit entry {n}}}
project: STUDY-{n}
cues:
  - 录入
  - 登记
  - record
  - "enter {n}"
requests:"""
_REQUEST = """\
  - id: request-{at}
    name: {{zh: 第 {at} 类请求, en: "Request {at}: of playbook {n}"}}
    examples:"""
_FIELDS = """\
data_fields:
  subject_id:
    label: {zh: 受试者编号, en: Subject}
    cues: [受试者, subject, patient]
    inherit: true
    identity: true
  visit_date:
    label: {zh: 访视日期, en: Visit date}
    type: date
    cues: [访视日期, visit date]
  ecog:
    label: {zh: ECOG 评分, en: ECOG score}
    type: choice
    options: ["0", "1", "2", "3", "4", "5"]
    cues: [ECOG]
  weight_kg:
    label: {zh: 体重, en: Weight}
    type: number
    unit: kg
    hint: {zh: "例如 70.5", en: "for example 70.5"}
  systolic:
    label: {zh: 收缩压, en: Systolic pressure}
    type: number
    unit: mmHg
  diastolic:
    label: {zh: 舒张压, en: Diastolic pressure}
    type: number
    unit: mmHg
  adverse_event:
    label: {zh: 不良事件, en: Adverse event}
    required: false"""
_FIRST_PHASES = """\
priority_rules:
  - when: {field: profile.check, check: "equals:failed"}
    skill: collect
phases:
  - id: collect
    name: {zh: 收集, en: Collect}
    goal: {zh: 收集一次访视的数据, en: The data of one visit}
    allowed_skills: [collect]
    checkpoints: [subject_id, visit_date, ecog, weight_kg, systolic, diastolic]
    gate_field: profile.collect
    gate_value: complete
  - id: check
    name: {zh: 检查, en: Check}
    goal: {zh: 数据通过所有规则, en: The data passes every rule}
    allowed_skills: [check, fits]
    checkpoints: [profile.fits]
    gate_field: profile.check
    gate_value: passed
  - id: review
    name: {zh: 审核, en: Review}
    goal: {zh: 审核员批准, en: A reviewer approves}
    allowed_skills: [review]
    gate_field: decisions.review
    gate_value: approved
  - id: record
    name: {zh: 写入, en: Record}
    goal: {zh: 写入研究数据库, en: Written to the study}
    allowed_skills: [record]
    gate_field: profile.record
    gate_value: recorded
    done_card:
      title: {zh: 已写入, en: Recorded}
      text: {zh: 访视已写入研究数据库。, en: The visit is in the study database.}"""
_PHASE = """\
  - id: phase-{at}
    name: {{zh: 第 {at} 阶段, en: Phase {at}}}
    goal: {{zh: 跟进访视 {n}, en: "Follow up on visit {n}, part {at}"}}"""
_COLLECT = """\
id: collect
name: {{zh: 收集访视数据 {n}, en: Collect visit data {n}}}
description: {{zh: 缺什么问什么, en: Takes a visit's data from the message and asks for the rest}}
category: intake
kind: prompt
provides: [subject_id, visit_date, ecog, weight_kg, systolic, diastolic, profile.collect]
sets: {{profile.collect: complete, profile.check: null}}
ask:
  title: {{zh: 录入访视：请补充, en: "Record a visit: what is missing"}}
  text: {{zh: 请填写下面的内容。, en: Please fill in what is missing.}}
  fields: [subject_id, visit_date, ecog, weight_kg, systolic, diastolic, adverse_event]
"""
_PROMPT = """\
id: {name}
name: {{zh: 补充 {name}, en: "Ask again: {name} of {n}"}}
description: {{zh: 写入后再确认一次, en: Asks the requester once more after the visit was written}}
category: follow-up
kind: prompt
requires:
  - {{field: profile.record, check: "equals:recorded"}}
  - {{field: subject_id, check: not_empty}}
provides: [adverse_event, profile.{field}]
sets: {{profile.{field}: complete}}
ask:
  title: {{zh: 请确认, en: "Please confirm: visit {n}"}}
  text: {{zh: 请确认下面的内容。, en: Please confirm what is below.}}
  fields: [visit_date, adverse_event]
  again: true
"""
_RULES = """\
id: {name}
name: {{zh: 访视数据检查, en: Visit data check {n}}}
description: {{zh: 按规则检查访视数据, en: Checks a visit's data against the rules}}
category: check
kind: sop
requires:
  - {{field: {requires}, check: not_empty}}
provides: [profile.{field}]
sop:
  start_node: ranges
  nodes:
    ranges:
      type: hard_rule
      rules:
        # A visit of the future is a typing error.
        - field: visit_date
          logic: {{"!": [{{date_after: [{{var: visit_date}}, {{var: today}}]}}]}}
          message: {{zh: 访视日期不能晚于今天, en: the visit cannot be in the future}}
        - field: weight_kg
          logic: {{"<=": [30, {{var: weight_kg}}, 200.{n}]}}
          message: {{zh: 应在 30 到 200 kg 之间, en: should be 30 to 200 kg}}
        - field: systolic
          logic: {{"<=": [70, {{var: systolic}}, 220]}}
          message: {{zh: 应在 70 到 220 mmHg 之间, en: should be 70 to 220 mmHg}}
          severity: warning
        - field: diastolic
          logic:
            and:
              - {{"<=": [40, {{var: diastolic}}, 130]}}
              - {{"<": [{{var: diastolic}}, {{var: systolic}}]}}
          message: {{zh: 应低于收缩压, en: should be below the systolic pressure}}
      on_pass: end_passed
      on_fail: end_failed
  outcomes:
    end_passed: {{profile.{field}: passed}}
    end_failed: {{profile.{field}: failed}}
"""
_FITS = """\
id: fits
name: {{zh: 能否写入, en: Can visit {n} be written}}
description: {{zh: 写入前核对受试者和日期, en: Asks the study whether the visit could be written}}
category: check
kind: tool_plan
requires:
  - {{field: profile.check, check: "equals:passed"}}
provides: [profile.fits]
sets: {{profile.fits: "yes"}}
plan:
  rehearses: record
  on_error: {{profile.check: failed}}
"""
_REVIEW = """\
id: review
name: {{zh: 访视数据审核, en: Visit data review {n}}}
description: {{zh: 由数据审核员批准将要写入的内容, en: A data reviewer approves what is written}}
category: review
kind: sop
requires:
  - {{field: profile.check, check: "equals:passed"}}
provides: [decisions.review]
sop:
  start_node: approve
  nodes:
    approve:
      type: human_review
      title: {{zh: 请审核：将写入一次访视, en: "Please review: a visit will be recorded"}}
      description: {{zh: 批准后原样写入。, en: "Once approved, exactly this is written:"}}
      review: {{roles: [reviewer], quorum: 1, four_eyes: true, deadline_s: 86400}}
      shows: record
      decision: review
      on_approve: end_approved
      on_reject: end_rejected
  outcomes:
    end_approved: {{decisions.review: approved}}
    end_rejected: {{decisions.review: rejected}}
"""
_RECORD = """\
id: record
name: {{zh: 写入访视, en: Record visit {n}}}
description: {{zh: 写入已批准的访视, en: Writes the visit that was approved}}
category: record
kind: tool_plan
requires:
  - {{field: decisions.review, check: "equals:approved"}}
provides: [profile.record]
sets: {{profile.record: recorded}}
plan:
  guard: {{decision: review}}
  # What the study refuses after all goes back to the requester, and is reviewed anew.
  on_error: {{profile.check: failed, profile.fits: null, decisions.review: null}}
  calls:
    - tool: record_visit
      arguments:
        subject_id: $subject_id
        visit_date: $visit_date
        ecog: $ecog
        weight_kg: $weight_kg
        systolic: $systolic
        diastolic: $diastolic
        adverse_event: $adverse_event
"""
