"""What people of a small folder are offered and shown: nothing that it has not, in their words."""

import shutil
from pathlib import Path

from tests.bot.testing.conftest import FolderPlayer, told
from tests.conftest import ROOT
from tests.fakes.feast import BY_FEAST, write_feast
from tests.fakes.garage import APPROVE, ASK, MAIN, TOOLS, write_project
from tests.fakes.house import write_house

COOKBOOK = ROOT / "examples" / "cookbook"
SUGGESTED = """\
- test: nobody is offered questions about files and notes that a folder without tools need not have
  steps:
    - ida: /help
      expect: {reply: {contains: count the guests, lacks: [file, remember]}}
    - ida: Hi
      expect: {reply: {contains: count the guests, lacks: [summary.md, .txt]}}
    - ida: who wrote Hamlet?
      expect: {reply: {contains: count the guests, lacks: [file, remember]}}
- test: nor is who asks about files where there are none
  steps:
    - ida: where do the files mention 300 EUR
      expect: {reply: {contains: count the guests, lacks: Where in the files}}
"""
UNITS = """\
- test: a unit is told and read in the language of who reads
  given: {tools: {list_hoists: [{bay: A1, lifts_kg: 3500}]}}
  steps:
    - {mia: which hoists are there, expect: {reply: "3500 tons"}}
    - {mia: 有哪些举升机, expect: {reply: 3500 吨}}
    - mia: 预订一台举升机
    - mia: 工位 A1，日期 2026-03-09，重量 3 吨
      expect: {state: {load: 3}, card: {to: [fred]}}
"""


MISTYPED = """\
- test: what was taken beside a slip is on the form's card, and what was not is named
  steps:
    - mia: book a hoist in bay A1 on 32 Febuary
      expect:
        form: [day]
        card: {kind: clarify, to: [mia], values: {bay: A1}}
        reply: "Not used: “on 32 Febuary”"
"""


ONE_FIELD = """\
- test: one thing that is asked for is answered as people say it
  steps:
    - {mia: book a hoist in bay A1, expect: {form: [day]}}
    - mia: make it the day after tomorrow, please
      expect: {card: {kind: confirm, to: [fred]}}
- test: a day alone is of the month of the question
  steps:
    - {mia: book a hoist in bay A1, expect: {form: [day]}}
    - mia: the 14th, please
      expect: {state: {day: "2031-03-14"}, card: {to: [fred]}}
- test: and in Chinese
  steps:
    - {mia: 预订 A1 工位的举升机, expect: {form: [day]}}
    - mia: 就14号吧
      expect: {state: {day: "2031-03-14"}, card: {to: [fred]}}
"""
IN_MARCH = {
    "playbooks/hoists/skills/ask-booking.yaml": ASK.replace(
        'text: {zh: 哪个工位，哪一天？, en: "Which bay, and which day?"}',
        'text: {zh: 2031年3月哪一天？, en: "Which day of March 2031?"}',
    ),
}


REJECTED = """\
- test: a reply is to whoever acts
  given: {tools: {book_hoist: {}}}
  steps:
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09}}
    - fred: {tap: reject, reason: no}
      expect: {end: rejected, reply: {is: rejected}}
"""


UNIT = "unit: {zh: 吨, en: tons}"
WITH_LOAD = {
    "playbooks/hoists/tools.yaml": TOOLS.replace("unit: kg", UNIT),
    "playbooks/hoists/playbook.yaml": MAIN.replace(
        "data_fields:\n",
        f"data_fields:\n  load: {{label: {{zh: 重量, en: Load}}, type: number, {UNIT}}}\n",
    ),
    "playbooks/hoists/skills/ask-booking.yaml": """\
id: ask-booking
name: {zh: 预订信息, en: Booking}
description: {zh: 询问工位和日期, en: Asks for bay and day}
category: intake
kind: prompt
provides: [bay, day, load]
ask:
  title: {zh: 预订, en: Booking}
  text: {zh: 哪个工位，哪一天？, en: "Which bay, and which day?"}
  fields: [bay, day, load]
""",
}


