import json
from datetime import date
from typing import Any

from cards.model import Lang
from engine.tools import registry
from engine.tools.model import Tool
from engine.understanding.lookups.find import find
from engine.understanding.lookups.near import near_questions, suggestions
from engine.understanding.lookups.partly import find_nearest
from tests.engine.understanding.routes import TABLE, TOOLS
from tests.fakes.study import Study
from tests.fakes.tables import table

TODAY = date(2026, 11, 23)


@table(("tool", "example"), [(tool, example) for tool in TOOLS for example in tool.examples])
def test_every_example_of_a_tool_is_answered_by_it(tool: Tool[Any], example: str) -> None:
    found = find(example, TOOLS, today=TODAY, entities=TABLE.entities)
    assert found is not None
    assert found[0].tool == tool.name
    tool.arguments.model_validate_json(_json(found[0].arguments))


def _json(arguments: dict[str, Any]) -> str:
    return json.dumps(arguments)


@table(
    ("text", "tool", "arguments"),
    [
        ("P003 的 ECOG", "read_clinical_data", {"subject_id": "P003", "field": "ecog"}),
        (
            "p003 昨天的体重?",
            "read_clinical_data",
            {"subject_id": "P003", "field": "weight_kg", "visit_date": "2026-11-22"},
        ),
        ("P003 的 ECOG 和体重", "read_clinical_data", {"subject_id": "P003"}),
        ("方案里怎么说年龄?", "search_protocol", {"query": "方案里怎么说年龄?"}),
        ("排除标准有哪些", "search_protocol", {"query": "排除标准"}),
        ("今天一共多少受试者", "get_project_stats", {}),
        # A number of things is how many of them there are.
        ("What is the total number of subjects?", "get_project_stats", {}),
        ("could you tell me the number of subjects", "get_project_stats", {}),
        ("受试者人数", "get_project_stats", {}),
        ("想请教一下受试者的总数是多少", "get_project_stats", {}),
        ("有哪些文件?", "file__list", {}),
        ("plan-2.csv 有哪些列", "file__parse", {"name": "plan-2.csv"}),
        ("读一下Summary.md", "file__parse", {"name": "Summary.md"}),
        (
            "Search the documents for soft checks",
            "knowledge__search",
            {"query": "Search the documents for soft checks"},
        ),
    ],
)
def test_the_text_gives_tool_and_arguments(text: str, tool: str, arguments: dict[str, Any]) -> None:
    found = find(text, TOOLS, today=TODAY, entities=TABLE.entities)
    assert found is not None
    assert (found[0].tool, found[0].arguments) == (tool, arguments)


@table(
    "text",
    [
        "ECOG",  # whose?
        "P003",  # what of P003?
        "P003 和 P004 的体重",
        "P003 2026-11-01 和 2026-11-08 的体重",
        "P003 的体重变化",
        "P003 上周的体重",
        "P003 第一次访视的体重",
        "P003 的体重是 70",
        "P003's ECOG was worse than expected",
        "不要查 P003 的体重",
        "修改 P003 的体重",
        "如果 P003 的体重大于 100",
        "how do I measure the weight of P003?",
        "what does “ECOG of P003” mean",
        "P003 的体重在方案允许的范围内吗",
        "how many subjects were there on 2026-01-01?",
        "how many subjects are in visits.csv?",  # a file is not the study
        "the number of subjects in visits.csv",
        "a number of subjects dropped out",
        "the phone number of subject P003",
        "人数",
        "a.csv 和 b.csv 里有什么",
        "delete visits.csv",
        "",
    ],
)
def test_what_no_look_up_surely_answers_is_left_alone(text: str) -> None:
    assert find(text, TOOLS, today=TODAY, entities=TABLE.entities) is None


def test_a_write_tool_is_never_looked_up() -> None:
    assert all(tool.name != "record_visit" for tool in TOOLS)
    writes = [tool for tool in (*Study().tools, *registry.TOOLS) if not tool.readonly]
    assert find("record visit P003 today", writes, today=TODAY, entities=TABLE.entities) is None


def test_suggestions_are_the_nearest_examples_of_the_language() -> None:
    near = suggestions("P003 的体重怎么样", TOOLS, "zh", entities=TABLE.entities)
    assert len(near) == 3
    assert "体重" in near[0]
    assert all(text.isascii() for text in suggestions("weight", TOOLS, "en"))
    assert "weight" in suggestions("the wieght of P003", TOOLS, "en")[0].lower()
    assert len(suggestions("", TOOLS, "zh", n=2)) == 2


def test_with_nothing_in_common_each_tool_is_suggested_once() -> None:
    # A folder with tools of its own need not have files or notes.
    own = [t for t in TOOLS if t.project and t.examples]
    others = [t for t in TOOLS if not t.project and t.examples]
    for tools, told in ((TOOLS, own), (others, others)):
        firsts = [next(e for e in t.examples if not e.isascii()) for t in told]
        assert firsts
        assert list(suggestions("@@@", tools, "zh", n=len(firsts))) == firsts


@table(
    ("text", "lang", "offered", "lookup"),
    [
        (
            "List the subjects with grade 3 events",
            "en",
            "How many subjects had adverse events?",
            {},
        ),
        ("各中心的入组进度怎么样？", "zh", "一共入组了多少人", {}),
    ],
)
def test_questions_near_one_share_a_word_with_it_and_are_answered(
    text: str, lang: Lang, offered: str, lookup: dict[str, Any]
) -> None:
    near = near_questions(text, TOOLS, lang, today=TODAY, entities=TABLE.entities)
    assert (offered, lookup) in [(question, each.arguments) for each, question in near]
    told = [each for each, _ in near]
    assert len({each.model_dump_json() for each in told}) == len(told) <= 3


def test_questions_near_one_name_what_it_names_and_nothing_else() -> None:
    text = "Did P011 ever have side effects like those of the others?"
    near = near_questions(text, TOOLS, "en", today=TODAY, entities=TABLE.entities)
    named = [each.arguments.get("subject_id", "P011") for each, _ in near]
    assert "Did P011 report side effects?" in [question for _, question in near]
    assert set(named) == {"P011"}
    alike = near_questions("Who weighs most?", TOOLS, "en", today=TODAY, entities=TABLE.entities)
    assert all("subject_id" not in each.arguments for each, _ in alike)


def test_with_nothing_in_common_what_is_recorded_as_a_whole_is_near() -> None:
    text = "谁负责 02 中心？"
    assert not near_questions(text, TOOLS, "zh", today=TODAY, entities=TABLE.entities)
    near = near_questions(text, TOOLS, "zh", today=TODAY, entities=TABLE.entities, or_any=True)
    assert [(each.tool, each.arguments) for each, _ in near] == [("get_project_stats", {})]


@table(
    ("text", "left"),
    [
        ("How many subjects are enrolled at site 02", "enrolled site 02"),
        ("How many subjects had an adverse event in arm A?", "A"),
        ("A 组有多少受试者出现过不良事件？", "A 组 现过"),
        ("How many subjects were there on 2026-01-01?", "2026-01-01"),
    ],
)
def test_what_is_known_of_a_whole_study_is_told_with_what_it_leaves_out(
    text: str, left: str
) -> None:
    found = find_nearest(text, TOOLS, today=TODAY, entities=TABLE.entities)
    assert found is not None
    assert (found[0].tool, found[0].arguments, found[1]) == ("get_project_stats", {}, left)
