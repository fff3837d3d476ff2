"""Traditional Chinese is read as simplified Chinese is, and what people wrote stays so."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.entities import dates, fold, is_traditional, simplified
from engine.text.entity_kinds import Entities, list_of
from engine.text.form_reading import find_values, read_form

TODAY = date(2026, 11, 29)
FIELDS = (
    Field(name="weight", label="体重", type="number", unit="kg"),
    Field(name="day", label="访视日期", type="date"),
    Field(
        name="grade",
        label="严重程度",
        type="choice",
        options=("mild", "severe"),
        labels={"mild": "轻度", "severe": "重度"},
    ),
    Field(name="who", label="申请人", type="text"),
)
SAID = "體重 61.5，訪視日期是後天，嚴重程度重度，申請人：葉聖陶"
MEANT = {"weight": "61.5", "day": "2026-12-01", "grade": "severe", "who": "葉聖陶"}


def test_each_letter_has_one_in_simplified_chinese_and_simplified_texts_stay() -> None:
    assert simplified("離開庭只剩三週，請幫我擬一份聲請狀") == "离开庭只剩三周，请帮我拟一份声请状"
    assert fold("Ｐ003 的體重") == "p003 的体重"
    assert not any(map(is_traditional, ("请帮我拟一份起诉状", "著作权归属", "weight of P003")))


def test_days_are_named_in_either() -> None:
    assert dates("後天", TODAY) == dates("后天", TODAY) == (date(2026, 12, 1),)
    assert dates("10月28號", TODAY) == (date(2026, 10, 28),)


def test_a_form_reads_it_and_keeps_texts_as_they_were_written() -> None:
    read = read_form(SAID, FIELDS, TODAY)
    assert (read.values, read.left) == (MEANT, "")
    assert read.words["day"] == "後天"
    assert find_values(SAID, FIELDS, TODAY).values == MEANT


def test_a_text_is_kept_in_the_letters_that_stand_at_its_place() -> None:
    assert read_form("台北的事，申請人：臺北", FIELDS, TODAY).values == {"who": "臺北"}


def test_what_nothing_explains_is_told_as_it_was_written() -> None:
    read = read_form("體重 61.5，順便訂會議室", FIELDS, TODAY)
    assert (read.values, read.left) == ({"weight": "61.5"}, "順便訂會議室")


def test_a_form_that_is_itself_in_traditional_chinese_is_answered_in_it() -> None:
    own = (
        Field(name="weight", label="體重", type="number"),
        Field(name="kind", label="類別", type="choice", options=("輕度", "嚴重")),
    )
    assert read_form("體重 61.5，類別嚴重", own, TODAY).values == {"weight": "61.5", "kind": "嚴重"}


@pytest.mark.parametrize("listed", ["葉圖", "叶图"])
@pytest.mark.parametrize("name", ["葉圖", "叶图"])
def test_a_list_names_what_it_names_in_either(name: str, listed: str) -> None:
    entities = Entities((list_of("client", [("C-1", (listed,)), ("C-2", ("Acme",))]),))
    asked = (Field(name="client", label="客户", type="entity", entity="client"), FIELDS[0])
    read = read_form(f"客戶{name}，體重 61.5", asked, TODAY, entities=entities)
    assert read.values == {"client": "C-1", "weight": "61.5"}


def test_of_names_that_are_alike_the_one_is_meant_that_stands_as_it_was_written() -> None:
    entities = Entities((list_of("client", [("C-1", ("葉圖",)), ("C-2", ("叶图",))]),))
    assert (entities.ids("客戶葉圖"), entities.ids("客户叶图")) == (("C-1",), ("C-2",))
