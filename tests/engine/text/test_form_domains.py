"""Forms of domains that nobody tuned the reading to: expenses, leave, a warehouse, a garage."""

from datetime import date

import pytest

from cards.model import Field
from engine.text.form_reading import read_form, read_values
from tests.fakes.tables import table

# ruff: noqa: E501

WEDNESDAY = date(2026, 2, 25)

INVOICE = Field(name="invoice", label="Invoice number", cues=("发票号", "invoice"), required=False)
PAID_ON = Field(name="paid_on", label="Paid on", type="date", cues=("日期", "paid on"))
PURPOSE = Field(name="purpose", label="Purpose", cues=("事由", "purpose"), required=False)

COST = Field(name="cost", label="Cost", type="money", cues=("金额", "cost"))
EUROS = COST.model_copy(update={"currencies": ("EUR",)})
CALL = Field(name="call", label="Call", type="time")
MAIL = Field(name="mail", label="Mail", type="email")
PAGE = Field(name="page", label="Page", type="url")
RECEIPT = Field(
    name="receipt", label="Receipt", type="boolean", options=("yes", "no"), cues=("发票",)
)

PLATE = Field(
    name="plate", label="Plate", pattern="[A-Z0-9][A-Z0-9 -]{3,9}", cues=("plate", "车牌")
)
BADGE = Field(
    name="badge", label="Badge", pattern="[0-9][0-9 -]{4,11}", cues=("badge", "ring at", "工牌")
)
ARRIVES = Field(name="arrives", label="Arrives", type="date", cues=("到达",))
KIND = Field(
    name="kind",
    label="Kind of leave",
    type="choice",
    options=("annual leave", "sick leave", "事假"),
)
FROM = Field(name="start", label="First day", type="date", cues=("开始",), pair_with="end")
UNTIL = Field(name="end", label="Last day", type="date", cues=("结束",))
DAYS = Field(name="days", label="Days off", type="number", unit="days", cues=("天数",))
LEAVE = (KIND, FROM, UNTIL, DAYS)

SHELF = Field(name="shelf", label="Shelf", pattern="[A-Z][0-9]{2}-[0-9]{1,3}", cues=("货架",))
PIECES = Field(name="pieces", label="Pieces", type="integer", cues=("件数", "pieces"))
LOAD = Field(name="load", label="Load", type="number", unit="kg", cues=("重量",))
GOODS = (SHELF, PIECES, LOAD)

GATE = (PLATE, BADGE, PIECES, ARRIVES)

FRONT = Field(
    name="front", label="Front", type="number", unit="bar", cues=("tyres", "胎压"), pair_with="rear"
)
REAR = Field(name="rear", label="Rear", type="number", unit="bar", cues=("tyres", "胎压"))
KM = Field(name="km", label="Mileage", type="integer", unit="km", cues=("里程", "odometer"))
GARAGE = (FRONT, REAR, KM)

DOOR = Field(name="door", label="Which door", names=("哪扇门",))
KEYS = Field(name="keys", label="How many", names=("几把",), type="integer", minimum=1, maximum=5)
WHY = Field(name="why", label="Why", names=("原因",), cues=("because", "因为"))
KEY = (DOOR, KEYS, WHY)
WHAT = Field(name="what", label="What is broken", names=("什么坏了",))
PLACE = Field(name="place", label="Where", names=("哪里",))
URGENCY = Field(
    name="urgency",
    label="How urgent",
    type="choice",
    cues=("urgent",),
    options=("now", "whenever"),
    labels={"now": "At once", "whenever": "No hurry"},
    option_names={"马上": "now", "不急": "whenever"},
)
REPAIR = (WHAT, PLACE, URGENCY)
HALL = (
    Field(name="day", label="Day", type="date"),
    Field(name="starts", label="From", type="time", pair_with="ends"),
    Field(name="ends", label="To", type="time"),
)


