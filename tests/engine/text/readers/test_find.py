"""Values in texts, Chinese and English: what is read, where it stands, and what is left alone."""

import cProfile
from datetime import date
from typing import Any

from engine.text.readers.find import MOST, find_readings
from engine.text.readers.lexer import LONGEST
from tests.fakes.tables import table

WEDNESDAY = date(2026, 2, 25)


def read(text: str, *, weak: bool = False) -> list[tuple[Any, ...]]:
    found = find_readings(text, WEDNESDAY, weak=weak)
    return [(r.kind, text[r.start : r.end], *map(plain, r.values)) for r in found]


def plain(value: Any) -> Any:
    """Money as (120, EUR), a range as (from, to)."""
    return value if isinstance(value, str | int | float) else tuple(value.values())


NUMBERS = [
    ("we need 12 chairs", "12", 12),
    ("the total is 1,234.50 in all", "1,234.50", 1234.5),
    ("they wrote 1.234,50 on the form", "1.234,50", 1234.5),
    ("it is 1'250.00", "1'250.00", 1250),
    ("that is 12,345,678 altogether", "12,345,678", 12345678),
    ("it holds 3,5 litres", "3,5", 3.5),
    ("twelve people are coming", "twelve", 12),
    ("a dozen eggs", "a dozen", 12),
    ("two dozen eggs", "two dozen", 24),
    ("use half of the budget", "half", 0.5),
    ("a quarter of the team", "a quarter", 0.25),
    ("about three thousand five hundred visitors", "three thousand five hundred", 3500),
    ("there are two hundred and six bones", "two hundred and six", 206),
    ("order twenty-five boxes", "twenty-five", 25),
    ("a hundred boxes", "a hundred", 100),
    ("growth of 15% so far", "15%", 15),
    ("it is -5 degrees outside", "-5", -5),
    ("it is −5 degrees outside", "−5", -5),
    ("two and a half apples", "two and a half", 2.5),
    ("roughly 20k users", "20k", 20000),
    ("5 thousand users", "5 thousand", 5000),
    ("quantity:3.5", "3.5", 3.5),
    ("我们要12把椅子", "12", 12),
    ("我们要１２把椅子", "１２", 12),
    ("总数是1,234.50没错", "1,234.50", 1234.5),
    ("来了三千五百人", "三千五百", 3500),
    ("大概三千五", "三千五", 3500),
    ("一共两万三", "两万三", 23000),
    ("有十二个人", "十二", 12),
    ("要三台", "三", 3),
    ("买一打鸡蛋", "一打", 12),
    ("用一半就行", "一半", 0.5),
    ("系数是零点五", "零点五", 0.5),
    ("增长百分之十五", "百分之十五", 15),
    ("气温零下五度", "零下五", -5),
    ("1.5万用户", "1.5万", 15000),
    ("一百零二份", "一百零二", 102),
    ("两个半苹果", "两个半", 2.5),
    ("四分之一的人", "四分之一", 0.25),
    ("一共二百零六块骨头", "二百零六", 206),
]


@table(("text", "said", "number"), NUMBERS)
def test_a_number_is_read_in_digits_and_in_words(text: str, said: str, number: float) -> None:
    assert read(text) == [("number", said, number)]


MONEY = [
    ("it cost 120 USD", "120 USD", 120, "USD"),
    ("it cost 120usd", "120usd", 120, "USD"),
    ("please reimburse 120 USD for the hotel in Berlin", "120 USD", 120, "USD"),
    ("please pay $1,234.50 to Anna", "$1,234.50", 1234.5, "USD"),
    ("the fee is EUR 1.200,50 per head", "EUR 1.200,50", 1200.5, "EUR"),
    ("price: 1 200,00 €", "1 200,00 €", 1200, "EUR"),
    ("the invoice is 2,499 EUR", "2,499 EUR", 2499, "EUR"),
    ("120 dollars for the taxi", "120 dollars", 120, "USD"),
    ("fifty Canadian dollars", "fifty Canadian dollars", 50, "CAD"),
    ("I paid 45.90€ for lunch", "45.90€", 45.9, "EUR"),
    ("the budget is £2k", "£2k", 2000, "GBP"),
    ("a hundred euros each", "a hundred euros", 100, "EUR"),
    ("we got US$ 3 million from them", "US$ 3 million", 3000000, "USD"),
    ("reimburse 88.5 yuan please", "88.5 yuan", 88.5, "CNY"),
    ("RMB 5,000 deposit", "RMB 5,000", 5000, "CNY"),
    ("it was 700 KZT", "700 KZT", 700, "KZT"),
    ("it was 15 thousand pounds", "15 thousand pounds", 15000, "GBP"),
    ("转300元给小王", "300元", 300, "CNY"),
    ("￥300就够了", "￥300", 300, "CNY"),
    ("三百块可以吗", "三百块", 300, "CNY"),
    ("他欠我五十块钱", "五十块钱", 50, "CNY"),
    ("花了120美元", "120美元", 120, "USD"),
    ("人民币5000元押金", "人民币5000元", 5000, "CNY"),
    ("一万二千日元的票", "一万二千日元", 12000, "JPY"),
    ("一共50块5毛", "50块5毛", 50.5, "CNY"),
    ("苹果三块五一斤", "三块五", 3.5, "CNY"),
    ("三元五角", "三元五角", 3.5, "CNY"),
    ("预算2万元", "2万元", 20000, "CNY"),
    ("报销壹仟贰佰元整", "壹仟贰佰元整", 1200, "CNY"),
    ("20欧元一张", "20欧元", 20, "EUR"),
]


