"""What `element__extract` takes out of texts by the patterns of a playbook."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.errors import DefinitionError
from engine.playbooks.entity import ElementDefinition
from engine.playbooks.load import load
from engine.tools.files.element_extract import ELEMENT_EXTRACT
from engine.tools.model import ToolContext
from engine.tools.registry import call

GARAGE = """\
id: garage
name: {zh: 修车, en: Garage}
project: GARAGE-1
elements:
  part: {name: {zh: 零件号, en: Part number}, pattern: "PN[0-9]{3,6}"}
  mechanic: {name: {zh: 技师, en: Mechanic}, pattern: "(?:Mechanic|技师): ?([^,\\\\n]{2,30})"}
"""
ANSWERS = "hi: {examples: {zh: [你好吗], en: [hello there]}, text: {zh: 好, en: Fine}}\n"
LITIGATION = Path(__file__).parents[3] / "playbooks/litigation_civil_prosecution/playbook.yaml"


def elements_of(definition: str) -> ToolContext | Any:
    kinds = yaml.safe_load(definition)["elements"]
    return tuple(ElementDefinition.model_validate(k).kind(n) for n, k in kinds.items())


async def extract(text: str, ctx: ToolContext) -> dict[str, list[str]]:
    result = await call(ELEMENT_EXTRACT, {"text": text}, ctx)
    values: dict[str, list[str]] = {}
    for element in result["elements"]:
        values.setdefault(element["kind"], []).append(element["value"])
    return values


async def test_a_garage_finds_its_parts_and_people(ctx: ToolContext) -> None:
    ctx = replace(ctx, elements=elements_of(GARAGE))
    text = "技师：李 雷，换 PN1234 和 PN99812。\nMechanic: Ann Low, PN1234, on 2026-03-05, ¥300."
    assert await extract(text, ctx) == {
        "date": ["2026-03-05"],
        "mechanic": ["李 雷", "Ann Low"],
        "part": ["PN1234", "PN99812"],
        "amount": ["CNY 300.00"],
    }
    result = await call(ELEMENT_EXTRACT, {"text": text}, ctx)
    assert "Part number (2): PN1234, PN99812" in ELEMENT_EXTRACT.tell(result, "en")
    assert "技师 (2)" in ELEMENT_EXTRACT.tell(result, "zh") or "技师（2）" in ELEMENT_EXTRACT.tell(
        result, "zh"
    )


async def test_an_identity_number_stays_masked_in_what_a_pattern_finds(ctx: ToolContext) -> None:
    ctx = replace(ctx, elements=elements_of(GARAGE))
    found = await extract("Mechanic: 11010519491231002X, PN333", ctx)
    assert found["part"] == ["PN333"]
    assert all("11010519" not in value for values in found.values() for value in values)


async def test_the_sample_of_matters_knows_parties_case_numbers_and_articles(
    ctx: ToolContext,
) -> None:
    ctx = replace(ctx, elements=elements_of(LITIGATION.read_text("utf-8")))
    chinese = await extract(
        "（2024）京0105民初12345号\n原告：恒远贸易有限公司，住所地北京。\n被告（反诉原告）：宏图建材有限公司。\n"
        "依照《中华人民共和国民法典》第五百七十七条、第五百八十四条之规定，"
        "《民事诉讼法》第六十七条第一款。",
        ctx,
    )
    assert chinese["case_number"] == ["(2024)京0105民初12345号"]
    assert chinese["party"] == ["恒远贸易有限公司", "宏图建材有限公司"]
    assert chinese["article"] == [
        "《中华人民共和国民法典》第五百七十七条",
        "第五百八十四条",
        "《民事诉讼法》第六十七条第一款",
    ]
    english = await extract(
        "Case No. 2:21-cv-00123\nPlaintiff: Hengyuan Trading Ltd, of Beijing\n"
        "Under Article 577 of the Civil Code and Clause 12.3(b).",
        ctx,
    )
    assert english["case_number"] == ["Case No. 2:21-cv-00123"]
    assert english["party"] == ["Hengyuan Trading Ltd"]
    assert english["article"] == ["Article 577 of the Civil Code", "Clause 12.3(b)"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("part: {name: x, pattern: 'PN[0-9'}", "cannot be run"),
        ("part: {name: x, pattern: 'a*'}", "finds an empty text"),
        ("part: {name: x, pattern: '(a)(b)'}", "should have one group at most"),
        ("part: {name: x, pattern: '（[0-9]+）'}", "（ is searched for as its plain form"),
        ("date: {name: x, pattern: 'abc'}", "is no name for a kind"),
        ("part no: {name: x, pattern: 'abc'}", "is no name for a kind"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told_when_it_is_loaded(line: str, fault: str) -> None:
    main = f"{GARAGE.partition('elements:')[0]}elements:\n  {line}\n"
    with pytest.raises(DefinitionError, match=re.escape(fault)):
        load({"playbook.yaml": main, "answers.yaml": ANSWERS}, roles=None, held=None)


def test_a_playbook_says_which_kinds_there_are() -> None:
    made = load({"playbook.yaml": GARAGE, "answers.yaml": ANSWERS}, roles=None, held=None)
    assert [kind.name for kind in made.definition.element_kinds] == ["part", "mechanic"]