@table(
    ("text", "fields", "values"),
    [
        ("Which door: bike room", KEY, {"door": "bike room"}),
        ("哪扇门：大门，几把：2", KEY, {"door": "大门", "keys": "2"}),
        ("What is broken: tap, Where: kitchen, How urgent: at once", REPAIR, {"what": "tap", "place": "kitchen", "urgency": "now"}),
        ("哪里：12号的厨房", REPAIR, {"place": "12号的厨房"}),
        ("no hurry", REPAIR, {"urgency": "whenever"}),
        ("不急", REPAIR, {"urgency": "whenever"}),
        ("the tap drips, no hurry", REPAIR, {"urgency": "whenever"}),
        ("two keys", KEY, {"keys": "2"}),
        ("two", KEY, {"keys": "2"}),
        ("两把", KEY, {"keys": "2"}),
        ("大门，两把，给孩子用", KEY, {"keys": "2"}),
        ("the bike room, 2 keys", KEY, {"keys": "2"}),
        ("flat 12", KEY, {}),
        ("我家12号", KEY, {}),
        ("I lost one", KEY, {}),
        ("2 weeks ago", KEY, {}),
        ("two headaches", (Field(name="grade", label="Grade", type="integer"),), {}),
        ("change the place to stairwell C", REPAIR, {"place": "stairwell C"}),
        ("purpose to the fair", (PURPOSE,), {"purpose": "to the fair"}),
        ("事由改成去广州", (PURPOSE,), {"purpose": "去广州"}),
        ("把事由换成去广州", (PURPOSE,), {"purpose": "去广州"}),
        ("no, Thursday instead", HALL, {"day": "2026-02-26"}),
        ("不对，周四", HALL, {"day": "2026-02-26"}),
        ("on Friday from 9 to 11", HALL, {"day": "2026-02-27", "starts": "09:00", "ends": "11:00"}),
        ("from 10 to 18", HALL, {"starts": "10:00", "ends": "18:00"}),
        ("make it 15:00 to 17:00", HALL, {"starts": "15:00", "ends": "17:00"}),
        ("明天 9 点到 12 点", HALL, {"day": "2026-02-26", "starts": "09:00", "ends": "12:00"}),
        ("九点半到十一点", HALL, {"starts": "09:30", "ends": "11:00"}),
        ("两点到四点", HALL, {}),
        ("from 2 to 4", HALL, {}),
        ("from 4 to 6 December", HALL, {}),
        ("from 9 to 11 people", HALL, {}),
        ("from 9 to 11", (PIECES,), {}),
    ],
)  # fmt: skip
def test_answers_in_the_words_of_a_form_are_its_values(
    text: str, fields: tuple[Field, ...], values: dict[str, str]
) -> None:
    assert read_values(text, fields, WEDNESDAY) == values


def test_hours_that_may_be_of_the_afternoon_are_asked_for() -> None:
    for text in ("from 2 to 4", "2 点到 4 点"):
        reading = read_form(text, HALL, WEDNESDAY)
        assert reading.faults == {"starts": "form.two_ways", "ends": "form.two_ways"}


@table(
    ("text", "past", "future"),
    [
        ("on Friday", "2026-02-20", "2026-02-27"),
        ("周五的", "2026-02-20", "2026-02-27"),
        ("周一的", "2026-02-23", "2026-03-02"),
        ("on Monday", "2026-02-23", "2026-03-02"),
        ("on Wednesday", "2026-02-25", None),
        ("this Friday", "2026-02-27", "2026-02-27"),
        ("tomorrow", "2026-02-26", "2026-02-26"),
    ],
)
def test_a_weekday_is_the_last_one_where_no_later_day_is_taken(
    text: str, past: str, future: str | None
) -> None:
    done = Field(name="done", label="Inspected on", type="date", maximum="today")
    assert read_form(text, (done,), WEDNESDAY).values == {"done": past}
    planned = Field(name="done", label="Planned for", type="date", minimum="today")
    expected = {"done": future} if future else {}
    assert read_form(text, (planned,), WEDNESDAY).values == expected


@table(
    ("text", "values"),
    [
        ("last Friday", {"done": "2026-02-20"}),
        ("it was last Friday", {"done": "2026-02-20"}),
        ("checked last Friday, grade 2", {"done": "2026-02-20", "grade": "2"}),
        ("last time grade 3", {}),
        ("last Friday grade 3, grade 2 now", {"grade": "2"}),
    ],
)
def test_the_last_weekday_is_a_day_and_no_other_time(text: str, values: dict[str, str]) -> None:
    done = Field(name="done", label="Checked", type="date", maximum="today")
    grade = Field(name="grade", label="Grade", type="integer")
    assert read_form(text, (done, grade), WEDNESDAY).values == values


