"""The picture of a playbook: sound XML, nothing over anything else, ids to find nodes by."""

import itertools
import unicodedata
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from cards.model import Lang
from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.drawing.model import Graph
from engine.playbooks.drawing.svg import draw
from engine.playbooks.model import Playbook
from tests.engine.playbooks.sample_playbooks import (
    SHIPPED,
    hostile,
    idle,
    scattered,
    shipped,
    tangled,
)
from tests.fakes.tables import table

SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "g", "title", "style", "rect", "text", "polyline", "polygon"}
ALL = [*(pytest.param(shipped(name), id=name) for name in SHIPPED)]
ALL += [pytest.param(tangled(), id="tangled"), pytest.param(hostile(), id="hostile")]
ALL += [pytest.param(idle(), id="idle")]
SOPS = [*ALL, *(pytest.param(scattered(seed), id=f"scattered {seed}") for seed in range(60))]
NEAR = 0.2


@dataclass(frozen=True)
class Area:
    """A rectangle by its sides."""

    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: "Area") -> bool:
        return (
            self.left <= other.left + NEAR
            and self.top <= other.top + NEAR
            and self.right >= other.right - NEAR
            and self.bottom >= other.bottom - NEAR
        )

    def meets(self, other: "Area") -> bool:
        return (
            self.left < other.right - NEAR
            and other.left < self.right - NEAR
            and self.top < other.bottom - NEAR
            and other.top < self.bottom - NEAR
        )


def picture(graph: Graph, **marks: set[str]) -> ElementTree.Element:
    return ElementTree.fromstring(draw(graph, **marks))


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib[name])


def area(rect: ElementTree.Element) -> Area:
    x, y = number(rect, "x"), number(rect, "y")
    return Area(x, y, x + number(rect, "width"), y + number(rect, "height"))


def text_area(text: ElementTree.Element) -> Area:
    """Where it is in a common font: half the size for a letter, all of it for a wide sign."""
    size = number(text, "font-size")
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text.text or "")
    width = size * (0.5 * len(text.text or "") + 0.5 * wide)
    x, y = number(text, "x"), number(text, "y")
    return Area(x, y - 0.8 * size, x + width, y + 0.25 * size)


def groups(svg: ElementTree.Element) -> list[ElementTree.Element]:
    return [group for group in svg.iter(f"{SVG}g") if group.find(f"{SVG}rect") is not None]


def boxes(svg: ElementTree.Element) -> list[Area]:
    return [area(rect) for rect in svg.iter(f"{SVG}rect")]


def whole(svg: ElementTree.Element) -> Area:
    return Area(*map(float, svg.attrib["viewBox"].split()))


@table("lang", ["en", "zh"])
@table("playbook", ALL)
def test_every_node_is_one_group_with_its_id_and_title(playbook: Playbook, lang: Lang) -> None:
    graph = build_graph(playbook, lang)
    svg = picture(graph)
    ids = [element.attrib["id"] for element in svg.iter() if "id" in element.attrib]
    assert sorted(ids) == sorted(node.id for node in graph.nodes)
    found = {group.attrib["id"]: group for group in groups(svg) if "id" in group.attrib}
    for node in graph.nodes:
        assert found[node.id].attrib["class"] == node.kind
        assert (found[node.id].findtext(f"{SVG}title") or "").startswith(node.name)
    assert {element.tag.removeprefix(SVG) for element in svg.iter()} <= TAGS
    assert not any(name.startswith("on") or "href" in name for e in svg.iter() for name in e.attrib)


@table("lang", ["en", "zh"])
@table("playbook", ALL)
def test_boxes_are_apart_or_inside_each_other_as_the_nodes_are(
    playbook: Playbook, lang: Lang
) -> None:
    graph = build_graph(playbook, lang)
    svg = picture(graph)
    for one, other in itertools.combinations(boxes(svg), 2):
        assert not one.meets(other) or one.holds(other) or other.holds(one)
    assert all(whole(svg).holds(box) for box in boxes(svg))
    found = {g.attrib["id"]: area(next(iter(g.iter(f"{SVG}rect")))) for g in named(svg)}
    parents = {node.id: node.inside for node in graph.nodes}
    for name, place in found.items():
        around = {other for other, box in found.items() if box.holds(place)}
        assert around == {name, *above(name, parents)}


def named(svg: ElementTree.Element) -> list[ElementTree.Element]:
    return [group for group in groups(svg) if "id" in group.attrib]


def above(name: str, parents: dict[str, str]) -> list[str]:
    found = []
    while name := parents[name]:
        found.append(name)
    return found


