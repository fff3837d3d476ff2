"""Mermaid text is read back by a strict reader of the few forms that we write."""

import re
from dataclasses import dataclass, field

import pytest

from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.drawing.mermaid import escape, to_mermaid
from engine.playbooks.drawing.model import one_line
from engine.playbooks.model import Playbook
from tests.engine.playbooks.sample_playbooks import (
    HOSTILE,
    SHIPPED,
    hostile,
    idle,
    shipped,
    tangled,
)
from tests.fakes.tables import table

LABEL = r'"((?:[^"#<>`|\[\]{}()&;:*~\\%@$^=+!?/\'\n]|#\d+;|<br/>)*)"'
NAME = r"(n\d+(?:about)?)"
SHAPES = (r"\[{}\]", r"\(\[{}\]\)", r"\{{\{{{}\}}\}}")
NODE = [re.compile(NAME + shape.format(LABEL)) for shape in SHAPES]
OPENED = re.compile(r"subgraph (n\d+)\[" + LABEL + r"\]")
EDGE = re.compile(NAME + r" (==>|-->|-\.->)(?:\|" + LABEL + r"\|)? " + NAME)
ENTITY = re.compile(r"#(\d+);")

ALL = [*(pytest.param(shipped(name), id=name) for name in SHIPPED)]
ALL += [pytest.param(tangled(), id="tangled"), pytest.param(hostile(), id="hostile")]
ALL += [pytest.param(idle(), id="idle")]


@dataclass
class Chart:
    """What a flowchart says: labels by name, the boxes around each, and the arrows."""

    labels: dict[str, str] = field(default_factory=dict)
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    edges: list[tuple[str, str, str, str]] = field(default_factory=list)


def chart(text: str) -> Chart:
    first, *lines = text.removesuffix("\n").split("\n")
    assert first == "flowchart TB"
    read = Chart()
    around: list[str] = []
    for line in map(str.strip, lines):
        if line == "end":
            around.pop()
        elif opened := OPENED.fullmatch(line):
            add(read, opened[1], opened[2], around)
            around.append(opened[1])
        elif edge := EDGE.fullmatch(line):
            read.edges.append((edge[1], edge[2], shown(edge[3] or ""), edge[4]))
        else:
            made = next((found for form in NODE if (found := form.fullmatch(line))), None)
            assert made, line
            add(read, made[1], made[2], around)
    assert not around
    for source, _, _, target in read.edges:
        assert {source, target} <= read.labels.keys()
        assert source not in read.inside[target], "a box has an arrow to what is inside of it"
        assert target not in read.inside[source], "what is inside of a box has an arrow to it"
    return read


def add(read: Chart, name: str, label: str, around: list[str]) -> None:
    assert name not in read.labels
    read.labels[name] = label
    read.inside[name] = tuple(around)


def shown(label: str) -> str:
    return ENTITY.sub(lambda entity: chr(int(entity[1])), label)


@table("lang", ["en", "zh"])
@table("playbook", ALL)
def test_every_node_stands_once_in_what_it_is_inside_of(playbook: Playbook, lang: str) -> None:
    graph = build_graph(playbook, "zh" if lang == "zh" else "en")
    read = chart(to_mermaid(graph))
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    assert {name.removesuffix("about") for name in read.labels} == set(names.values())
    for node in graph.nodes:
        first = read.labels[names[node.id]].split("<br/>")[0]
        assert shown(first) == node.name
        assert read.inside[names[node.id]][-1:] == ((names[node.inside],) if node.inside else ())


@pytest.mark.parametrize("playbook", ALL)
def test_every_edge_is_an_arrow_with_its_label(playbook: Playbook) -> None:
    graph = build_graph(playbook, "en")
    read = chart(to_mermaid(graph))
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    inside = {node.id: node.inside for node in graph.nodes}
    wanted = [
        (names[e.source], "shows" if e.kind == "shows" else e.label, names[e.target])
        for e in graph.edges
        if e.kind != "allows" or inside[e.target] != e.source
    ]
    drawn = [(source.removesuffix("about"), told, to) for source, _, told, to in read.edges]
    assert drawn == wanted


@table("text", HOSTILE, ids=range(len(HOSTILE)))
def test_escaped_text_means_nothing_and_reads_the_same(text: str) -> None:
    line = one_line(text)
    assert shown(escape(line)) == line
    assert re.fullmatch(LABEL, f'"{escape(line)}"')
    assert not re.search(r"^\d+\.|^[-+] |(?<!\w)_|_(?!\w)|www\.|°|¶", escape(line))


def test_names_stay_readable() -> None:
    assert escape("profile.check_status, visit-check 访视：数据") == (
        "profile.check_status, visit-check 访视：数据"
    )
    assert escape("a: <b>") == "a#58; #60;b#62;"
