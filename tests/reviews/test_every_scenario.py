"""Each acceptance scenario has a test of its name, or a stated reason why it has none.

README.md beside this file is the table; both have to say the same.
"""

import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]
TABLE = Path(__file__).parent / "README.md"
SCENARIOS = {f"A{number}" for number in range(1, 48)} | {"A51"}
_TEST = re.compile(r"^(?:async )?def (test_a(\d+)_\w+)\(", re.M)
_ROW = re.compile(r"^\| (A\d+) \|[^|]*\| (.*) \|$", re.M)


def named() -> dict[str, set[str]]:
    """The tests of each scenario, by their names alone."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for name, number in _TEST.findall(path.read_text(encoding="utf-8")):
            found[f"A{int(number)}"].add(name)
    return found


def told() -> dict[str, str]:
    """What the table says of each scenario."""
    return dict(_ROW.findall(TABLE.read_text(encoding="utf-8")))


def test_every_scenario_has_a_test_of_its_name_or_a_reason() -> None:
    tests, table = named(), told()
    assert set(table) == SCENARIOS
    assert set(tests) <= SCENARIOS
    reasons = {name for name, text in table.items() if text.startswith("does not apply: ")}
    assert SCENARIOS - set(tests) - reasons == set()
    assert reasons & set(tests) == set(), "it has tests, and a reason why it has none"


def test_the_table_names_the_tests_that_there_are_and_no_others() -> None:
    tests, table = named(), told()
    for scenario in sorted(tests):
        listed = set(re.findall(r"`(test_\w+)`", table[scenario]))
        assert listed == tests[scenario], f"{scenario} should list {sorted(tests[scenario])}"
