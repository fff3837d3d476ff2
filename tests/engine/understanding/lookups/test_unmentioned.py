"""What a search by words did not find is named; examples and other languages are left alone."""

from engine.frames.intents import Lookup
from engine.understanding.lookups.find import find
from engine.understanding.lookups.unmentioned import name_unmentioned
from tests.engine.understanding.lookups.test_find import TABLE, TODAY, TOOLS
from tests.fakes.tables import table

DOSING = (
    "Protocol section 4.1, Dosing: Arm A takes SGN-101 tablets by mouth, a dose of 20 mg daily."
)
ZH_DOSING = "方案 4.1 节《给药方案与剂量》：A 组口服 SGN-101 片，剂量 20 mg，每日一次。"


@table(
    ("text", "found", "left"),
    [
        ("What dose do children take?", DOSING, "children"),
        ("Is the dose for pregnant women lower?", DOSING, "pregnant women lower"),
        ("What is the daily dose of the tablet?", DOSING, ""),
        ("方案里对儿童的剂量有规定吗？", ZH_DOSING, "儿童"),
        ("方案里每日的剂量是多少？", ZH_DOSING, ""),
        ("方案里对儿童的剂量有规定吗？", DOSING, ""),  # in another language
        ("What dose does arm A take?", "Nothing at all.", ""),  # an example of its own
    ],
)
def test_words_that_were_not_found_are_named(text: str, found: str, left: str) -> None:
    look_up = find(text, TOOLS, today=TODAY, entities=TABLE.entities)
    assert look_up is not None
    assert look_up[0].tool == "search_protocol"
    assert (
        name_unmentioned(text, look_up[0], found, TOOLS, today=TODAY, entities=TABLE.entities)
        == left
    )


def test_only_a_search_leaves_words_unmentioned() -> None:
    stats = Lookup(tool="get_project_stats", arguments={})
    text = "How many subjects are enrolled at site 02?"
    assert not name_unmentioned(text, stats, "12", TOOLS, today=TODAY, entities=TABLE.entities)