@table(
    ("text", "fields", "values"),
    [
        ("发票号 A-88", (INVOICE,), {"invoice": "A-88"}),
        ("发票号是A-88，事由：去柏林", (INVOICE, PURPOSE), {"invoice": "A-88", "purpose": "去柏林"}),
        ("invoice no. A-88 for the hotel", (INVOICE,), {"invoice": "A-88"}),
        ("Invoice number: 4521", (INVOICE,), {"invoice": "4521"}),
        ("paid on 2 March, invoice A-88", (INVOICE, PAID_ON), {"invoice": "A-88", "paid_on": "2026-03-02"}),
        ("sick leave from 2 to 5 March", LEAVE, {"kind": "sick leave", "start": "2026-03-02", "end": "2026-03-05"}),
        ("请事假，3月2日到5日", LEAVE, {"kind": "事假", "start": "2026-03-02", "end": "2026-03-05"}),
        ("first day tomorrow, last day next week", LEAVE, {"start": "2026-02-26"}),
        ("开始 3月2日，结束 3月5日", LEAVE, {"start": "2026-03-02", "end": "2026-03-05"}),
        ("I need two weeks", LEAVE, {"days": "14"}),
        ("天数：半天", LEAVE, {"days": "0.5"}),
        ("three days off", LEAVE, {"days": "3"}),
        ("no sick leave", LEAVE, {}),
        ("on 2 March", LEAVE, {}),
        ("shelf B12-7, 1,200 pieces", GOODS, {"shelf": "B12-7", "pieces": "1200"}),
        ("货架 B12-7，30个件数", GOODS, {"shelf": "B12-7", "pieces": "30"}),
        ("pieces 2 350", GOODS, {}),
        ("not more than 40 kg", GOODS, {}),
        ("最多40公斤", GOODS, {}),
        ("spent 1,250 yuan", (COST,), {"cost": "1250 CNY"}),
        ("金额￥２，５００，０００．５０", (COST,), {"cost": "2500000.5 CNY"}),
        ("cost 95", (COST,), {}),
        ("cost 95", (EUROS,), {"cost": "95 EUR"}),
        ("between 80 and 95 euros", (COST,), {}),
        ("from 80 to 95 EUR", (COST,), {}),
        ("no more than 95 EUR", (COST,), {}),
        ("purpose not the fair", (PURPOSE,), {}),
        ("what purpose does it have?", (PURPOSE,), {}),
        ("事由，去广州", (PURPOSE,), {}),
        ("call at 3 pm", (CALL,), {"call": "15:00"}),
        ("mail to anna@example.com, see https://example.com/a?b=1.", (MAIL, PAGE), {"mail": "anna@example.com", "page": "https://example.com/a?b=1"}),
        ("receipt: yes", (RECEIPT,), {"receipt": "yes"}),
        ("there is no receipt", (RECEIPT,), {"receipt": "no"}),
        ("有发票", (RECEIPT,), {"receipt": "yes"}),
        ("B12-7, pieces: 12,000 and 40.5 kg", GOODS, {"shelf": "B12-7", "pieces": "12000", "load": "40.5"}),
        ("货架 B12-7，件数三百五，重量1.5公斤", GOODS, {"shelf": "B12-7", "pieces": "350", "load": "1.5"}),
        ("pieces 12 on the last delivery", GOODS, {}),
        ("last day 5 March", LEAVE, {"end": "2026-03-05"}),
        ("pieces 1,234", GOODS, {"pieces": "1234"}),
        ("pieces twelve", GOODS, {"pieces": "12"}),
        ("load 5 lbs", GOODS, {}),
        ("tyres 2.4/2.6, odometer 120,500 km", GARAGE, {"front": "2.4", "rear": "2.6", "km": "120500"}),
        ("胎压 2.4/2.6 bar，里程 12万", GARAGE, {"front": "2.4", "rear": "2.6", "km": "120000"}),
        ("tyres 2.4", GARAGE, {}),
        ("2.4 bar", GARAGE, {}),
        ("badge 0042317", GATE, {"badge": "0042317"}),
        ("工牌是0042317", GATE, {"badge": "0042317"}),
        ("工牌0042317，12件数", GATE, {"badge": "0042317", "pieces": "12"}),
        ("badge: 0042317, 3 pieces", GATE, {"badge": "0042317", "pieces": "3"}),
        ("badge: 42, 3 pieces", GATE, {"badge": "42", "pieces": "3"}),
        ("工牌：0042317，3月5日到达", GATE, {"badge": "0042317", "arrives": "2026-03-05"}),
        ("ring at 0042-317 88, arrives 2026-03-05", GATE, {"badge": "0042-317 88", "arrives": "2026-03-05"}),
        ("badge 0042317 5 March", GATE, {"badge": "0042317", "arrives": "2026-03-05"}),
        ("plate HH AB 1234 and badge 0042317", GATE, {"plate": "HH AB 1234", "badge": "0042317"}),
        ("车牌是HH-AB 12，工牌 0042317", GATE, {"plate": "HH-AB 12", "badge": "0042317"}),
        ("is the badge 0042317?", GATE, {}),
        ("not badge 0042317", GATE, {}),
    ],
)  # fmt: skip
def test_values_go_to_the_field_that_is_named_or_alone_of_its_kind(
    text: str, fields: tuple[Field, ...], values: dict[str, str]
) -> None:
    assert read_values(text, fields, WEDNESDAY) == values


