"""A playbook's graph: everything that a playbook says is in it once, and nothing else."""

from itertools import pairwise

import pytest

from engine.playbooks.drawing.graph import build_graph, condition_text
from engine.playbooks.drawing.model import Edge, Graph, node_id, one_line
from engine.playbooks.model import Playbook
from tests.engine.playbooks.sample_playbooks import (
    HOSTILE,
    SHIPPED,
    hostile,
    idle,
    shipped,
    tangled,
)
from tests.engine.sop.sop_stage import documented, loaded

ALL = [*(pytest.param(shipped(name), id=name) for name in SHIPPED)]
ALL += [pytest.param(tangled(), id="tangled"), pytest.param(hostile(), id="hostile")]
ALL += [pytest.param(idle(), id="idle")]


def edges(graph: Graph, kind: str) -> list[tuple[str, str, str]]:
    return [(e.source, e.target, e.label) for e in graph.edges if e.kind == kind]


@pytest.mark.parametrize("playbook", ALL)
def test_every_piece_of_a_playbook_is_one_node(playbook: Playbook) -> None:
    graph = build_graph(playbook, "en")
    wanted = [node_id("playbook", playbook.id)]
    wanted += [node_id("phase", phase.id) for phase in playbook.definition.phases]
    wanted += [node_id("skill", name) for name in playbook.skills]
    for name, skill in playbook.skills.items():
        wanted += [node_id("sop", name, key) for key in (skill.sop.nodes if skill.sop else ())]
    made = [node.id for node in graph.nodes if node.kind != "sop_end"]
    assert sorted(made) == sorted(wanted)
    assert len({node.id for node in graph.nodes}) == len(graph.nodes)
    ids = {node.id for node in graph.nodes}
    assert all({edge.source, edge.target} <= ids for edge in graph.edges)
    before: set[str] = {""}
    for node in graph.nodes:
        assert node.inside in before
        before.add(node.id)


@pytest.mark.parametrize("playbook", ALL)
def test_every_review_says_who_decides_and_every_rule_is_an_edge(playbook: Playbook) -> None:
    graph = build_graph(playbook, "en")
    details = {node.id: node.details for node in graph.nodes}
    for name, skill in playbook.skills.items():
        for key, node in skill.sop.nodes.items() if skill.sop else ():
            told = details[node_id("sop", name, key)]
            if node.review is None:
                assert not {"roles", "quorum", "four_eyes"} & told.keys()
                continue
            assert told["roles"] == node.review.roles
            assert told["quorum"] == (node.review.quorum,)
            assert told["four_eyes"] == (node.review.four_eyes,)
    definition = playbook.definition
    rules = [(node_id("playbook", playbook.id), rule) for rule in definition.priority_rules]
    for phase in definition.phases:
        rules += [(node_id("phase", phase.id), rule) for rule in phase.priority_rules]
    assert edges(graph, "priority") == [
        (at, node_id("skill", r.skill), one_line(condition_text(r.when))) for at, r in rules
    ]


ROOT = "playbook:clinical_qc"


def test_the_visit_playbook_is_told_as_it_is() -> None:
    graph = build_graph(shipped("clinical_qc"), "en")
    entry = [f"phase:{name}" for name in ("collect", "check", "review", "record")]
    quality = ["phase:scope", "phase:quality"]
    report, note = ["phase:subject", "phase:monitoring"], ["phase:note"]
    ways = [(a, b, "") for way in (entry, quality, report, note) for a, b in pairwise([ROOT, *way])]
    assert edges(graph, "next") == ways
    assert edges(graph, "on")[:6] == [
        ("sop:visit-check/ranges", "sop:visit-check/end_passed", "on_pass"),
        ("sop:visit-check/ranges", "sop:visit-check/end_failed", "on_fail"),
        ("sop:visit-review/approve", "sop:visit-review/as_edited", "on_approve"),
        ("sop:visit-review/approve", "sop:visit-review/end_rejected", "on_reject"),
        ("sop:visit-review/as_edited", "sop:visit-review/end_approved", "on_pass"),
        ("sop:visit-review/as_edited", "sop:visit-review/approve", "on_fail"),
    ]
    assert edges(graph, "shows") == [("sop:visit-review/approve", "skill:visit-record", "")]
    assert edges(graph, "start")[:2] == [
        ("skill:visit-check", "sop:visit-check/ranges", ""),
        ("skill:visit-review", "sop:visit-review/approve", ""),
    ]
    assert edges(graph, "priority") == [
        ("phase:check", "skill:visit-correct", "profile.check_status equals:failed"),
        ("phase:review", "skill:visit-correct", "decisions.review equals:rejected"),
    ]
    assert Edge(source="phase:review", target="skill:visit-correct", kind="allows") in graph.edges
    nodes = {node.id: node for node in graph.nodes}
    assert nodes["skill:visit-correct"].inside == "phase:check"
    assert nodes["skill:visit-correct"].type == "prompt"
    assert nodes["skill:visit-correct"].details["card"] == ("Record a visit: please correct",)
    assert nodes["phase:collect"].details["gate"] == ("profile.collect_status equals:complete",)
    assert nodes["phase:record"].details["done_card"] == ("Visit recorded",)
    ended = nodes["sop:visit-review/end_rejected"]
    assert ended.details == {"sets": ("decisions.review = rejected",)}


