"""A field for one of a list: seeds of a nursery, said by name, kept by their number."""

import json
from datetime import date

import pytest

from engine.frames.run_names import known_values
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolFacts
from engine.runs.replay import replay, trace_of
from engine.services import FindEntities, entities_without_lists
from engine.text.entity_kinds import Entities, list_of
from engine.text.form_reading import read_values
from tests.fakes.walk import Walk, new_run

MAIN = """\
id: nursery
name: {zh: 苗圃, en: Nursery}
project: NURSERY
cues: [sow]
entities:
  seed: {name: {zh: 种子, en: Seed}, tool: list_seeds, id: number, names: [name]}
requests:
  - {id: sow, name: {zh: 播种, en: Sow}, examples: [please sow seeds]}
data_fields:
  seed: {label: {zh: 种子, en: Seed}, type: entity, entity: seed}
  trays: {label: {zh: 盘, en: Trays}, type: integer}
profile_fields:
  sown: {label: {zh: 已播, en: Sown}}
phases:
  - id: sowing
    name: {zh: 播种, en: Sowing}
    goal: {zh: 播种, en: It is sown}
    allowed_skills: [ask]
    gate_field: profile.sown
    gate_value: "yes"
"""
ASK = """\
id: ask
name: {zh: 询问, en: Ask}
description: {zh: 询问, en: Asks}
category: intake
kind: prompt
provides: [seed, trays, profile.sown]
sets: {profile.sown: "yes"}
ask:
  title: {zh: 种子, en: Which seed}
  text: {zh: 请填写, en: Please say}
  fields: [seed, trays]
"""
FACTS = {"list_seeds": ToolFacts(False, frozenset(), frozenset({"number", "name"}))}
TODAY = date(2026, 3, 2)
SEEDS = Entities((list_of("seed", [("S-1", ["kohlrabi"]), ("S-2", ["lettuce", "生菜"])]),), "v1")


def nursery() -> Playbook:
    return load({"playbook.yaml": MAIN, "skills/ask.yaml": ASK}, roles=None, held=None, tools=FACTS)


def listed(patterns: object, project: str, person: object) -> Entities:
    return SEEDS


async def asked(message: str, known: FindEntities = listed) -> Walk:
    run = new_run(nursery(), message=message, named=SEEDS.record(message))
    return await Walk(nursery(), run, listed=known).start()


@pytest.mark.parametrize("said", ["lettuce", "生菜", "S-2"])
async def test_a_message_gives_the_field_by_a_name_or_an_id(said: str) -> None:
    walk = await asked(f"please sow {said} seeds")
    assert walk.run.state.data == {"seed": "S-2"}
    assert [field.name for field in walk.card.choices[0].form] == ["trays"]
    assert walk.card.problems == ()


@pytest.mark.parametrize(
    ("known", "told"),
    [
        (listed, "Seed: This names none that is known here, or several: maize"),
        (entities_without_lists, "cannot be looked up for you just now"),
    ],
)
async def test_a_worker_takes_nothing_that_its_list_does_not_have(
    known: FindEntities, told: str
) -> None:
    walk = await asked("please sow seeds", known)
    # As a process without the list would have let it pass.
    await walk.answer("submit", {"seed": "maize", "trays": "3"})
    assert "seed" not in walk.run.state.data
    assert walk.card.problems, walk.whys
    assert told in walk.card.problems[0].replace("\\", "")


async def test_a_name_that_is_answered_is_kept_by_its_id_and_recorded() -> None:
    walk = await asked("please sow seeds")
    await walk.answer("submit", {"seed": "Kohlrabi", "trays": "3"})
    assert (walk.run.status, walk.run.state.data) == ("completed", {"seed": "S-1", "trays": 3})
    # Where the lists of then are not read.
    trace = trace_of(walk.run, [json.dumps(entry) for entry in walk.log])
    replayed = await replay(trace, nursery(), Walk(nursery(), walk.run).services())
    assert (replayed.difference, replayed.steps) == (None, len(trace.steps))


@pytest.mark.parametrize(("lang", "shown"), [("en", "lettuce (S-2)"), ("zh", "生菜（S-2）")])
async def test_a_card_shows_the_name_that_the_list_has_and_the_run_keeps_the_id(
    lang: str, shown: str
) -> None:
    named = SEEDS.record("please sow S-2")
    run = new_run(nursery(), message="please sow S-2", named=named, lang=lang)
    walk = await Walk(nursery(), run, listed=listed).start()
    assert [row.value for row in walk.card.rows] == [shown]
    assert [f.label_of(f.value, "") for f in walk.card.known] == [shown]
    assert walk.run.state.data == {"seed": "S-2"}
    assert known_values(walk.run) == [shown]


