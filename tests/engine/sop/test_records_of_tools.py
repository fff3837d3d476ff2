"""Rules over what a tool lists: the documented stock count of a warehouse, and a batch of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cards.model import Card
from engine.errors import DefinitionError, ToolFailed
from engine.frames.state import AgentState, BatchFrame, SopFrame
from engine.mail import RunMail
from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.drawing.mermaid import to_mermaid
from engine.playbooks.drawing.svg import draw
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.toolbox.toolbox import Toolbox
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext
from tests.engine.sop.sop_stage import Ran, approve, new_run, ran, reject, services

ROOT = Path(__file__).parents[3]
SKILL, CHECK = "skills/count-check.yaml", "count-check"
Bins = Mapping[str, Sequence[Mapping[str, Any]]]


class OfSite(Arguments):
    site: str


class OfAisle(Arguments):
    aisle: str


class Nothing(Arguments):
    pass


def lot(day: str) -> dict[str, str]:
    return {"best_before": f"{day}T00:00:00Z"}


def bin_of(name: str, stock: int, counted: int | None, *lots: dict[str, str]) -> dict[str, Any]:
    return {"bin": name, "stock": stock, "counted": counted, "lots": list(lots)}


STOCK: Bins = {
    "A1": [bin_of("A1-01", 5, 5, lot("2027-01-01")), bin_of("A1-02", 7, None)],
    "B2": [bin_of("B2-01", 3, 4, lot("2026-11-20"), lot("2027-01-01"))],
    "C3": [],
}


def lister(name: str, arguments: type[Arguments], listed: Callable[[Any], Any], **more: Any) -> Any:
    async def run(args: Any, ctx: ToolContext) -> Any:
        return listed(args)

    return Tool(name, f"{name} of the warehouse", arguments, True, run, lambda *_: "", **more)


def warehouse(stock: Bins = STOCK, **answers: Any) -> tuple[Tool[Any], ...]:
    def bins(args: OfAisle) -> Any:
        if args.aisle not in stock:
            raise ToolFailed("records.no_list", tool=args.aisle)
        return {"rows": [{"aisle": args.aisle, **each} for each in stock[args.aisle]], "n": 1}

    columns = {"aisle": "text", "bin": "text", "stock": "integer", "counted": "integer", "lots": ""}
    aisles = answers.get("aisles", {"aisles": [{"aisle": name} for name in stock]})
    return (
        lister("list_bins", OfAisle, bins, columns=columns),
        lister("list_aisles", OfSite, lambda _: aisles),
        lister("all_bins", Nothing, lambda _: answers.get("all", [])),
    )


def documented() -> dict[str, str]:
    text = (ROOT / "docs/records.md").read_text("utf-8")
    return dict(re.findall(r"```yaml\n# (\S+)\n(.*?)```", text, re.S))


def playbook(*changes: tuple[str, str], tools: Sequence[Tool[Any]] = warehouse()) -> Playbook:
    files = documented()
    for old, new in changes:
        assert sum(text.count(old) for text in files.values()) == 1, old
        files = {name: text.replace(old, new) for name, text in files.items()}
    facts = Toolbox(own=tools).facts
    return load(files, roles=("reviewer",), held=("reviewer",), tools=facts)


async def count(
    *answers: Callable[[Card], RunMail],
    of: Playbook | None = None,
    tools: Sequence[Tool[Any]] = warehouse(),
    lang: str = "en",
    **data: Any,
) -> Ran:
    book = of or playbook(tools=tools)
    sop = book.skills[CHECK].sop
    assert sop is not None
    update = {
        "frames": (SopFrame(skill=CHECK, node=sop.start_node),),
        "state": AgentState(data=data),
        "lang": lang,
    }
    # A run of the sample's stage, but of this playbook.
    run = new_run_of(book).model_copy(update=update)
    given = replace(services(None, None), toolbox=Toolbox(own=tools))  # type: ignore[arg-type]
    return await ran(run, book, given, *answers)


def new_run_of(book: Playbook) -> Any:
    renamed = book.model_copy(update={"skills": {**book.skills, "eligibility": book.skills[CHECK]}})
    return new_run(renamed, {})


async def test_the_documented_count_finds_tells_and_is_signed() -> None:
    done = await count(approve)
    assert done.judged == [
        ("bins", "checked", "rules", "how_many"),
        ("how_many", "checked", "rules", "sign"),
        ("sign", "approved", "chen", "end_signed"),
    ]
    assert done.run.status == "completed"
    assert done.run.state.data["differences"] == (
        {"aisle": "A1", "bin": "A1-02", "counted": None, "message": "was not counted"},
        {"aisle": "B2", "bin": "B2-01", "counted": 4, "message": "differs from the books"},
        {"aisle": "B2", "bin": "B2-01", "counted": 4, "message": "holds a lot past its date"},
    )
    assert done.run.state.data["totals"] == (
        {"aisle": "B2", "bins": 1, "findings": 2},
        {"aisle": "A1", "bins": 2, "findings": 1},
        {"aisle": "C3", "bins": 0, "findings": 0},
    )
    assert done.run.state.response == "Checked: 3. Findings: 3."
    assert [(check.record, check.found) for check in done.checks[:3]] == [
        ("A1", 1),
        ("B2", 2),
        ("C3", 0),
    ]
    assert done.checks[1].findings[0].entry == "B2-01"


async def test_what_stands_around_the_records_is_read_with_a_dollar() -> None:
    done = await count(tolerance=1)
    assert len(done.run.state.data["differences"]) == 2  # type: ignore[arg-type]
    assert done.judged[1] == ("how_many", "checked", "rules", "end_noted")
    assert done.run.state.profile["verdict"] == "noted"
    assert (done.run.end, done.run.status) == ("done", "completed")


async def test_one_member_alone_where_the_run_names_it() -> None:
    done = await count(aisle=" A1 ")
    assert done.run.state.data["totals"] == ({"aisle": "A1", "bins": 2, "findings": 1},)
    assert done.judged[-1][3] == "end_noted"


async def test_a_rejected_count_says_so() -> None:
    done = await count(reject)
    assert done.run.state.profile["verdict"] == "rejected"
    assert done.run.end == "rejected"


ALL_BINS = (
    (
        "        tool: list_bins\n        with: {aisle: $aisle}\n"
        "        for_each: {tool: list_aisles, with: {site: north}, as: aisle, only: aisle}\n"
        "        entry: bin\n        count: bins\n",
        "        tool: all_bins\n        count: bins\n",
    ),
    (
        "      aisle: {label: {zh: 通道, en: Aisle}}\n      bins:",
        "      bins:",
    ),
)


async def test_without_members_the_tool_is_asked_once_and_its_records_are_counted() -> None:
    tools = warehouse(all=[{"aisle": "A1", **each} for each in STOCK["A1"]])
    done = await count(of=playbook(*ALL_BINS, tools=tools), tools=tools)
    assert done.run.state.data["totals"] == ({"bins": 2, "findings": 1},)
    assert done.run.state.response == "Checked: 2. Findings: 1."
    assert done.checks[0].findings[0].entry == "2"


@pytest.mark.parametrize("counted", [5, 4])
async def test_of_one_record_no_count_is_told(counted: int) -> None:
    tools = warehouse(all=[{"aisle": "A1", **bin_of("A1-01", 5, counted)}])
    done = await count(of=playbook(*ALL_BINS, tools=tools), tools=tools)
    assert done.run.state.data["totals"] == ({"bins": 1, "findings": 5 - counted},)
    assert done.run.state.response == ""


AT_LEAST = (
    "        findings: differences\n",
    "        at_least: 1\n        findings: differences\n",
)
TELLS_VALUE = (
    "      counted: {label: {zh: 实盘, en: Counted}, type: integer}\n",
    "      value: {label: {zh: 值, en: Value}}\n",
)


@pytest.mark.parametrize(
    ("lang", "told"), [("en", "nothing was found"), ("zh", "没有找到")], ids=str
)
async def test_too_few_records_are_a_violation_where_the_playbook_says_so(
    lang: str, told: str
) -> None:
    stock = {"A1": STOCK["A1"][:1], "C3": []}
    tools = warehouse(stock)
    of = playbook(AT_LEAST, TELLS_VALUE, tools=tools)
    done = await count(of=of, tools=tools, lang=lang, aisle="C3")
    missing = {"aisle": "C3", "bin": None, "value": "C3", "message": told}
    assert done.run.state.data["differences"] == (missing,)
    assert done.run.state.data["totals"] == ({"aisle": "C3", "bins": 0, "findings": 1},)
    assert done.judged[0] == ("bins", "checked", "rules", "how_many")
    whole = await count(of=of, tools=tools, lang=lang)
    assert whole.run.state.data["differences"] == (missing,)
    passed = await count(of=playbook(TELLS_VALUE, tools=tools), tools=tools, aisle="C3")
    assert passed.judged == [("bins", "checked", "rules", "end_clean")]


async def test_a_look_up_by_one_value_tells_which_found_too_little() -> None:
    alone = (
        "        for_each: {tool: list_aisles, with: {site: north}, as: aisle, only: aisle}\n",
        "        at_least: 3\n",
    )
    table = "      aisle: {label: {zh: 通道, en: Aisle}}\n      bins:", "      bins:"
    done = await count(of=playbook(alone, table, TELLS_VALUE), aisle="B2")
    rows: Any = done.run.state.data["differences"]
    assert (rows[-1]["value"], rows[-1]["message"]) == ("B2", "only 1 found, at least 3 needed")
    assert done.checks[0].findings[-1].label == "Aisle"


AGAIN = (
    "      on_pass: end_clean\n      on_fail: how_many\n",
    """      on_pass: again
      on_fail: again
    again:
      type: hard_rule
      over: {tool: list_bins, with: {aisle: C3}, findings: empty, summary: left}
      rules:
        - {field: counted, logic: {"!!": {var: counted}}, message: {zh: 空, en: none}}
      on_pass: end_clean
      on_fail: how_many