@table(("text", "said", "amount", "currency"), MONEY)
def test_money_is_a_number_and_its_currency(
    text: str, said: str, amount: float, currency: str
) -> None:
    assert read(text) == [("money", said, (amount, currency))]


DAYS = [
    ("let us meet on 2 March", "2 March", "2026-03-02"),
    ("March 2nd, 2026 is fine", "March 2nd, 2026", "2026-03-02"),
    ("please send it on the 3rd of April 2026", "3rd of April 2026", "2026-04-03"),
    ("I need it by Mar 15", "Mar 15", "2026-03-15"),
    ("it starts Monday, 2 Mar 2026", "Monday, 2 Mar 2026", "2026-03-02"),
    ("it was 20 February", "20 February", "2026-02-20"),
    ("the deadline is 2026/3/2", "2026/3/2", "2026-03-02"),
    ("it was on 13.04.2026", "13.04.2026", "2026-04-13"),
    ("tomorrow works for me", "tomorrow", "2026-02-26"),
    ("it was the day before yesterday", "the day before yesterday", "2026-02-23"),
    ("see you on Friday", "Friday", "2026-02-27"),
    ("it was last Friday", "last Friday", "2026-02-20"),
    ("in three days I am back", "in three days", "2026-02-28"),
    ("I asked two weeks ago", "two weeks ago", "2026-02-11"),
    ("a week from today", "a week from today", "2026-03-04"),
    ("3月2号开会", "3月2号", "2026-03-02"),
    ("三月二号出发", "三月二号", "2026-03-02"),
    ("定在2026年3月2日", "2026年3月2日", "2026-03-02"),
    ("2026-04-03交货", "2026-04-03", "2026-04-03"),
    ("明年一月五号", "明年一月五号", "2027-01-05"),
    ("明天可以吗", "明天", "2026-02-26"),
    ("大后天回来", "大后天", "2026-02-28"),
    ("下周五见", "下周五", "2026-03-06"),
    ("这周五有空", "这周五", "2026-02-27"),
    ("上周一的会", "上周一", "2026-02-16"),
    ("下下周二再说", "下下周二", "2026-03-10"),
    ("下礼拜天去", "下礼拜天", "2026-03-08"),
    ("下个月5号付", "下个月5号", "2026-03-05"),
    ("三天后见", "三天后", "2026-02-28"),
    ("三天前提交的", "三天前", "2026-02-22"),
    ("两个月后", "两个月后", "2026-04-25"),
    ("down since this morning", "this morning", "2026-02-25"),
    ("it broke last night", "last night", "2026-02-24"),
    ("until the end of the month", "the end of the month", "2026-02-28"),
    ("by end of next month", "end of next month", "2026-03-31"),
    ("until the end of January", "the end of January", "2027-01-31"),
    ("until the end of March 2028", "the end of March 2028", "2028-03-31"),
    ("before the end of this year", "the end of this year", "2026-12-31"),
    ("用到月底", "月底", "2026-02-28"),
    ("到下个月底", "下个月底", "2026-03-31"),
    ("到1月底", "1月底", "2027-01-31"),
    ("到明年三月底", "明年三月底", "2027-03-31"),
    ("年底前", "年底", "2026-12-31"),
    ("到2027年底为止", "2027年底", "2027-12-31"),
]


@table(("text", "kinds"), [("send the end of month report", []), ("by end of month", ["date"])])
def test_the_end_of_a_month_is_a_day_behind_what_leads_to_one(text: str, kinds: list[str]) -> None:
    assert [reading.kind for reading in find_readings(text, WEDNESDAY)] == kinds


@table(("text", "said", "day"), DAYS)
def test_a_day_is_read_by_its_date_its_name_or_counted(text: str, said: str, day: str) -> None:
    assert read(text) == [("date", said, day)]


