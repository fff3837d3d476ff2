"""A harbour that writes offers for its berths: a document, section by section."""

from pathlib import Path

from tests.fakes.folders import write_files

MAIN = """\
id: harbour
name: {zh: 码头, en: Harbour}
project: HARBOUR-1
cues: [offer, make, 写]
requests:
  - {id: offer, name: {zh: 报价, en: Offer}, examples: [make an offer, 写一份报价]}
decision_fields: [agreed]
profile_fields:
  master: {label: {zh: 港务长, en: Harbour master}}
  state: {label: {zh: 状态, en: State}}
data_fields:
  tenant: {label: {zh: 租户, en: Tenant}}
  power: {label: {zh: 用电, en: Power}, type: boolean}
  terms: {label: {zh: 条款, en: Terms}, multiline: true}
  title: {label: {zh: 名称, en: Title}}
  offer: {label: {zh: 报价, en: Offer}, type: file}
  offer_text: {label: {zh: 文本, en: Text}, type: file}
  fees:
    label: {zh: 费用, en: Fees}
    type: list
    columns:
      what: {label: {zh: 项目, en: What}}
      sum: {label: {zh: 金额, en: Sum}, type: integer}
phases:
  - id: draft
    name: {zh: 起草, en: Draft}
    goal: {zh: 起草, en: The offer is drafted}
    allowed_skills: [write]
    checkpoints: [offer, profile.state]
"""
SKILL = """\
id: write
name: {zh: 起草, en: Draft the offer}
description: {zh: 起草, en: Drafts an offer}
category: drafting
kind: document
provides: [profile.state]
sets: {profile.state: drafted}
document:
  file: offer
  markdown: offer_text
  name: title
"""
CASE_MAIN = (
    MAIN.replace("cues:", "case: project\ncues:", 1)
    + """\
    done_card:
      title: {zh: 已起草, en: The offer is drafted}
      text: {zh: 如下, en: It is this one.}
      shows: [offer]
"""
)
TEMPLATE_ONLY = "  template: letter.docx\n"
WRITER = """\
  writer:
    prompt: Write an offer for a berth.
    sections: 12
    section_chars: 4000
    tools: [file__list]
"""


def add_offers(playbooks: Path) -> None:
    """The playbook in a folder of playbooks."""
    files = {"playbook.yaml": MAIN, "skills/write.yaml": SKILL + WRITER}
    write_files(playbooks / "harbour", files)
