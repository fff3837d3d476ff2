"""Entities are found as a project describes them, and nothing else is taken for one."""

import unicodedata
from datetime import date

from cards.model import Field
from engine.text.entity_kinds import (
    Entities,
    EntityMatch,
    PatternKind,
    entities_as_recorded,
    list_of,
)
from engine.text.form_reading import find_values
from tests.fakes.tables import table

EXPENSE = PatternKind("expense", r"[Ee]-[0-9]{1,6}", "upper")
SUBJECT = PatternKind("subject", r"[0-9]{3}-[0-9]{4}")
CUSTOMER = list_of(
    "customer",
    [
        ("C1", ["Müller & Söhne", "Mueller"]),
        ("C2", ["Acme", "Acme Robotics Ltd."]),
        ("C3", ["IT", "Information Technology"]),
        ("C4", ["华东电力", "华东电力设备"]),
        ("C5", ["王小明"]),
        ("C6", ["O'Neill", "3M"]),
    ],
)
ALL = Entities((EXPENSE, SUBJECT, CUSTOMER))


@table(
    ("text", "ids"),
    [
        ("what is the status of E-7?", ("E-7",)),
        ("报销单e-77和Ｅ-１２的状态", ("E-77", "E-12")),
        ("E-7, e-7 and E-8", ("E-7", "E-8")),
        ("the E-1234567 is none, nor is VE-7 or E-7b", ()),
        ("001-0023 was seen, 1001-00234 was not", ("001-0023",)),
        ("受试者001-0023的访视", ("001-0023",)),
        ("orders of müller & söhne and MUELLER", ("C1",)),
        ("Acme Robotics Ltd sent nothing", ("C2",)),
        ("Acmes are none", ()),
        ("is it done? ask IT", ("C3",)),
        ("information   technology", ("C3",)),
        ("请查华东电力设备的合同", ("C4",)),
        ("请查Acme的合同，还有Müller & Söhne的", ("C2", "C1")),
        ("王小明和华东电力", ("C5", "C4")),
        ("小王明天来", ()),
        ("O'Neill buys 3M tape", ("C6",)),
        ("C2", ("C2",)),
        ("Acme's orders, and Müller & Söhne’s", ("C2", "C1")),
        ("", ()),
    ],
)
def test_a_text_names_what_it_names(text: str, ids: tuple[str, ...]) -> None:
    assert ALL.ids(text) == ids


def test_the_longest_of_what_overlaps_counts() -> None:
    text = "Acme Robotics Ltd. about E-7"
    assert ALL.find(text) == (
        EntityMatch(0, 17, "customer", "C2"),
        EntityMatch(25, 28, "expense", "E-7"),
    )


def test_one_kind_is_asked_for_by_its_name() -> None:
    assert ALL.ids("E-7 of Acme", "customer") == ("C2",)
    assert ALL.normalised("expense e-7 please", "expense") == "E-7"
    assert ALL.normalised("e-7 or e-8", "expense") is None
    assert ALL.normalised("nothing", "expense") is None


def test_of_names_that_are_alike_an_id_stands_for_itself() -> None:
    kind = list_of("room", [("R1", ["Berlin", "R2"]), ("R2", ["berlin"])])
    rooms = Entities((kind,))
    assert rooms.ids("R2") == ("R2",)
    assert rooms.ids("Berlin") == ("R1",)


def test_a_name_that_several_have_names_all_of_them_and_is_no_value() -> None:
    kind = list_of("loan", [("L-2", ["The Dream"]), ("L-8", ["The Dream", "the dream"])])
    loans = Entities((kind,))
    assert loans.ids("extend The Dream") == ("L-2", "L-8")
    assert loans.ids("extend the dream") == ("L-8",)
    assert loans.ids("THE DREAM of L-2") == ("L-2", "L-8")
    assert loans.normalised("The Dream", "loan") is None
    assert loans.normalised("L-2", "loan") == "L-2"
    assert loans.ids("extend l-2 by 3 days") == ("L-2",)
    assert loans.by_id("extend The Dream, or L-2") == "extend The Dream, or L-2"
    again = entities_as_recorded((), loans.record("extend The Dream"))
    assert again.ids("extend The Dream") == ("L-2", "L-8")
    also = Entities((kind, PatternKind("loan", r"L-[0-9]+"), kind))
    assert also.ids("extend L-2") == ("L-2",)
    assert len(also.matches("extend L-2")) == 1
    field = Field(name="loan", label="Loan", type="entity", entity="loan")
    day = date(2026, 3, 2)
    assert find_values("extend The Dream", [field], day, entities=loans).values == {}
    assert find_values("extend L-8", [field], day, entities=loans).values == {"loan": "L-8"}


def test_a_long_list_and_a_long_text_are_no_trouble() -> None:
    names = [(f"C{n}", [f"客户{n}号", f"Customer number {n}"]) for n in range(50_000)]
    many = Entities((list_of("customer", names),))
    text = unicodedata.normalize("NFKC", "x " * 400 + "customer number 49999, 客户777号")
    assert many.ids(text) == ("C49999", "C777")


def test_an_id_may_be_written_in_either_case_with_or_without_its_hyphen() -> None:
    orders = Entities((PatternKind("order", "W-?[0-9]{4}", "upper", "-"),))
    assert orders.ids("w-0815, W0816 and Ｗ０８１５; not RW-0815, W-08151") == ("W0815", "W0816")
    assert Entities((PatternKind("order", "W-?[0-9]{4}"),)).ids("w-0815 W-0816") == ("W-0816",)