async def test_a_reply_that_others_got_is_told_so(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    (played,) = await play_folder(write_project(tmp_path / "garage"), REJECTED)
    assert [fault.text.partition("expected ")[2] for fault in played.faults] == [
        "rejected, was no reply; others were told so: `reply` is to whoever acts,"
        " see `end` and `told`"
    ]


HEAVY = """\
- test: what a rule says of a value has its unit
  steps:
    - mia: book a hoist
    - mia: {fill: {bay: A1, day: 2026-03-09, load: 9}}
      expect: {end: refused, reply: "Load = 9 tons: is more than any hoist lifts"}
    - mia: 预订一台举升机
    - mia: {fill: {bay: A1, day: 2026-03-09, load: 9}}
      expect: {end: refused, reply: "重量 = 9 吨：超过所有举升机"}
"""
CHECK = """\
    heavy:
      type: hard_rule
      rules:
        - field: load
          logic: {"<=": [{var: load}, 5]}
          message: {zh: 超过所有举升机, en: is more than any hoist lifts}
      on_pass: approve
      on_fail: end_heavy
"""


async def test_a_rule_tells_a_value_with_its_unit(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    files = {
        **WITH_LOAD,
        "playbooks/hoists/skills/approve-booking.yaml": APPROVE.replace(
            "start_node: approve\n  nodes:\n", f"start_node: heavy\n  nodes:\n{CHECK}"
        ),
    }
    played = await play_folder(write_project(tmp_path / "garage", **files), HEAVY)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_a_slip_costs_no_other_value(tmp_path: Path, play_folder: FolderPlayer) -> None:
    played = await play_folder(write_project(tmp_path / "garage"), MISTYPED)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_one_thing_is_answered_as_people_say_it(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    played = await play_folder(write_project(tmp_path / "garage", **IN_MARCH), ONE_FIELD)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_a_small_folder_offers_what_it_has(tmp_path: Path, play_folder: FolderPlayer) -> None:
    played = await play_folder(write_feast(tmp_path / "kitchen", BY_FEAST), SUGGESTED)
    assert [each for each in played if not each.passed] == [], told(played)


async def test_a_unit_is_a_text_by_language(tmp_path: Path, play_folder: FolderPlayer) -> None:
    played = await play_folder(write_project(tmp_path / "garage", **WITH_LOAD), UNITS)
    assert [each for each in played if not each.passed] == [], told(played)


ANSWERS = """\
- test: labels that are questions name what is answered, in any language of the form
  steps:
    - ada: I want to report something broken
    - {ada: "Where: cellar", expect: {reply: "Noted: Where cellar."}}
    - {ada: no hurry, expect: {reply: "How urgent No hurry. Still missing: What is broken"}}
    - {ada: "什么坏了：灯", expect: {state: {what: 灯, place: cellar, urgency: whenever}}}
- test: 标签里有疑问词，也是回答
  steps:
    - li: 我要报修
    - {li: 什么坏了：水龙头, expect: {reply: 已记下：什么坏了 水龙头}}
    - {li: 哪里：12号的厨房, expect: {reply: 还缺：紧急程度}}
    - {li: 不急, expect: {state: {place: 12号的厨房, urgency: whenever}}}
- test: several labels in one message
  steps:
    - ada: I want to report something broken
    - ada: "What is broken: the tap, Where: kitchen, How urgent: at once"
      expect: {state: {what: the tap, place: kitchen, urgency: now}}
- test: a text may stand in the only field left, though it resembles a request
  steps:
    - ada: I want to report something broken
    - ada: "Where: cellar; How urgent: no hurry"
    - ada: the stairwell light
      expect: {reply: "What is broken the stairwell light"}
    - li: 我要报修
    - li: 哪里：地下室
    - {li: 把哪里改成B楼道, expect: {reply: 已改为：哪里 B楼道}}
    - {li: 紧急程度：不急, expect: {reply: 还缺：什么坏了}}
    - {li: 抱歉，是电梯, expect: {reply: 什么坏了 电梯}}
- test: a correction takes the place of what stands, without its verb
  steps:
    - ada: I want to report something broken
    - ada: "Where: cellar"
    - ada: change the place to stairwell C
      expect: {reply: {contains: "Where stairwell C", lacks: to stairwell}}
    - {ada: "sorry, it is the attic", expect: {reply: {contains: still open, lacks: Hello}}}
    - {ada: "no, Thursday instead", expect: {reply: Visit on 2026-03-05}}
- test: what is changed is told once, and putting right what only waits to be sent sends nothing
  steps:
    - ada: I want to report something broken
    - ada: "Where: cellar; How urgent: no hurry"
    - ada: change the place to the attic
      expect: {reply: {contains: "Changed to: Where the attic", lacks: Noted}}
    - ada: the stairwell light
      expect: {reply: {contains: Nothing was submitted yet, lacks: attic}}
    - ada: "Where: roof"
      expect: {reply: {contains: ["Changed to: Where roof", Nothing was submitted yet]}}
- test: 改过的只说一次，改正不等于提交
  steps:
    - li: 我要报修
    - li: 哪里：地下室；紧急程度：不急
    - {li: 把哪里改成B楼道, expect: {reply: {contains: 已改为：哪里 B楼道, lacks: 已记下}}}
    - {li: 楼道灯, expect: {reply: 还没有提交}}
    - {li: 哪里：屋顶, expect: {reply: [已改为：哪里 屋顶, 还没有提交]}}
- test: sending in words points to the button, and tells what stands in the form
  steps:
    - ada: I want to report something broken
    - ada: "Where: cellar"
    - {ada: submit, expect: {reply: {contains: ["Where cellar", "“Submit” button"]}}}
    - li: 我要报修
    - {li: 提交, expect: {reply: 「提交」按钮}}
- test: what is said of a choice and gives no value is named
  steps:
    - ada: can somebody repair the front door, it's urgent
      expect: {reply: "Not used: “it's urgent”"}
    - {ada: "What is broken: lift; it's urgent", expect: {reply: "Not used: “it's urgent”"}}
    - li: 厨房漏水，请派人来修一下，挺紧急的
      expect: {reply: 未采用：「挺紧急的」}
    - {li: 哪里：厨房。很紧急, expect: {reply: 未采用：「很紧急」}}
"""


async def test_people_answer_a_form_in_its_own_words(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    played = await play_folder(write_house(tmp_path / "house"), ANSWERS)
    assert [each for each in played if not each.passed] == [], told(played)


NAMED = """\
- test: the reply names what was asked for, and not the playbook
  steps:
    - ida: please rent a drill press
    - ida: {fill: {item: drill press, price: 20 EUR}}
    - max: {tap: reject, reason: too dear}
      expect: {end: rejected, told: [ida]}
    - ida: /mine
      expect: {reply: {contains: Rent a machine, lacks: Purchases}}
"""


async def test_a_reply_names_which_request_of_several_it_is_about(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = Path(shutil.copytree(COOKBOOK / "limit", tmp_path / "bot"))
    playbook = folder / "playbooks" / "purchase" / "playbook.yaml"
    rent = (
        "  - {id: rent, name: Rent a machine, examples: [please rent a drill press, rent a saw]}\n"
    )
    text = playbook.read_text("utf-8").replace("cues: [", "cues: [rent, ")
    playbook.write_text(text.replace("decision_fields", f"{rent}decision_fields"), "utf-8")
    played = await play_folder(folder, NAMED)
    assert [test.passed for test in played] == [True, True, True], told(played)


LAST_FRIDAY = """\
- test: a weekday of what is past narrows, also where an example has one
  given:
    now: 2026-11-30T09:00
    tools: {list_shifts: [{day: 2026-11-27, who: Ida}, {day: 2026-11-26, who: Uwe}]}
  steps:
    - {mia: who was on duty last Friday, expect: {reply: {contains: Ida, lacks: Uwe}}}
    - {mia: 上周五谁值班, expect: {reply: {contains: Ida, lacks: Uwe}}}
"""
SHIFTS = """\
list_shifts:
  description: Who was on duty.
  reads: {connection: workshop, sql: "SELECT day, who FROM shifts"}
  result: many
  period: [day]
  columns:
    day: {label: {zh: 日期, en: Day}, type: date}
    who: {label: {zh: 谁, en: Who}}
  cues: [on duty, 值班]
  examples: [who was on duty on Friday, 周五谁值班]
"""


async def test_an_example_with_a_weekday_is_not_of_every_day(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    tools = {"playbooks/hoists/tools.yaml": f"{TOOLS.rstrip()}\n{SHIFTS}"}
    folder = write_project(tmp_path / "garage", **tools)
    played = await play_folder(folder, LAST_FRIDAY)
    assert all(test.passed for test in played), told(played)


BUTTONS = """\
- test: the buttons of a review say what it is about
  steps:
    - ida: please buy a drill press
    - ida: {fill: {item: drill press, price: 20 EUR}}
      expect: {card: {to: [max], options: [I have the money, Too dear]}}
    - max: {tap: Too dear, reason: not this year}
      expect: {end: rejected}
- test: and are those that approve and reject
  steps:
    - ida: please buy a drill press
    - ida: {fill: {item: drill press, price: 20 EUR}}
    - max: {tap: approve}
      expect: {end: done}
"""


async def test_a_review_names_its_buttons(tmp_path: Path, play_folder: FolderPlayer) -> None:
    folder = Path(shutil.copytree(COOKBOOK / "limit", tmp_path / "bot"))
    shutil.rmtree(folder / "playbooks" / "purchase" / "tests")
    approve = folder / "playbooks" / "purchase" / "skills" / "approve.yaml"
    text, roles = approve.read_text("utf-8"), "        roles: [buyer]\n"
    assert roles in text
    named = f"{roles}        buttons: {{approve: I have the money, reject: Too dear}}\n"
    approve.write_text(text.replace(roles, named), "utf-8")
    played = await play_folder(folder, BUTTONS)
    assert [test.passed for test in played] == [True, True], told(played)


ME = """\
given: {tools: {list_members: [{id: M-1, name: Ida Holm}, {id: M-2, name: Max Weber}]}}
tests:
- test: me is whoever asks, where the list has them
  steps:
    - ida: please buy me a drill press, 20 EUR
      expect: {state: {member: M-1}}
    - max: please buy me a drill press, 20 EUR
      expect: {state: {member: M-2}}
    - eva: please buy me a drill press, 20 EUR
      expect: {state: {member: null}}
- test: and nobody where somebody else is named
  steps:
    - ida: please buy me a drill press for Max Weber
    - ida: {tap: "1"}
      expect: {state: {member: M-2}}
"""
MEMBERS = """\
list_members:
  description: The members.
  reads: {connection: members}
  result: many
  columns: {id: {label: Member}, name: {label: Name}}
"""


async def test_me_is_whoever_asks_where_a_list_has_them(
    tmp_path: Path, play_folder: FolderPlayer
) -> None:
    folder = Path(shutil.copytree(COOKBOOK / "limit", tmp_path / "bot"))
    made = folder / "playbooks" / "purchase"
    shutil.rmtree(made / "tests")
    (folder / "members.csv").write_text("id,name\n", "utf-8")
    (folder / "connections.yaml").write_text("members: {kind: sheet, file: members.csv}\n", "utf-8")
    (made / "tools.yaml").write_text(MEMBERS, "utf-8")
    kind = "entities: {member: {name: Member, tool: list_members, id: id, names: [name]}}\n"
    field = "data_fields:\n  member: {label: For, type: entity, entity: member}\n"
    for path in (made / "playbook.yaml", made / "skills" / "ask.yaml"):
        text = path.read_text("utf-8").replace("data_fields:\n", kind + field)
        path.write_text(text.replace("[item, price]", "[member, item, price]"), "utf-8")
    played = await play_folder(folder, ME)
    assert all(test.passed for test in played), told(played)