TIMES = [
    ("call me at 3pm", "3pm", "15:00"),
    ("call me at 3.30 p.m., please", "3.30 p.m", "15:30"),
    ("the train leaves at 15:30", "15:30", "15:30"),
    ("meet at noon", "noon", "12:00"),
    ("at 8 in the evening", "8 in the evening", "20:00"),
    ("12 am", "12 am", "00:00"),
    ("15:30的车", "15:30", "15:30"),
    ("下午三点半开会", "下午三点半", "15:30"),
    ("下午3:30", "下午3:30", "15:30"),
    ("晚上8点吃饭", "晚上8点", "20:00"),
    ("中午十二点半", "中午十二点半", "12:30"),
    ("凌晨两点", "凌晨两点", "02:00"),
    ("上午差五分九点", "上午差五分九点", "08:55"),
    ("15点20分", "15点20分", "15:20"),
]


@table(("text", "said", "time"), TIMES)
def test_a_time_has_its_half_of_the_day(text: str, said: str, time: str) -> None:
    assert read(text) == [("time", said, time)]


DURATIONS = [
    ("it takes two weeks", "two weeks", "P2W"),
    ("sit down for half an hour", "half an hour", "PT30M"),
    ("block 1h30 for it", "1h30", "PT1H30M"),
    ("a 45-minute call", "45-minute", "PT45M"),
    ("an hour and a half of talk", "an hour and a half", "PT1H30M"),
    ("we waited three and a half hours", "three and a half hours", "PT3H30M"),
    ("2 hours and 15 minutes", "2 hours and 15 minutes", "PT2H15M"),
    ("a contract for 6 months", "6 months", "P6M"),
    ("1.5 days off", "1.5 days", "P1.5D"),
    ("需要3天", "3天", "P3D"),
    ("请假半天", "半天", "P0.5D"),
    ("休息半小时", "半小时", "PT30M"),
    ("大约两个星期", "两个星期", "P2W"),
    ("一个半小时的课", "一个半小时", "PT1H30M"),
    ("再给我二十分钟", "二十分钟", "PT20M"),
    ("一小时三十分钟够了", "一小时三十分钟", "PT1H30M"),
    ("合同两个月", "两个月", "P2M"),
    ("两年半", "两年半", "P2Y6M"),
    ("等一刻钟", "一刻钟", "PT15M"),
]


@table(("text", "said", "duration"), DURATIONS)
def test_a_duration_keeps_months_as_months(text: str, said: str, duration: str) -> None:
    assert read(text) == [("duration", said, duration)]


RANGES = [
    ("from Monday to Wednesday", "from Monday to Wednesday", "2026-03-02", "2026-03-04"),
    ("leave from 2 to 5 March please", "from 2 to 5 March", "2026-03-02", "2026-03-05"),
    (
        "from 2 February 2027 to 2 February 2027",
        "from 2 February 2027 to 2 February 2027",
        "2027-02-02",
        "2027-02-02",
    ),
    ("away from 5 March to 5 March", "from 5 March to 5 March", "2026-03-05", "2026-03-05"),
    ("leave on March 2-5", "March 2-5", "2026-03-02", "2026-03-05"),
    ("2026-03-02~2026-03-05", "2026-03-02~2026-03-05", "2026-03-02", "2026-03-05"),
    ("between 2 March and 5 March", "between 2 March and 5 March", "2026-03-02", "2026-03-05"),
    ("the desk is open 9am-5pm", "9am-5pm", "09:00", "17:00"),
    ("moved from 10:00 to 11:30", "from 10:00 to 11:30", "10:00", "11:30"),
    ("from 9 to 5 pm", "from 9 to 5 pm", "09:00", "17:00"),
    ("请假3月2日到5日", "3月2日到5日", "2026-03-02", "2026-03-05"),
    ("下周一到周三出差", "下周一到周三", "2026-03-02", "2026-03-04"),
    ("下午两点到四点", "下午两点到四点", "14:00", "16:00"),
    ("上午十点到十一点半开会", "上午十点到十一点半", "10:00", "11:30"),
    ("晚上十点到早上六点", "晚上十点到早上六点", "22:00", "06:00"),
]


@table(("text", "said", "first", "last"), RANGES)
def test_a_range_lends_its_second_end_the_month_or_the_half(
    text: str, said: str, first: str, last: str
) -> None:
    assert read(text) == [("range", said, (first, last))]


TWO_READINGS = [
    ("the form says 02/03/2026", "date", "2026-03-02", "2026-02-03"),
    ("see you next Friday", "date", "2026-02-27", "2026-03-06"),
    ("Wednesday", "date", "2026-02-25", "2026-03-04"),
    ("周一", "date", "2026-03-02", "2026-02-23"),
    ("5号付", "date", "2026-03-05", "2026-02-05"),
    ("on 24 December", "date", "2025-12-24", "2026-12-24"),
    ("at 8", "time", "08:00", "20:00"),
    ("at 3:30", "time", "03:30", "15:30"),
    ("half past three is ok", "time", "03:30", "15:30"),
    ("三点一刻到", "time", "03:15", "15:15"),
    ("1,234", "number", 1234, 1.234),
    ("1.234", "number", 1.234, 1234),
    ("transfer ¥300 to Anna", "money", (300, "CNY"), (300, "JPY")),
    ("9点到11点", "range", ("09:00", "11:00"), ("21:00", "23:00")),
]