""",
)
LEFT = (
    "  totals:\n",
    """  left:
    label: {zh: 剩余, en: Left}
    type: list
    columns:
      records: {label: {zh: 数量, en: Records}, type: integer}
      findings: {label: {zh: 问题数, en: Findings}, type: integer}
  empty:
    label: {zh: 空货位, en: Empty bins}
    type: list
    columns:
      bin: {label: {zh: 货位, en: Bin}}
  totals:
""",
)
SAME = (
    "findings: differences, summary: totals, "
    "for_each: {tool: list_aisles, with: {site: x}, as: aisle}, count: bins"
)
PROVIDES = ("provides: [differences, totals", "provides: [differences, empty, left, totals")


async def test_each_node_over_records_judges_its_own() -> None:
    full = {**STOCK, "C3": [bin_of("C3-01", 1, None), bin_of("C3-02", 1, 1)]}
    tools = warehouse(full)
    done = await count(of=playbook(AGAIN, LEFT, PROVIDES, tools=tools), tools=tools)
    assert [step[:2] for step in done.judged[:2]] == [("bins", "checked"), ("again", "checked")]
    assert done.run.state.data["left"] == ({"records": 2, "findings": 1},)
    assert done.run.state.data["empty"] == ({"bin": "C3-01"},)
    assert len(done.run.state.data["differences"]) == 4  # type: ignore[arg-type]


def test_a_node_may_not_replace_the_findings_of_one_before_it() -> None:
    both = AGAIN[0], AGAIN[1].replace("findings: empty, summary: left", SAME)
    with pytest.raises(DefinitionError) as caught:
        playbook(both)
    at = "skills/count-check.yaml:41: sop.nodes.again.over."
    assert list(caught.value.problems) == [
        f"{at}findings: 'differences' holds those of 'bins' by then; name another list",
        f"{at}summary: 'totals' holds those of 'bins' by then; name another list",
    ]
    # One that passed has found nothing that could be replaced.
    playbook((both[0], both[1].replace("on_fail: again", "on_fail: how_many", 1)))


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"aisles": {"aisles": "A1"}}, "list\\_aisles gave no list of records."),
        ({"aisles": {"a": [], "b": []}}, "list\\_aisles gave no list of records."),
        ({"aisles": [{"name": "A1"}]}, "list\\_aisles lists something without aisle"),
        ({"aisles": ["Z9"]}, "Z9 gave no list of records."),
        ({"aisles": [f"A{n}" for n in range(10_001)]}, "lists more than 10000 at once"),
    ],
    ids=str,
)
async def test_a_tool_that_gives_something_else_is_an_error_with_words(
    answers: dict[str, Any], told: str
) -> None:
    failed = await count(tools=warehouse(**answers))
    assert failed.judged == [("bins", "error", "signoff", "end_error")]
    assert failed.run.status == "failed"
    assert told in failed.run.part.text


async def test_a_list_of_bare_names_is_a_list_of_members() -> None:
    done = await count(tools=warehouse(aisles=["B2", "B2", "C3"]))
    assert [row["aisle"] for row in done.run.state.data["totals"]] == ["B2", "C3"]  # type: ignore[union-attr,index]


async def test_a_step_takes_only_so_many_records_however_few_members_they_are_of() -> None:
    many = {f"A{n:02}": [bin_of(f"{n}-{k}", 1, 1) for k in range(300)] for n in range(10)}
    done = await count(tools=warehouse(many))
    checked = [e["why"] for e in done.log if e["why"].startswith("checked ")]
    assert [why.count(",") + 1 for why in checked] == [7, 3]
    assert done.run.state.response == "Checked: 10. Findings: 0."


async def test_arguments_that_a_tool_refuses_are_told_without_markup() -> None:
    wrong = (("with: {aisle: $aisle}", "with: {aisle: 7}"),)
    failed = await count(of=playbook(*wrong))
    assert failed.run.status == "failed"
    assert "list\\_bins does not take this: aisle: 7." in failed.run.part.text


def faults(*changes: tuple[str, str], tools: Sequence[Tool[Any]] = warehouse()) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        playbook(*changes, tools=tools)
    return list(caught.value.problems)


def test_names_in_rules_are_checked_against_the_columns_that_the_tool_declares() -> None:
    assert faults(("{var: stock}", "{var: stok}")) == [
        "skills/count-check.yaml:31: sop.nodes.bins.rules.1.logic.?:.2.<=.1.-.1.var:"
        " unknown name 'stok'; did you mean 'stock'?"
    ]
    undeclared = tuple(replace(tool, columns={}) for tool in warehouse())
    assert playbook(("{var: stock}", "{var: stok}"), tools=undeclared)


def test_a_way_of_a_branch_is_checked_as_any_condition_and_target() -> None:
    at = "sop.nodes.how_many"
    assert faults(("{var: current.findings}", "{var: current.finding}"))[0].endswith(
        "unknown name 'finding' in 'current'; did you mean 'findings'?"
    )
    assert [
        f.split(": ", 1)[1] for f in faults(("          to: sign\n", "          to: sing\n"))
    ] == [
        f"{at}.ways.0.to: there is no node 'sing'; did you mean 'sign'?",
        "sop.nodes.sign: cannot be reached from start_node",
    ]
    assert [f.split(": ", 1)[1] for f in faults(("      default: end_noted\n", ""))] == [
        f"{at}.default: is required"
    ]
    told = faults(("      type: branch\n", "      type: hard_rule\n"))
    for part in ("default", "ways"):
        fault = f"{at}.{part}: belongs to type branch, this node is of type hard_rule"
        assert [f for f in told if f.endswith(fault)]


def test_the_ways_of_a_branch_are_drawn_with_their_conditions() -> None:
    graph = build_graph(playbook(), "en")
    edges = list(graph.edges_from("sop:count-check/how_many", "on"))
    assert [(edge.target, edge.label[:20]) for edge in edges] == [
        ("sop:count-check/sign", 'logic {">": [{"reduc'),
        ("sop:count-check/end_noted", "default"),
    ]
    assert max(len(edge.label) for edge in edges) <= 61
    assert "how_many" in draw(graph)
    assert "default" in to_mermaid(graph)


async def test_ways_are_tried_in_their_order() -> None:
    first = (
        "          to: sign\n",
        "          to: sign\n        - when: {field: aisle, check: empty}\n"
        "          to: end_clean\n",
    )
    many = await count(of=playbook(first))
    assert many.judged[1] == ("how_many", "checked", "rules", "sign")
    few = await count(of=playbook(first), tolerance=1)
    assert few.judged[1] == ("how_many", "checked", "rules", "end_clean")
    one = await count(of=playbook(first), tolerance=1, aisle="A1")
    assert one.judged[1] == ("how_many", "checked", "rules", "end_noted")


BATCH = (
    "  start_node: bins\n",
    "  start_node: bins\n  batch: {tool: list_aisles, with: {site: north}, as: aisle,"
    " summary: totals, concurrency: 2}\n",
)
RESULTS = (
    "      bins: {label: {zh: 货位数, en: Bins}, type: integer}\n"
    "      findings: {label: {zh: 问题数, en: Findings}, type: integer}\n",
    "      result: {label: {zh: 结果, en: Result}}\n"
    "      problems: {label: {zh: 问题, en: Problems}}\n",
)


async def test_a_batch_begins_a_run_for_each_entry_of_a_tool() -> None:
    every = playbook(
        BATCH,
        RESULTS,
        ("        summary: totals\n", "        summary: counts\n"),
        ("  totals:\n", TOTALS),
        ("                    - {var: totals}\n", "                    - {var: counts}\n"),
    )
    start = new_run_of(every).model_copy(update={"frames": (BatchFrame(skill=CHECK),)})
    toolbox = Toolbox(own=warehouse())
    given = replace(services(None, None), toolbox=toolbox)  # type: ignore[arg-type]
    begun = await ran(start, every, given)
    assert begun.run.status == "suspended"
    assert list(begun.run.children) == ["A1", "B2"]
    (frame,) = begun.run.frames
    assert isinstance(frame, BatchFrame)
    assert (frame.left, frame.of) == (("C3",), 3)


TOTALS = """\
  counts:
    label: {zh: 汇总, en: Counts}
    type: list
    columns:
      aisle: {label: {zh: 通道, en: Aisle}}
      bins: {label: {zh: 货位数, en: Bins}, type: integer}
      findings: {label: {zh: 问题数, en: Findings}, type: integer}
  totals:
"""
