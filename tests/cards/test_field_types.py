"""Every type of field, read from text as people type it, in both languages."""

import json
from datetime import date
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.fields.bounds import range_text
from cards.fields.money import currency_codes
from cards.fields.table import FIELD_TYPES, options_of
from cards.forms import FormFacts, check_form
from cards.markdown import format_value
from cards.model import Field
from cards.values import FieldType, Money, Value, is_money
from tests.fakes.tables import table


def field(kind: FieldType, **more: Any) -> Field:
    return Field(name="x", label="X", type=kind, **more)


def typed(text: str, kind: FieldType, lang: str = "en", **more: Any) -> Value:
    values, faults = check_form([field(kind, **more)], {"x": text}, lang)
    assert faults == {}
    return values["x"]


def fault(text: str, kind: FieldType, lang: str = "en", **more: Any) -> str:
    values, faults = check_form(
        [field(kind, **more)], {"x": text}, lang, FormFacts(date(2026, 3, 2))
    )
    assert values == {}
    return faults["x"]


def test_every_type_stands_in_the_table() -> None:
    assert set(FIELD_TYPES) == set(get_args(FieldType))


@table(
    ("text", "value", "currency"),
    [
        ("120.50 USD", 120.5, "USD"),
        ("USD 120.50", 120.5, "USD"),
        ("usd120.50", 120.5, "USD"),
        ("€120.50", 120.5, "EUR"),
        ("120,50 €", 120.5, "EUR"),
        ("1,234.50 USD", 1234.5, "USD"),
        ("1.234,50 €", 1234.5, "EUR"),
        ("1,234 USD", 1234, "USD"),
        ("1 234,50 €", 1234.5, "EUR"),
        ("1'234.50 CHF", 1234.5, "CHF"),
        ("£5", 5, "GBP"),
        ("$5", 5, "USD"),
        ("CA$12", 12, "CAD"),
        ("-5 €", -5, "EUR"),
        ("-$5", -5, "USD"),
        ("\N{MINUS SIGN}5 EUR", -5, "EUR"),
        ("1200 JPY", 1200, "JPY"),
        ("1.234 KWD", 1.234, "KWD"),
        ("１２０ EUR", 120, "EUR"),
    ],
)
@table("lang", ["zh", "en"])
def test_money_is_read_as_people_write_it(
    text: str, value: float, currency: str, lang: str
) -> None:
    assert typed(text, "money", lang) == {"value": value, "currency": currency}


def test_a_sign_means_what_the_readers_language_or_the_field_says() -> None:
    assert typed("¥120", "money", "zh") == typed("120元", "money", "zh")
    assert typed("￥120", "money", "zh") == {"value": 120, "currency": "CNY"}
    assert typed("¥120", "money", currencies=("JPY",)) == {"value": 120, "currency": "JPY"}
    assert typed("$12", "money", currencies=("AUD", "EUR")) == {"value": 12, "currency": "AUD"}
    assert typed("12", "money", currencies=("EUR",)) == {"value": 12, "currency": "EUR"}


@table(
    ("text", "currencies", "en", "zh"),
    [
        ("hotel", (), "Please give an amount with its currency, as in 120.50 EUR", "金额和币种"),
        ("12 € 13", (), "Please give an amount with its currency, as in 120.50 EUR", "金额和币种"),
        ("120", (), "Please say in which currency, by its code: EUR / USD / CNY", "币种代码"),
        ("120", ("EUR", "USD"), "Please say in which currency, by its code: EUR / USD", "EUR"),
        ("$12", ("CAD", "USD"), "Please say in which currency, by its code: CAD / USD", "CAD"),
        ("120 GBP", ("EUR",), "Please give it in EUR", "EUR"),
        ("12 quid", (), "quid is no currency; please write its code, as in 120.50 EUR", "quid"),
        ("12 DEM", (), "DEM is no currency; please write its code, as in 120.50 EUR", "DEM"),
        ("1.234 EUR", (), "EUR has at most 2 decimals; write thousands as in 1234", "2 位小数"),
        ("0.5 JPY", (), "JPY has at most 0 decimals; write thousands as in 1234", "0 位小数"),
        ("1,234 KWD", (), "This may mean 1.234 / 1234; please write thousands as in 1234", "可能"),
        ("1234567890123456 USD", (), "Please give an amount of at most 15 digits", "15 位"),
    ],
)
def test_money_that_is_unclear_is_asked_for(
    text: str, currencies: tuple[str, ...], en: str, zh: str
) -> None:
    assert fault(text, "money", currencies=currencies) == en
    assert zh in fault(text, "money", "zh", currencies=currencies)


def test_bounds_of_money_are_of_its_value() -> None:
    limits: dict[str, Any] = {"minimum": 1, "maximum": 500, "currencies": ("EUR",)}
    assert typed("500 EUR", "money", **limits)
    assert fault("500.01 EUR", "money", **limits) == "This should be at most 500"
    assert fault("0.5 EUR", "money", "zh", **limits) == "应不小于 1"