def test_a_soft_instruction_is_told_with_its_ways() -> None:
    graph = build_graph(loaded(documented()), "en")
    (node,) = [node for node in graph.nodes if node.id == "sop:eligibility/history"]
    assert (node.name, node.type) == ("Is the pneumonia over", "soft_instruction")
    (told,) = node.details["instruction"]
    assert str(told).startswith("The medical history must show")
    assert len(str(told)) == 121
    assert node.details["tools"] == ("read_clinical_data", "search_protocol")
    assert node.details["roles"] == ("reviewer",)
    at = "sop:eligibility/"
    assert [edge for edge in edges(graph, "on") if edge[0] == f"{at}history"] == [
        (f"{at}history", f"{at}sign", "on_pass"),
        (f"{at}history", f"{at}end_ineligible", "on_fail"),
    ]


def test_errors_are_drawn_where_they_lead_somewhere() -> None:
    files = documented()
    name = "skills/eligibility.yaml"
    files[name] = files[name].replace("on_pass: history", "on_pass: history\n      on_error: sign")
    graph = build_graph(loaded(files), "en")
    at = "sop:eligibility/"
    assert (f"{at}criteria", f"{at}sign", "on_error") in edges(graph, "on")


def test_names_are_in_the_language_asked_for_and_the_rest_is_the_same() -> None:
    english, chinese = (build_graph(shipped("clinical_qc"), lang) for lang in ("en", "zh"))
    assert english.nodes[1].name == "Collect"
    assert chinese.nodes[1].name == "收集数据"
    assert [node.id for node in english.nodes] == [node.id for node in chinese.nodes]
    assert english.edges == chinese.edges


def test_a_playbook_that_can_do_nothing_yet_is_one_node() -> None:
    graph = build_graph(idle(), "en")
    (only,) = graph.nodes
    assert only.details["not_yet"] == ("Later",)
    assert graph.edges == ()


def test_a_skill_is_where_it_is_allowed_first_or_for_the_whole_playbook() -> None:
    graph = build_graph(tangled(), "en")
    inside = {node.id: node.inside for node in graph.nodes}
    assert inside["skill:deep"] == inside["skill:ask"] == "phase:one"
    assert inside["skill:wide"] == "playbook:tangle"
    assert inside["skill:alone"] == inside["skill:unused"] == ""
    details = {node.id: node.details for node in graph.nodes}
    assert details["phase:three"]["skills"] == ("those of the whole playbook",)
    assert "skills" not in details["phase:one"]


def test_texts_are_single_lines_without_unseen_characters() -> None:
    graph = build_graph(hostile(), "en")
    texts = [
        t for n in graph.nodes for t in (n.name, n.key, *map(str, sum(n.details.values(), ())))
    ]
    texts += [edge.label for edge in graph.edges]
    assert all(char.isprintable() or char == "\u200d" for text in texts for char in text)


def test_ids_differ_where_keys_do() -> None:
    assert node_id("sop", "a/b", "c") != node_id("sop", "a", "b/c")
    assert node_id("sop", "visit-check", "x_1") == "sop:visit-check/x_1"
    assert len({node_id("skill", text) for text in HOSTILE}) == len(HOSTILE)
    assert not any(char in node_id("skill", text) for text in HOSTILE for char in ' "<>&\n\x00')
