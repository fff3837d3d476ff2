"""Groups of fields: an object in YAML and JSON, dotted paths everywhere else."""

from typing import Any

import pytest

from engine.errors import DefinitionError
from engine.frames.leaves import value_of
from engine.frames.state import AgentState, Patch, PromptFrame
from engine.playbooks.conditions import Condition, LogicCondition, holds
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.playbooks.nesting import flatten, nest, split_path
from engine.skills.output import Output, read_output, schema_of
from engine.text.answer import AnswerFaults
from tests.fakes.tables import table
from tests.fakes.walk import Walk, at_skill

MAIN = """\
id: returns
name: {zh: 退货, en: Returns}
project: WAREHOUSE-1
cues: [return]
requests:
  - {id: take-back, name: {zh: 退货, en: Take back}, examples: [take this back]}
profile_fields:
  state: {label: {zh: 状态, en: State}}
  desk:
    fields:
      city: {label: {zh: 城市, en: City}}
decision_fields: [approved]
data_fields:
  sender:
    label: {zh: 寄件人, en: Sender}
    fields:
      name: {label: {zh: 姓名, en: Name}}
      address:
        label: {zh: 地址, en: Address}
        fields:
          street: {label: {zh: 街道, en: Street}}
          number: {label: {zh: 门牌, en: Number}, type: integer, minimum: 1}
  price: {label: {zh: 价格, en: Price}, type: money, currency: EUR}
phases:
  - id: intake
    name: {zh: 登记, en: Intake}
    goal: {zh: 登记, en: It is known}
    allowed_skills: [ask]
    checkpoints: [sender.name, profile.desk.city]
    gate_field: sender.address.street
    gate_check: not_empty
"""
ASK = """\
id: ask
name: {zh: 询问, en: Ask}
description: {zh: 询问, en: Asks}
category: intake
kind: prompt
provides: [sender.name, sender.address.street, sender.address.number, price, profile.desk.city]
output_schema: {profile: [desk.city], data: [sender.name, sender.address.street, price]}
system_prompt: Ask.
"""
FORM = """\
id: form
name: {zh: 表单, en: Form}
description: {zh: 表单, en: A form}
category: intake
kind: prompt
provides: [sender.name, sender.address.number]
ask:
  title: {zh: 寄件人, en: Sender}
  text: {zh: 请填写, en: Please fill in}
  fields: [sender.name, sender.address.number]
"""


def playbook(*changes: tuple[str, str]) -> Playbook:
    text = MAIN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    files = {"playbook.yaml": text, "skills/ask.yaml": ASK, "skills/form.yaml": FORM}
    return load(files, roles=None, held=None)


def problems(*changes: tuple[str, str]) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        playbook(*changes)
    return [*caught.value.problems]


def test_leaves_of_groups_have_dotted_paths_and_their_groups_labels() -> None:
    definition = playbook().definition
    assert list(definition.data_fields) == [
        "sender.name",
        "sender.address.street",
        "sender.address.number",
        "price",
    ]
    street, city = definition.leaf("sender.address.street"), definition.leaf("profile.desk.city")
    assert street is not None
    assert street.label("en") == "Sender · Address · Street"
    assert city is not None
    assert city.label("zh") == "城市"
    assert definition.leaf("sender") is None
    assert definition.value_faults("sender.address.number", 0) != []


STATE = AgentState(
    profile={"state": "open", "desk.city": "Bonn"},
    data={
        "sender.name": "Ann",
        "sender.address.number": 7,
        "price": {"value": 9, "currency": "EUR"},
    },
)


@table(
    ("path", "value"),
    [
        ("sender.name", "Ann"),
        ("sender.address.number", 7),
        ("sender.address.street", None),
        ("profile.desk.city", "Bonn"),
        ("price.value", 9),
        ("price.currency", "EUR"),
        ("price.name", None),
    ],
)
def test_the_state_is_read_by_path(path: str, value: Any) -> None:
    assert value_of(path, STATE) == value


def test_conditions_and_rules_read_by_path() -> None:
    tree = STATE.tree()
    assert tree["data"]["sender"] == {"name": "Ann", "address": {"number": 7}}
    assert holds(Condition(field="sender.name", check="equals:Ann"), tree)
    assert holds(Condition(field="profile.desk.city", check="in:[Bonn]"), tree)
    assert not holds(Condition(field="sender.address.street", check="not_empty"), tree)
    rule = {"and": [{"<": [{"var": "price.value"}, 10]}, {"==": [{"var": "sender.name"}, "Ann"]}]}
    assert holds(LogicCondition(logic=rule), tree)


