"""Numbers of an answer belong to what it names."""

from collections.abc import Mapping

from bot.testing.about import not_stated
from tests.fakes.tables import table

TABLE = "| Subject | Weight |\n| --- | --- |\n| P003 | 61.2 |\n| P004 | 67.2 |"
ACROSS = "| | P003 | P004 |\n| --- | --- | --- |\n| Weight | 61.2 | 67.2 |"
BOTH = {"P003": [61.2], "P004": [67.2]}


@table(
    ("text", "about", "wrong"),
    [
        ("P003's weight is 61.2 kg.", {"P003": [61.2]}, []),
        ("P004's weight is 61.2 kg.", {"P003": [61.2]}, [("P003", 61.2, "P004")]),
        ("It is 61.2 kg.", {"P003": [61.2]}, []),
        ("ECOG of P003: **1** (visit of 2026-10-28)", {"P003": [1]}, []),
        ("P003 的体重：61.2 kg；P004 的体重：67.2 kg。", BOTH, []),
        (
            "P003 的体重：67.2 kg；P004 的体重：61.2 kg。",
            BOTH,
            [("P003", 61.2, "P004"), ("P004", 67.2, "P003")],
        ),
        ("P003 weighs 61.2 kg, P004 67.2 kg", BOTH, []),
        ("61.2 kg for P003 and 67.2 kg for P004", BOTH, []),
        (
            "67.2 kg for P003 and 61.2 kg for P004",
            BOTH,
            [("P003", 61.2, "P004"), ("P004", 67.2, "P003")],
        ),
        ("P003 and P004 weigh 61.2 and 67.2 kg.", BOTH, []),
        ("P003 was seen. Its weight is 61.2. P004 has 67.2.", BOTH, []),
        (TABLE, BOTH, []),
        (ACROSS, BOTH, []),
        (ACROSS, {"P003": [67.2]}, [("P003", 67.2, "P004")]),
        ("The first is lighter, 61.2 against 67.2.", BOTH, []),
        ("Yes, 61.2 against 67.2 of P004.", BOTH, []),
        ("Oda Berg has 9 days.", {"Lin Tao": [9], "Oda Berg": []}, [("Lin Tao", 9, "Oda Berg")]),
        ("Lin Tao 有 9 天。", {"Lin Tao": [9], "Oda Berg": []}, []),
        (
            "Site 02 has 14, site 03 has 15 subjects.",
            {"site 02": [15]},
            [("site 02", 15, "site 03")],
        ),
        ("", {"P003": [1]}, [("P003", 1, "")]),
    ],
)
def test_a_number_has_to_be_stated_of_its_name(
    text: str, about: Mapping[str, list[float]], wrong: list[tuple[str, float, str]]
) -> None:
    assert list(not_stated(text, about)) == wrong