@table(("text", "kind", "one", "other"), TWO_READINGS)
def test_what_has_two_readings_gives_both(text: str, kind: str, one: object, other: object) -> None:
    assert [(found[0], *found[2:]) for found in read(text)] == [(kind, one, other)]


NOTHING = [
    *("the May report is late", "I may go there", "see section E-7", "call +49 170 1234567"),
    *("ring 0170/1234567 now", "my id is A1234567", "ticket #4521 is open", "I sat in the sun"),
    *(
        "he will march to the bank",
        "wait a second please",
        "give me a sec",
        "order no. 20260302-17",
    ),
    *("version 2.10.3 is out", "one of us should do it", "the server is 192.168.10.12"),
    *("PO-2026-0314 was closed", "desk 14B", "the 15th floor", "twice a week", "start next week"),
    *("5-10 people", "call 13812345678", "room no. 12"),
    *("等一下", "帮我看一下报告", "我们一起去吧", "我有点累", "第一次来这里", "在E-7区"),
    *("电话13812345678", "编号A1234567", "万一不行呢", "他十分好客", "一点也不难", "千万别忘了"),
    *("版本2.10.3发布了", "身份证110101199003072316", "采购单PO-2026-0314已关", "统一一下口径"),
    *(
        "他一天到晚都在忙",
        "大概三百五十多块",
        "第二个问题是关于三月的",
        "有一天",
        "一块去吧",
        "第三天",
    ),
]


@table("text", NOTHING)
def test_plain_words_ids_and_numbers_of_things_are_no_values(text: str) -> None:
    assert read(text) == []


@table(
    ("text", "kind", "said", "values"),
    [
        ("one of them", "number", "one", (1,)),
        ("desk 14B", "number", "14", (14,)),
        ("BP 120/80", "pair", "120/80", ((120, 80),)),
        ("120 over 80", "pair", "120 over 80", ((120, 80),)),
        ("70-75", "range", "70-75", ((70, 75),)),
        ("2026-02-30", "date", "2026-02-30", ()),
        ("on 30 February", "date", "30 February", ()),
        ("2月30号", "date", "2月30号", ()),
    ],
)
def test_what_is_a_value_only_behind_a_name_is_weak(
    text: str, kind: str, said: str, values: tuple[object, ...]
) -> None:
    assert read(text) == []
    assert (kind, said, *values) in read(text, weak=True)


def test_a_day_and_a_time_stand_beside_each_other() -> None:
    assert read("tomorrow at 3:30 pm in the lobby") == [
        ("date", "tomorrow", "2026-02-26"),
        ("time", "3:30 pm", "15:30"),
    ]
    assert read("今晚8点见") == [("date", "今晚", "2026-02-25"), ("time", "8点", "20:00")]


def test_at_most_so_many_values_are_read() -> None:
    assert len(read("12 chairs, " * 50)) == MOST


def test_a_piece_that_is_too_long_is_no_value() -> None:
    assert read("$" + "1" * LONGEST) == []
    assert read("一" * LONGEST) == []


HOSTILE = (
    *(
        "monday ",
        "1 1 1 ",
        "111",
        "1.1",
        "下周五",
        "一二三",
        "a-b-",
        "1,",
        "3点",
        "12/",
        "twenty five ",
    ),
    *(
        "from 2 to ",
        "-",
        "1h",
        "一点",
        "百分之",
        "€",
        "half a ",
        "0170 ",
        "A1-",
        "三百块五",
        "，",
        "¥ ",
    ),
    *(
        "1 200 ",
        "from from ",
        "the 2nd ",
        "at 8 ",
        "two and a half ",
        "'",
        "AAA ",
        "第一",
        "from 9 to ",
    ),
    *("between 1 and ", "a hundred ", "2 hours and ", "半", "十分", "12:30", "2026-", "3月2日到"),
)


def work_of(text: str) -> int:
    """How many functions are called to read a text, those of libraries among them."""
    profile = cProfile.Profile()
    profile.runcall(find_readings, text, WEDNESDAY, weak=True)
    return sum(entry.callcount for entry in profile.getstats())


@table("pump", HOSTILE)
def test_the_work_grows_as_the_text_does(pump: str) -> None:
    short, long = ((pump * 2000)[:length] for length in (1000, 2000))
    work_of(short)  # libraries are loaded, and what they keep is kept
    work = work_of(long)
    assert work <= 2.2 * work_of(short) + 100
    assert work <= 150 * len(long)