def test_a_patch_changes_one_leaf_of_a_group() -> None:
    after = Patch(by="ann", data={"sender.name": "Bo", "price": None}).apply(STATE)
    assert after.data == {"sender.name": "Bo", "sender.address.number": 7}
    paths = Patch.from_paths("ann", {"profile.desk.city": "Köln"}).apply(STATE)
    assert paths.profile == {"state": "open", "desk.city": "Köln"}
    assert AgentState.model_validate_json(STATE.model_dump_json()) == STATE


def test_a_model_gives_objects_and_the_state_has_leaves() -> None:
    book = playbook()
    skill = book.skills["ask"]
    schema = schema_of(skill, book.definition)["properties"]
    sender = schema["data"]["properties"]["sender"]
    assert list(sender["properties"]) == ["name", "address"]
    assert schema["profile"]["properties"]["desk"]["required"] == ["city"]
    text = '{"response": "ok", "data": {"sender": {"name": "Ann", "address": {"street": null}}}}'
    output = read_output(text, skill, book.definition)
    assert isinstance(output, Output)
    assert output.data == {"sender.name": "Ann"}
    wrong = read_output('{"data": {"sender": {"name": 5, "age": 3}}}', skill, book.definition)
    assert isinstance(wrong, AnswerFaults)
    assert [each.partition(":")[0] for each in wrong] == ["data.sender.name", "data.sender.age"]


def test_objects_are_taken_apart_and_put_together() -> None:
    flat = {"a": 1, "b.c": 2, "b.d.e": {"x": 1}}
    assert nest(flat) == {"a": 1, "b": {"c": 2, "d": {"e": {"x": 1}}}}
    assert flatten(nest(flat), flat) == flat
    assert [split_path(p) for p in ("a.b", "profile.a.b", "profile")] == [
        ("", "a.b"),
        ("profile", "a.b"),
        ("", "profile"),
    ]


@table(
    ("change", "problem"),
    [
        (
            ("      name: {label", "      na me: {label"),
            "playbook.yaml:17: data_fields.sender.na me: is no name for a field",
        ),
        (
            ("number: {label: {zh: 门牌, en: Number}, type: integer", "number: {type: integer"),
            "playbook.yaml:22: data_fields.sender.address.number.label: is required",
        ),
        (
            ("    fields:\n      city", "    type: text\n    fields:\n      city"),
            "playbook.yaml:9: profile_fields.desk: a group of fields has a label and fields, "
            "not type",
        ),
        (
            ("    fields:\n      city: {label: {zh: 城市, en: City}}", "    fields: {}"),
            "playbook.yaml:9: profile_fields.desk: should have fields in it: a mapping",
        ),
        (
            ("      name: {label", "      a.b: {label"),
            "playbook.yaml:14: data_fields.sender: 'a.b' is no name for a field",
        ),
        (
            ("checkpoints: [sender.name", "checkpoints: [sender.nme"),
            "phases.0.checkpoints.0: 'sender.nme' is not among data_fields; "
            "did you mean 'sender.name'?",
        ),
        (("checkpoints: [sender.name", "checkpoints: [price.valu"), "'price.valu' is not among"),
    ],
)
def test_what_is_wrong_with_a_group_is_told_where_it_stands(
    change: tuple[str, str], problem: str
) -> None:
    assert any(problem in each for each in problems(change)), problems(change)


def test_groups_stand_in_few_groups() -> None:
    deep = "{label: {zh: 深, en: Deep}}"
    for name in "wxyz":
        deep = f"{{fields: {{{name}: {deep}}}}}"
    told = problems(("decision_fields", f"  deep: {deep}\ndecision_fields"))
    assert any("stands in more than 3 groups" in each for each in told)


async def test_a_form_asks_for_leaves_of_groups_and_the_run_has_them() -> None:
    book = playbook()
    run = at_skill(book, "form")
    frames = (run.frames[0], PromptFrame(skill="form"))
    walk = await Walk(book, run.model_copy(update={"frames": frames})).start()
    form = next(choice.form for choice in walk.card.choices if choice.form)
    assert [(f.name, f.label) for f in form] == [
        ("sender.name", "Sender · Name"),
        ("sender.address.number", "Sender · Address · Number"),
    ]
    await walk.answer("submit", {"sender.name": "Ann", "sender.address.number": "7"})
    assert walk.run.state.data == {"sender.name": "Ann", "sender.address.number": 7}
    decided = next(entry for entry in walk.log if entry["input"] == "card_decided")
    assert decided["changes"] == {"sender.name": "Ann", "sender.address.number": 7}