@table(
    ("pattern", "without", "text", "ids"),
    [
        # What does not count need not stand in the pattern.
        (
            "[AB][A-Z][0-9]{4}",
            "·",
            "AX·1234、ax1235，BX·1236; not AX·12345",
            ("AX1234", "AX1235", "BX1236"),
        ),
        ("[0-9]{4}", "-", "from 10-12 to 11-14", ()),
        ("[0-9]{4}", "-", "1012 -1214 10-", ("1012", "1214")),
        # People leave the hyphen behind a kind's letters out.
        ("WX-[0-9]{4}", "", "wx0415修好没, WX 0416, WX-0417", ("WX-0415", "WX-0416", "WX-0417")),
        ("(?:INV-|PO-)[0-9]{3}", "", "po123, AINV124, INV 1255", ("PO-123",)),
        ("F-[0-9]{4}", "", "F2231 and f 2232", ("F-2231",)),
        ("[A-Z]{1,3}-[0-9]{2}", "", "ab12, visit 12", ()),
        ("T[0-9]{2}", "", "T 07", ()),
    ],
)
def test_an_id_is_known_without_what_does_not_tell_it_apart(
    pattern: str, without: str, text: str, ids: tuple[str, ...]
) -> None:
    assert Entities((PatternKind("thing", pattern, "upper", without),)).ids(text) == ids


def test_nothing_very_long_is_an_id() -> None:
    assert Entities((PatternKind("any", "x+"),)).ids("x" * 81 + " " + "x" * 80) == ("x" * 80,)


@table(
    ("text", "ids"),
    [
        ("two oak benches", ("B1",)),
        ("three oak bench", ("B1",)),
        ("berries and Fruit Trays", ("B2", "B3")),
        ("several glasses", ("B4",)),
        ("3 brake pads and two shuttle buses", ("B6", "B7")),
        # What is written large has no plural, nor has an id.
        ("Rowes are none", ()),
        ("B1s, box-as", ()),
        ("bencheses, oaks", ()),
        # Nor has a word so short that it may be any other one.
        ("its", ()),
    ],
)
def test_what_a_list_writes_small_is_known_in_the_plural(text: str, ids: tuple[str, ...]) -> None:
    rows = [
        ("B1", ["oak bench"]),
        ("B2", ["berry"]),
        ("B3", ["Fruit tray"]),
        ("B4", ["glass"]),
        ("B5", ["Rowe"]),
        ("B6", ["brake pad"]),
        ("B7", ["shuttle bus"]),
        ("B8", ["it"]),
        ("box-a", ["sealed"]),
    ]
    assert Entities((list_of("thing", rows),)).ids(text) == ids


@table(
    ("text", "values"),
    [
        ("please order 30 oak benches", {"thing": "B1", "guests": "30"}),
        ("we need 4 benches of oak", {}),
        ("please order oak benches for stand 30", {"thing": "B1"}),
        ("please order up to 30 oak benches", {"thing": "B1"}),
        # Another number beside it, or what became of them, makes it no order.
        ("please order 30 oak benches or 40", {"thing": "B1"}),
        ("please order 30 oak benches instead of 40", {"thing": "B1"}),
        ("30 oak benches were broken", {"thing": "B1"}),
    ],
)
def test_a_number_before_a_plural_is_a_count_for_the_only_field_of_one(
    text: str, values: dict[str, str]
) -> None:
    things = Entities((list_of("thing", [("B1", ["oak bench"])]),))
    thing = Field(name="thing", label="Thing", type="entity", entity="thing")
    guests = Field(name="guests", label="Guests", type="integer")
    storey = Field(name="storey", label="Storey", type="integer")

    def read(*fields: Field) -> dict[str, str]:
        return find_values(text, fields, date(2026, 3, 2), entities=things).values

    assert read(thing, guests) == values
    without = {name: value for name, value in values.items() if name == "thing"}
    assert read(thing, storey) == without
    assert read(thing, guests, storey) == without


@table(
    ("text", "values"),
    [
        ("order two BX-440 for stand A", {"part": "BX-440", "pieces": "2"}),
        ("order 12 BX-440", {"part": "BX-440", "pieces": "12"}),
        ("order one BX-440", {"part": "BX-440", "pieces": "1"}),
        ("order 5 oak bench", {"part": "BX-440", "pieces": "5"}),
        ("can you order 2 BX-440 for stand A on Friday?", {"part": "BX-440", "pieces": "2"}),
        ("get me 4 oak benches", {"part": "BX-440", "pieces": "4"}),
        ("订 12 BX-440", {"part": "BX-440", "pieces": "12"}),
        # What is not sure, or names another thing, is no count.
        ("order 10 or 12 BX-440", {"part": "BX-440"}),
        ("order 10 to 12 BX-440", {"part": "BX-440"}),
        ("room 12 BX-440", {"part": "BX-440"}),
        ("not 3 BX-440", {"part": "BX-440"}),
        ("do not order 3 BX-440", {"part": "BX-440"}),
        ("不要 3 BX-440", {"part": "BX-440"}),
        ("不要订 3 BX-440", {"part": "BX-440"}),
        ("10 或 12 BX-440", {"part": "BX-440"}),
        ("order up to 3 BX-440", {"part": "BX-440"}),
        ("3 BX-440 were broken", {"part": "BX-440"}),
        ("3 BX-440 or 4", {"part": "BX-440"}),
    ],
)
def test_a_number_right_before_a_listed_thing_is_the_count_of_it(
    text: str, values: dict[str, str]
) -> None:
    things = Entities((list_of("thing", [("BX-440", ["oak bench"])]),))
    part = Field(name="part", label="Part", type="entity", entity="thing")
    pieces = Field(name="pieces", label="Pieces", type="integer", cues=("pieces",))
    assert find_values(text, (part, pieces), date(2026, 3, 2), entities=things).values == values
