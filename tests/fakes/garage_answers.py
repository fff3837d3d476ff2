"""Answers and documents of the garage, in English and Chinese, and in English alone."""

ANSWERS = """\
hours:
  examples:
    en: [when are you open, what are your opening hours, how do I find out when you are open]
    zh: [你们几点开门, 营业时间是什么]
  text:
    en: We are open **from 8 to 18**, not on Sundays.
    zh: 营业时间为 **8 点到 18 点**，周日休息。
oil:
  examples:
    en: [where does used oil go, how do I get rid of used oil]
    zh: [废机油倒在哪里]
  document:
    en: {file: rules.en.md, heading: Waste}
    zh: {file: rules.zh.md, heading: 废弃物}
spare:
  examples: [when was the spare hoist inspected, 备用举升机什么时候检验过]
  tool: find_hoist
  arguments: {bay: B2}
  tell:
    en: "The spare hoist in {bay} was inspected on {inspected}."
    zh: "{bay} 的备用举升机检验于 {inspected}。"
safe:
  examples: [what is the code of the safe, 保险箱密码是多少]
  text: {en: "It is 4711.", zh: "是 4711。"}
  roles: [foreman]
"""
ENGLISH_ANSWERS = """\
hours:
  examples: [when are you open, what are your opening hours]
  text: We are open from 8 to 18.
oil:
  examples: [where does used oil go]
  document: {file: rules.md, heading: Waste}
"""
RULES = """\
# House rules of the garage

They hold for everybody.

## Waste

Used oil goes into the red drum behind bay A1. Rags go into the grey bin.

## Test drives

A test drive takes at most 20 minutes and needs the signature of the foreman. Nobody drives alone.

## Guests in the workshop

Guests wear a yellow vest. Dogs are not allowed in the workshop.
"""
RULES_ZH = """\
# 车间规定

适用于所有人。

## 废弃物

废机油倒入 A1 工位后面的红桶。抹布放入灰桶。

## 试车

试车最长二十分钟，须由工长签字。不得单独试车。

## 访客

访客须穿黄色背心。车间内不允许带狗。
"""
TWO_LANGUAGES = {
    "hoists/answers.yaml": ANSWERS,
    "hoists/documents/rules.en.md": RULES,
    "hoists/documents/rules.zh.md": RULES_ZH,
}
ENGLISH = {
    "playbooks/hoists/answers.yaml": ENGLISH_ANSWERS,
    "playbooks/hoists/documents/rules.md": RULES,
}
