"""A chart of violations by rule: counted over all records, shown once, below the summary."""

from typing import Any

import pytest

from cards.showing.view import MessageView
from engine.frames.state import AgentState, PlannerFrame, SopFrame
from engine.playbooks.load import load
from engine.sop.violations import BARS, COUNTED, add_counts, chart_of
from tests.engine.playbooks.test_static_checks import CHECK, changed
from tests.engine.sop.test_sop_records import MATTER, OF_ONE, study, visit
from tests.fakes.study import Study
from tests.fakes.walk import Walk, crashing, new_run

MESSAGE = (CHECK, "message: {zh: 太高, en: too high}")
QUOTES = load(changed((*MESSAGE, 'message: "{field} is {value}: too high"')), roles=None, held=None)
WORDY = load(changed((*MESSAGE, f'message: "{"too high, " * 20}"')), roles=None, held=None)


def frames() -> tuple[Any, ...]:
    return PlannerFrame(phase="intake", force=CHECK), SopFrame(skill=CHECK, node="all")


def charts(walk: Walk) -> list[MessageView]:
    notes = [post for post in walk.posts if post.kind == "note"]
    views = [MessageView.model_validate_json(post.body) for post in notes]
    return [view for view in views if view.chart]


def bars(walk: Walk) -> list[tuple[str, int]]:
    (view,) = charts(walk)
    assert view.chart is not None
    return [(bar.label, bar.value) for bar in view.chart.bars]


async def walked(records: Study, playbook: Any = MATTER, **more: Any) -> Walk:
    return await Walk(playbook, new_run(playbook, frames=frames(), **more), records=records).start()


def context_of(lang: str = "en") -> Any:
    """As much of a step's context as a chart needs."""

    class Context:
        run = new_run(MATTER, lang=lang)  # type: ignore[arg-type]
        playbook = MATTER

    return Context()


async def test_violations_are_counted_by_rule_over_all_subjects() -> None:
    found = await walked(
        study(visit("P001", 1), visit("P001", 2, ecog=7), visit("P002", 3, 9), visit("P003", 4, 9))
    )
    assert bars(found) == [("ecog: too high", 3)]
    (view,) = charts(found)
    assert view.chart is not None
    assert view.chart.title == f"{found.run.name}: findings by rule"
    assert view.parts[0].text == (
        f"**{view.chart.title}**\n\n| Rule | Findings |\n| --- | --- |\n| ecog: too high | 3 |"
    )


async def test_the_chart_is_in_the_language_of_the_run() -> None:
    found = await walked(study(visit("P001", 1, 9), visit("P002", 2)), lang="zh")
    (view,) = charts(found)
    assert view.chart is not None
    assert view.chart.title.endswith("：各规则发现的问题")
    assert "| 规则 | 次数 |" in view.parts[0].text


@pytest.mark.parametrize(
    ("records", "playbook"),
    [
        (study(visit("P001", 1), visit("P002", 2)), MATTER),
        (study(visit("P001", 1, 9)), MATTER),
        (study(visit("P001", 1, 9), visit("P002", 2, 9)), OF_ONE),
    ],
    ids=["nothing wrong", "a study of one", "asked for one"],
)
async def test_without_violations_or_of_one_subject_there_is_no_chart(
    records: Study, playbook: Any
) -> None:
    state = AgentState(data={"law": "P001"} if playbook is OF_ONE else {})
    found = await walked(records, playbook, state=state)
    assert charts(found) == []
    assert found.run.state.chart is None


async def test_a_chart_is_posted_once_after_what_else_its_step_shows() -> None:
    found = await walked(study(visit("P001", 1, 9), visit("P002", 2, 9)))
    (post,) = [post for post in found.posts if post.kind == "note"]
    assert post.row == f"{found.run.id}/chart/{found.run.steps}"
    assert post.conversation == found.run.conversation
    assert all(other.due_s < post.due_s for other in found.posts if other is not post)
    assert found.run.state.chart is None


async def test_a_step_that_is_done_twice_names_the_same_message() -> None:
    records = study(*(visit(f"P{n:03}", 1, 9) for n in range(1, 25)))
    once = await walked(records)
    walk = crashing(Walk(MATTER, new_run(MATTER, frames=frames()), records=records))
    twice = await walk.start()
    assert [p.row for p in twice.posts if p.kind == "note"] == [
        p.row for p in once.posts if p.kind == "note"
    ]
    assert bars(twice) == bars(once) == [("ecog: too high", 24)]


def test_a_batch_adds_up_what_its_children_found() -> None:
    one = add_counts({}, {"a": 2, "b": 1}.items())
    assert add_counts(one, {"b": 4, "c": 1}.items()) == {"a": 2, "b": 5, "c": 1}
    chart = chart_of({"a": 2, "b": 5, "c": 1}, 3, context_of())
    assert chart is not None
    assert [(bar.label, bar.value) for bar in chart.bars] == [("b", 5), ("a", 2), ("c", 1)]


def test_many_rules_have_the_largest_bars_and_one_for_the_others() -> None:
    counts = {f"rule {n:03}": n for n in range(1, 31)}
    chart = chart_of(counts, 2, context_of())
    assert chart is not None
    assert [bar.value for bar in chart.bars[:BARS]] == list(range(30, 20, -1))
    assert (chart.bars[-1].label, chart.bars[-1].value) == ("Other rules", sum(range(1, 21)))
    assert len(chart.bars) == BARS + 1


def test_what_is_counted_is_bounded_and_nothing_is_lost() -> None:
    counts = add_counts({}, ((f"rule {n}", 1) for n in range(COUNTED * 2)))
    assert len(counts) <= COUNTED + 1
    assert sum(counts.values()) == COUNTED * 2
    chart = chart_of(counts, 2, context_of("zh"))
    assert chart is not None
    assert sum(bar.value for bar in chart.bars) == COUNTED * 2
    assert chart.bars[-1].label == "其他规则"


def test_what_a_chart_says_fits_where_platforms_take_alternative_texts() -> None:
    chart = chart_of({"规" * 59 + str(n): 10**7 for n in range(20)}, 2, context_of("zh"))
    assert chart is not None
    assert len(chart.alt_text) <= 1_000


async def test_what_a_message_quotes_is_left_open_so_that_a_rule_is_one_bar() -> None:
    found = await walked(study(visit("P001", 1, 8), visit("P002", 2, 9)), QUOTES)
    assert bars(found) == [("ecog: ecog is …: too high", 2)]


async def test_a_long_label_says_that_it_is_cut() -> None:
    found = await walked(study(visit("P001", 1, 8), visit("P002", 2, 9)), WORDY)
    ((label, _),) = bars(found)
    assert len(label) == 60
    assert label.endswith("…")
