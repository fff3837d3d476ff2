"""Where the nodes of an SOP stand in a drawing, and the ways of the arrows between them.

Nodes stand under each other, ends to the right of them. An arrow to the next node goes straight
down; any other leaves to the right, changes its height in the lane of its target, and goes in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from engine.playbooks.drawing.boxes import SIZES, Arrow, Block, Text, combine, text_width
from engine.playbooks.drawing.model import Graph, Node

_SLOT = 26.0
_LANE = 12.0
_STUB = 12.0
_GAP = 18.0
_DOWN_GAP = 38.0
_ENTRY = 24.0
_APART = 5.0
_BETWEEN = " / "

DrawBox = Callable[[Node, float, float], Block]
"""Draws a node's box, at least that wide and high."""


@dataclass(frozen=True, slots=True)
class _Connection:
    source: str
    target: str
    label: str

    @property
    def width(self) -> float:
        return text_width(self.label, SIZES["label"])


def layout_sop(graph: Graph, skill: str, boxed: DrawBox) -> Block:
    """The SOP of a skill; nothing in it overlaps, and no two arrows to different targets join."""
    nodes = _sort_nodes(graph, skill)
    ends = [node for node in graph.inside(skill) if node.kind == "sop_end"]
    return _SopLayout(nodes, ends, _connections(graph, nodes), boxed).block()


def _sort_nodes(graph: Graph, skill: str) -> list[Node]:
    """From the start on, as the arrows go."""
    nodes = {node.id: node for node in graph.inside(skill) if node.kind in ("sop_node", "job")}
    queue = [edge.target for edge in graph.edges_from(skill, "start")]
    found: dict[str, Node] = {}
    while queue:
        at = queue.pop(0)
        if at in nodes and at not in found:
            found[at] = nodes[at]
            queue += [edge.target for edge in graph.edges_from(at, "on")]
    return list({**found, **nodes}.values())


def _connections(graph: Graph, nodes: list[Node]) -> list[_Connection]:
    labels: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for edge in graph.edges_from(node.id, "on"):
            labels.setdefault((edge.source, edge.target), []).append(edge.label)
    return [
        _Connection(source, target, _BETWEEN.join(on)) for (source, target), on in labels.items()
    ]


class _SopLayout:
    def __init__(
        self, nodes: list[Node], ends: list[Node], ways: list[_Connection], boxed: DrawBox
    ) -> None:
        following = {a.id: b.id for a, b in pairwise(nodes)}
        self._nodes, self._ends, self._boxed = nodes, ends, boxed
        self._down = {w.source: w for w in ways if following.get(w.source) == w.target}
        self._right = [w for w in ways if following.get(w.source) != w.target]
        narrow = max((_ENTRY + 20 + w.width for w in self._down.values()), default=0.0)
        self._width = max([narrow, *(boxed(node, 0, 0).width for node in nodes)])
        self._stub = max((w.width for w in self._right), default=0.0) + _STUB

    def block(self) -> Block:
        """Nodes first, so that it is known at which heights arrows leave; then ends and arrows."""
        placed: list[Block] = []
        leaves: dict[_Connection, float] = {}
        enters: dict[str, float] = {}
        y = _GAP
        for node in self._nodes:
            box = self._node(node).move_by(0, y)
            self._slots(node, box.height, y, leaves, enters)
            placed += [box, *self._down_from(node, y + box.height)]
            y += box.height + (_DOWN_GAP if node.id in self._down else _GAP)
        lanes = list(dict.fromkeys(way.target for way in self._right))
        x = self._width + self._stub + _LANE * len(lanes) + _STUB
        ends = self._placed_ends(x, leaves, enters)
        arrows = self._arrows(x, lanes, leaves, enters)
        height = max([y - _GAP, *(end.boxes[0].y + end.height for end in ends)])
        width = x + max((end.width for end in ends), default=0.0)
        return combine([*placed, *ends, arrows], width, height)

    def _arrows(
        self,
        x: float,
        lanes: list[str],
        leaves: Mapping[_Connection, float],
        enters: Mapping[str, float],
    ) -> Block:
        """The ways to the right; `x` is where the ends begin."""
        nodes = {node.id for node in self._nodes}
        arrows = [Arrow(((_ENTRY, 0), (_ENTRY, _GAP)), "start")]
        for way, leave in leaves.items():
            lane = self._width + self._stub + _LANE * lanes.index(way.target)
            enter, edge = enters[way.target], self._width if way.target in nodes else x
            corners = [(self._width, leave), (lane, leave), (lane, enter), (edge, enter)]
            if leave == enter:
                corners = [corners[0], corners[-1]]
            arrows.append(Arrow(tuple(corners), "on"))
        labels = (Text(self._width + 5, at - 4, way.label, "label") for way, at in leaves.items())
        return Block(0, 0, (), tuple(arrows), tuple(labels))

    def _node(self, node: Node) -> Block:
        slots = sum(w.source == node.id for w in self._right) + self._is_entered(node)
        return self._boxed(node, self._width, _SLOT * max(slots, 1) + 6)

    def _is_entered(self, node: Node) -> bool:
        return any(way.target == node.id for way in self._right)

    def _slots(
        self,
        node: Node,
        height: float,
        y: float,
        leaves: dict[_Connection, float],
        enters: dict[str, float],
    ) -> None:
        """Share the right side out: first what comes in, then what goes out."""
        out = [way for way in self._right if way.source == node.id]
        count = len(out) + self._is_entered(node)
        heights = [y + height * (slot + 1) / (count + 1) for slot in range(count)]
        if self._is_entered(node):
            enters[node.id] = heights.pop(0)
        leaves.update(zip(out, heights, strict=True))

    def _down_from(self, node: Node, y: float) -> list[Block]:
        way = self._down.get(node.id)
        if way is None:
            return []
        arrow = Arrow(((_ENTRY, y), (_ENTRY, y + _DOWN_GAP)), "on")
        label = Text(_ENTRY + 8, y + _DOWN_GAP / 2 + 4, way.label, "label")
        return [Block(0, 0, (), (arrow,), (label,))]

    def _placed_ends(
        self, x: float, leaves: Mapping[_Connection, float], enters: dict[str, float]
    ) -> list[Block]:
        first: dict[str, float] = {}
        for way, at in leaves.items():
            first.setdefault(way.target, at)
        placed = []
        below = 0.0
        width = max((self._boxed(end, 0, 0).width for end in self._ends), default=0.0)
        for node in sorted(self._ends, key=lambda end: first[end.id]):
            box = self._boxed(node, width, 0)
            taken = [at for way, at in leaves.items() if way.target != node.id]
            taken += [at for target, at in enters.items() if target != node.id]
            middle = max(first[node.id], below + box.height / 2)
            while any(abs(middle - at) < _APART for at in taken):
                middle += 1
            enters[node.id] = middle
            placed.append(box.move_by(x, middle - box.height / 2))
            below = middle + box.height / 2 + _GAP / 2
        return placed