@pytest.mark.parametrize(
    ("name", "row", "title"),
    [
        # As of a list that was sorted by somebody: who reads "S-1 (S-2)" takes it for S-1.
        ("S-1", "S-2", "S-2"),
        # Two of one long name are told apart by the id alone.
        ("butterhead " * 6 + "x", "butterhead " * 6 + "x (S-2)", "S-2"),
    ],
)
async def test_no_name_hides_which_one_it_is(name: str, row: str, title: str) -> None:
    seeds = Entities((list_of("seed", [("S-1", ["kohlrabi"]), ("S-2", [name])]),))
    message = "please sow S-2"
    run = new_run(nursery(), message=message, named=seeds.record(message))
    walk = await Walk(nursery(), run, listed=lambda *_: seeds).start()
    assert [each.value for each in walk.card.rows] == [row]
    assert known_values(walk.run) == [title]


async def test_the_name_of_what_a_form_gave_is_kept_with_it() -> None:
    walk = await asked("please sow seeds")
    await walk.answer("submit", {"seed": "S-1", "trays": "3"})
    assert walk.run.state.data["seed"] == "S-1"
    assert known_values(walk.run) == ["kohlrabi (S-1)", "3"]


async def test_what_was_named_before_names_were_kept_is_shown_by_its_id() -> None:
    stored = [each.model_copy(update={"names": ()}) for each in SEEDS.record("sow S-2")]
    run = new_run(nursery(), message="please sow S-2", named=tuple(stored))
    walk = await Walk(nursery(), run, listed=listed).start()
    assert [row.value for row in walk.card.rows] == ["S-2"]


async def test_a_plain_text_keeps_the_words_that_a_list_of_other_work_has_too() -> None:
    """Whom a form is about may be any text: what the message names says nothing of that."""
    main = MAIN.replace("type: entity, entity: seed}", "identity: true, cues: [sow]}")
    files = {"playbook.yaml": main, "skills/ask.yaml": ASK}
    playbook = load(files, roles=None, held=None, tools=FACTS)
    message = "please sow lettuce"
    run = new_run(playbook, message=message, named=SEEDS.record(message))
    walk = await Walk(playbook, run, listed=listed).start()
    assert walk.run.state.data == {"seed": "lettuce"}
    # What earlier versions stored does not say so, and is read as before.
    (field,) = [f for f in walk.card.known if f.identity]
    stored = field.model_copy(update={"of_no_kind": False, "value": ""})
    assert read_values("lettuce", (field,), TODAY, entities=SEEDS) == {}
    assert read_values("lettuce", (stored,), TODAY, entities=SEEDS) == {"seed": "S-2"}


CHECK = """\
id: check
name: {zh: 检查, en: Check}
description: {zh: 检查, en: Checks}
category: review
kind: sop
provides: [profile.sown]
sop:
  start_node: season
  nodes:
    season:
      type: hard_rule
      rules:
        - {field: seed, logic: {"==": [{var: seed}, S-1]}, message: {zh: "{value} 未到时候", en: "{value} is too early"}}
        - {field: seed, logic: {"==": [{var: seed}, S-1]}, message: {zh: 没有苗床, en: has no bed}}
      on_pass: end_fine
      on_fail: end_refused
  outcomes: {end_fine: {profile.sown: "yes"}, end_refused: {says: {zh: 不行, en: No.}}}
"""  # noqa: E501


async def test_what_rules_say_of_it_has_its_name_too_and_they_judge_the_id() -> None:
    ask = ASK.replace("seed, trays, profile.sown", "seed, trays").replace(
        'sets: {profile.sown: "yes"}\n', ""
    )
    main = MAIN.replace(
        "allowed_skills: [ask]", "allowed_skills: [ask, check]\n    checkpoints: [seed, trays]"
    )
    files = {"playbook.yaml": main, "skills/ask.yaml": ask, "skills/check.yaml": CHECK}
    playbook = load(files, roles=None, held=None, tools=FACTS)
    message = "please sow lettuce"
    run = new_run(playbook, message=message, named=SEEDS.record(message))
    walk = await Walk(playbook, run, listed=listed).start()
    await walk.answer("submit", {"trays": "3"})
    told = walk.run.part.text.replace("\\", "")
    assert "lettuce (S-2) is too early" in told
    assert "Seed = lettuce (S-2): has no bed" in told