@given(
    st.sampled_from(sorted(currency_codes())), st.integers(-(10**9), 10**9), st.sampled_from("az")
)
def test_money_is_written_as_it_is_read(code: str, amount: int, first: str) -> None:
    money: Value = Money(value=float(amount), currency=code)
    text = format_value(money)
    assert typed(text, "money", "zh" if first == "z" else "en") == money
    assert is_money(money)


def test_money_is_written_with_the_decimals_of_its_currency() -> None:
    amounts = {"JPY": "120 JPY", "EUR": "120.00 EUR", "KWD": "120.000 KWD"}
    for code, text in amounts.items():
        assert format_value({"value": 120.0, "currency": code}) == text
    assert format_value({"value": 0.1, "currency": "EUR"}) == "0.10 EUR"
    assert format_value({"value": 1e10, "currency": "EUR"}) == "10000000000.00 EUR"


@pytest.mark.parametrize(
    ("text", "value"),
    [("15:30", "15:30"), ("9:05", "09:05"), ("15:30:07", "15:30:07"), ("０8：00", "08:00")],
)
def test_a_time_is_of_24_hours_in_two_digits(text: str, value: str) -> None:
    assert typed(text, "time") == value


@table("text", ["25:00", "12:60", "3pm", "12.30", "12", "24:00", "1:2"])
def test_what_is_no_time_is_told(text: str) -> None:
    assert fault(text, "time") == "Please give a time of day like 15:30"
    assert fault(text, "time", "zh") == "请填写时间，格式如 15:30"


def test_days_and_times_have_bounds() -> None:
    day: dict[str, Any] = {"minimum": "2026-01-01", "maximum": "today"}
    assert typed("2026-03-02", "date", **day) == "2026-03-02"
    assert fault("2025-12-31", "date", **day) == "This should be at least 2026-01-01"
    assert fault("2026-03-03", "date", **day) == "This should be at most 2026-03-02"
    work: dict[str, Any] = {"minimum": "08:00", "maximum": "17:30"}
    assert typed("8:00", "time", **work) == "08:00"
    assert fault("17:30:01", "time", **work) == "This should be at most 17:30"
    assert range_text("08:00", "17:30") == "08:00 – 17:30"
    assert (range_text(None, "today"), range_text(None, "today", "zh")) == ("≤ today", "≤ 今天")


@pytest.mark.parametrize("text", ["ann@example.com", " ann.lee+b@sub.example.org "])
def test_an_address_of_mail_is_taken_without_looking_it_up(text: str) -> None:
    assert typed(text, "email") == text.strip()


@pytest.mark.parametrize("text", ["ann", "ann@", "a b@example.com", "ann@host", "a@b.com, c@d.com"])
def test_what_is_no_address_of_mail_is_told(text: str) -> None:
    assert fault(text, "email") == "Please give an e-mail address like name@example.com"
    assert fault(text, "email", "zh") == "请填写邮箱地址，例如 name@example.com"


@pytest.mark.parametrize("text", ["https://example.com/a?b=c#d", "http://example.com:8080"])
def test_an_address_of_the_web_is_taken(text: str) -> None:
    assert typed(text, "url") == text


@table(
    "text",
    [
        "example.com",
        "ftp://example.com",
        "javascript:alert(1)",
        "https://",
        "https://exa mple.com",
        "https://example.com:port",
        "https://bank.example@evil.example/",
        "https://[::1",
        "https://example.com/\x07",
    ],
)
def test_what_is_no_address_of_the_web_is_told(text: str) -> None:
    assert "begins with https://" in fault(text, "url")
    assert "https://" in fault(text, "url", "zh")


def test_yes_and_no_are_typed_in_either_language() -> None:
    for text in ("yes", "Y", "是", "TRUE", "Yes."):
        assert typed(text, "boolean", "zh") is True
    for text in ("no", "N", "否", "false", "no!"):
        assert typed(text, "boolean") is False
    assert fault("maybe", "boolean") == "Please answer yes or no"
    assert options_of(field("boolean")) == ("yes", "no")


def test_an_option_is_chosen_by_its_id_or_its_label() -> None:
    more: dict[str, Any] = {"options": ("h", "t"), "labels": {"h": "Hotel", "t": "酒店"}}
    for text, value in (("h", "h"), ("hotel", "h"), ("酒店", "t")):
        assert typed(text, "choice", **more) == value
    assert fault("bus", "choice", **more) == "Please choose one of: Hotel, 酒店"
    assert typed("Hotel", "entity", **more) == "h"


@given(st.sampled_from(sorted(get_args(FieldType))), st.text())
def test_anything_typed_is_a_storable_value_or_a_fault(kind: FieldType, text: str) -> None:
    values, faults = check_form([field(kind, options=("a", "b"))], {"x": text}, "en")
    assert len(values) + len(faults) == 1
    assert json.dumps(values, allow_nan=False, ensure_ascii=False).encode()