@table(
    ("text", "fields", "faults"),
    [
        ("paid on 02/03/2026", (PAID_ON,), {"paid_on": "form.two_ways"}),
        ("paid on next Friday", (PAID_ON,), {"paid_on": "form.two_ways"}),
        ("paid on 30 February", (PAID_ON,), {"paid_on": "form.no_day"}),
        ("load 1,234", (LOAD,), {"load": "form.two_ways"}),
        ("load 5 lbs", (LOAD,), {"load": "form.unit"}),
        ("days off: 2 months", (DAYS,), {"days": "form.unit"}),
    ],
)
def test_what_has_two_readings_or_none_is_asked_for(
    text: str, fields: tuple[Field, ...], faults: dict[str, str]
) -> None:
    reading = read_form(text, fields, WEDNESDAY)
    assert (reading.values, reading.faults) == ({}, faults)


@table(
    ("text", "fields", "left"),
    [
        ("sick leave from 2 to 5 March for my sister", LEAVE, "for my sister"),
        ("sick leave on 2 March", LEAVE, "on 2 March"),
        ("件数 12，要小心轻放", GOODS, "要小心轻放"),
        ("pieces 12, rush it", GOODS, "rush it"),
        ("pieces 12, please", GOODS, ""),
        ("工牌：0042317，3月5日到达", GATE, ""),
        ("badge: 0042317, 3 pieces, ring the bell", GATE, "ring the bell"),
    ],
)
def test_what_no_field_takes_is_left(text: str, fields: tuple[Field, ...], left: str) -> None:
    assert read_form(text, fields, WEDNESDAY).left == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("please deliver 12 pieces arrives 2026-03-05 for the fair", "for the fair"),
        ("please deliver cheaply 12 pieces for the fair", "please deliver cheaply, for the fair"),
        ("deliver, fragile, 12 pieces on 2026-03-05, ring twice", "fragile, ring twice"),
        ("deliver 12 pieces on 2026-03-05", ""),
    ],
)
def test_what_is_left_is_quoted_without_the_holes_that_values_leave(text: str, left: str) -> None:
    reading = read_form(text, GATE, WEDNESDAY, examples=("deliver", "by"))
    assert (reading.values["pieces"], reading.left) == ("12", left)


REBATE = Field(name="rebate", label="Rebate", type="integer", unit="%", cues=("rebate", "折让"))
YIELD = Field(name="yield", label="Percent of seeds", type="number", cues=("percentage", "百分比"))
HUMIDITY = Field(name="humidity", label="Humidity", type="number", unit="%", cues=("humidity",))
MEMBER = Field(name="member", label="Member", pattern="M-[0-9]{1,4}", cues=("member",))


@pytest.mark.parametrize(
    ("text", "form", "values"),
    [
        ("please take 10 percent off for M-12", REBATE, {"rebate": "10"}),
        ("12.5% of them came up", YIELD, {"yield": "12.5"}),
        ("15 per cent for M-7", REBATE, {"rebate": "15"}),
        ("给 M-12 便宜 10%", REBATE, {"rebate": "10"}),
        ("M-12 优惠百分之十五", REBATE, {"rebate": "15"}),
        ("给 M-12 打九折", REBATE, {"rebate": "10"}),
        ("M-12 打 8.5 折", REBATE, {"rebate": "15"}),
        ("M-12 的会费九五折优惠", REBATE, {"rebate": "5"}),
        # The five of 九点五折 alone would be half off.
        ("给 M-12 打九点五折", REBATE, {"rebate": "5"}),
        ("M-12 九点五折", REBATE, {"rebate": "5"}),
    ],
)
def test_a_number_of_percent_is_for_the_only_field_of_percent(
    text: str, form: Field, values: dict[str, str]
) -> None:
    assert read_values(text, (form, PIECES, LOAD), WEDNESDAY) == values