@table("playbook", SOPS)
def test_text_is_inside_its_box_and_over_no_other_text_or_box(playbook: Playbook) -> None:
    svg = picture(build_graph(playbook, "zh"))
    all_boxes = boxes(svg)
    texts = []
    for group in groups(svg):
        box = area(next(iter(group.iter(f"{SVG}rect"))))
        for text in group.iter(f"{SVG}text"):
            texts.append(text_area(text))
            assert box.holds(texts[-1]), text.text
            assert not any(
                box.holds(other) and other != box and other.meets(texts[-1]) for other in all_boxes
            )
    labels = [text_area(text) for text in svg.findall(f"{SVG}text")]
    for one in labels:
        assert whole(svg).holds(one)
        assert all(box.holds(one) for box in all_boxes if box.meets(one))
    for one, other in itertools.combinations([*texts, *labels], 2):
        assert not one.meets(other)


@table("playbook", SOPS)
def test_arrows_of_an_sop_join_only_on_the_way_to_one_target(playbook: Playbook) -> None:
    svg = picture(build_graph(playbook, "en"))
    lines = [corners(group) for group in svg.iter(f"{SVG}g") if "arrow" in group.attrib["class"]]
    for one, other in itertools.combinations(lines, 2):
        if one[-1] != other[-1]:
            assert not any(along(a, b) for a in pairs(one) for b in pairs(other))


Line = tuple[tuple[float, float], tuple[float, float]]


def corners(group: ElementTree.Element) -> list[tuple[float, float]]:
    points = next(iter(group.iter(f"{SVG}polyline"))).attrib["points"].split()
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points)]


def pairs(points: list[tuple[float, float]]) -> list[Line]:
    return list(itertools.pairwise(points))


def along(one: Line, other: Line) -> bool:
    """Whether the two look like one line for a part of their way."""
    for axis in (0, 1):
        cross = 1 - axis
        across = [point[cross] for line in (one, other) for point in line]
        if max(across) - min(across) < 3:
            (a, b), (c, d) = (sorted(point[axis] for point in line) for line in (one, other))
            return min(b, d) - max(a, c) > 1
    return False


@table("playbook", SOPS)
def test_no_arrow_goes_through_a_box_or_a_text(playbook: Playbook) -> None:
    svg = picture(build_graph(playbook, "en"))
    texts = [text_area(text) for text in svg.iter(f"{SVG}text")]
    for group in svg.iter(f"{SVG}g"):
        if "arrow" not in group.attrib["class"]:
            continue
        parts = [area_of(line) for line in pairs(corners(group))]
        for box in boxes(svg):
            met = [part for part in parts if box.meets(part)]
            assert not met or all(box.holds(part) for part in parts)
        assert not any(text.meets(part) for text in texts for part in parts)


def area_of(line: Line) -> Area:
    (x, y), (to_x, to_y) = line
    return Area(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y))


def test_skills_that_do_not_fit_beside_each_other_go_below() -> None:
    assert whole(picture(build_graph(tangled(), "en"))).right < 1100


def test_every_rule_and_way_out_is_told_at_an_arrow() -> None:
    svg = picture(build_graph(tangled(), "en"))
    labels = [text.text for text in svg.findall(f"{SVG}text")]
    assert labels.count("rule 2: profile.ok equals:false") == 2
    assert labels.count("rule 1: decisions.agreed empty") == 2
    assert labels.count("rule 3: decisions.agreed empty") == 2
    assert sorted(label for label in labels if label and label.startswith("on_")) == [
        *("on_approve", "on_approve", "on_expire", "on_expire"),
        *("on_fail", "on_fail", "on_pass", "on_pass", "on_reject", "on_reject"),
    ]


def test_the_way_of_a_run_is_marked_by_class_sign_and_title() -> None:
    graph = build_graph(shipped("clinical_qc"), "en")
    went = {"phase:collect", "skill:visit-collect", "phase:review", "sop:gone/node"}
    svg = picture(graph, visited=went, waiting={"phase:review", "sop:visit-review/approve"})
    found = {group.attrib["id"]: group for group in named(svg)}
    classes = {name: group.attrib["class"].split() for name, group in found.items()}
    assert {n for n, c in classes.items() if "visited" in c} == {
        "phase:collect",
        "skill:visit-collect",
    }
    assert {name for name, c in classes.items() if "waiting" in c} == {
        "phase:review",
        "sop:visit-review/approve",
    }
    assert found["phase:collect"].findtext(f"{SVG}text") == "✓ Collect"
    assert found["phase:review"].findtext(f"{SVG}text") == "● Review"
    assert found["phase:check"].findtext(f"{SVG}text") == "Check"
    assert (found["phase:collect"].findtext(f"{SVG}title") or "").endswith(": visited")


def test_the_same_playbook_gives_the_same_picture() -> None:
    assert draw(build_graph(tangled(), "en")) == draw(build_graph(tangled(), "en"))