NOT_SURELY_OFF = (
    *("不打九折", "别打九折", "最多打九折", "打九折以内", "至少九折", "大约打九折", "打九折起"),
    *("打八到九折", "打8-9折", "打 8 到 9 折", "打九折或者八折", "不是九折，是八折"),
    *("not 10 %", "about 10 % off", "10 percent or 15 percent off", "max. 10 % off"),
    *("百分之十到十五", "百分之十左右", "不要百分之十"),
    *("如果打九折", "打九折的话会亏", "要打九折吗", "去年打了八折，今年也打折"),
)
"""Denied, at most, between two, a question, or of another year."""


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("please take 10 percent off", (REBATE, HUMIDITY)),
        ("please take up to 10 percent off", (REBATE, PIECES)),
        ("10 to 15 percent off", (REBATE, PIECES)),
        ("the load is 10 %", (LOAD,)),
        ("打九折", (LOAD, PIECES)),
        ("件数九折", (PIECES, LOAD)),
        ("纸要三折页", (REBATE, LOAD)),
        *((text, (REBATE, PIECES)) for text in NOT_SURELY_OFF),
    ],
)
def test_a_number_of_percent_is_for_no_other_field_and_not_for_one_of_two(
    text: str, fields: tuple[Field, ...]
) -> None:
    assert read_values(text, fields, WEDNESDAY) == {}


def test_percent_that_no_field_takes_is_left_over() -> None:
    assert read_form("10 percent for M-3", (MEMBER, LOAD), WEDNESDAY).left == "10 percent for"
    assert read_form("M-3 打九折", (MEMBER, LOAD), WEDNESDAY).left == "打九折"


UNTIL = Field(name="until", label="Until", type="date", cues=("until", "到"))
SINCE = Field(name="since", label="Since", type="date", cues=("since",))
AT = Field(name="at", label="At", type="time", cues=("at",))


@pytest.mark.parametrize(
    "text",
    [
        "lend it until Friday or Monday",
        "lend it until the end of the month or the end of January",
        "lend it until 5 February, or on 6 February",
        "借到3月底或者4月底",
        "借到3月31日还是4月30日",
        "come at 10:00 or at 15:00",
    ],
)
def test_one_of_two_days_to_choose_from_is_not_taken(text: str) -> None:
    """The word that named the field stood before the first, which was taken for the only one."""
    assert read_values(text, (UNTIL, SINCE, AT), WEDNESDAY) == {}


def test_one_day_beside_another_choice_is_taken() -> None:
    said = "lend it or the old one until Friday, or tell me why"
    assert read_values(said, (UNTIL, SINCE), WEDNESDAY)["until"]


@table(
    ("text", "values"),
    [
        ("can you plan a visit with Ann and Bob Lee?", {"lead": "Ann", "mate": "Bob Lee"}),
        ("Hi, could we get a crew with Ann and Bob?", {"lead": "Ann", "mate": "Bob"}),
        ("plan a visit with Ann and Bob", {"lead": "Ann", "mate": "Bob"}),
        ("能不能安排一下，带队阿娟，队员韩松？", {"lead": "阿娟", "mate": "韩松"}),
        ("能安排一下吗，带队阿娟，队员韩松", {"lead": "阿娟", "mate": "韩松"}),
        ("可以安排队员韩松吗？", {"mate": "韩松"}),
        # A question that bids nothing names nobody.
        ("is the visit with Ann?", {}),
        ("can you tell me who comes with Ann?", {}),
        ("can you plan a visit with Ann, or with Bob?", {}),
        ("can you plan a visit? is it with Ann?", {}),
        ("带队阿娟吗", {}),
    ],
)
def test_who_is_named_last_where_something_is_bidden_as_a_question(
    text: str, values: dict[str, str]
) -> None:
    lead = Field(name="lead", label="Crew lead", type="person", cues=("with", "带队"))
    mate = Field(name="mate", label="Second", type="person", cues=("and", "队员"))
    assert read_values(text, (lead, mate), WEDNESDAY) == values
