"""Where everything of a playbook stands in a drawing: phases from top to bottom, skills in them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cards.texts import say
from engine.playbooks.drawing.boxes import (
    Arrow,
    Block,
    Box,
    TextRole,
    combine,
    text_block,
)
from engine.playbooks.drawing.model import Graph, Node
from engine.playbooks.drawing.sop import layout_sop
from engine.playbooks.drawing.words import detail_lines, kind_line

# Pixels: between a box and what is inside of it; then the widest row of skills, and texts.
_PAD = 12.0
_ROW = 980.0
_HEADING = 780.0
_SKILL = 300.0
_SOP = 250.0
_GAP = 16.0
_ARROW = 30.0
_RULE = 12.0

Mark = Literal["visited", "waiting"]

_SIGNS: Mapping[Mark | None, str] = {"visited": "✓ ", "waiting": "● ", None: ""}


@dataclass(frozen=True, slots=True)
class Marks:
    """Ids of nodes that a run went through, and of those where it waits; others are ignored."""

    visited: Collection[str] = ()
    waiting: Collection[str] = ()

    def of(self, node_id: str) -> Mark | None:
        """A node's mark; one that is both waits."""
        if node_id in self.waiting:
            return "waiting"
        return "visited" if node_id in self.visited else None


def layout_playbook(graph: Graph, marks: Marks) -> Block:
    """The whole drawing from (0, 0) on; boxes overlap only where one is inside the other."""
    return _Layout(graph, marks).block()


class _Layout:
    def __init__(self, graph: Graph, marks: Marks) -> None:
        self._graph, self._marks = graph, marks
        self._nodes = {node.id: node for node in graph.nodes}

    def block(self) -> Block:
        parts = [(n, self._inner(n)) for n in self._graph.nodes if n.kind in ("playbook", "phase")]
        free = [node for node in self._graph.inside("") if node.kind == "skill"]
        width = max([0.0, *(inner.width for _, inner in parts)]) + 2 * _PAD
        stacked: list[Block] = []
        y = 0.0
        for number, (node, inner) in enumerate(parts):
            if number:
                arrow = Arrow(((width / 2, y), (width / 2, y + _ARROW)), "next")
                stacked.append(Block(0, 0, (), (arrow,)))
                y += _ARROW
            stacked.append(self._around(inner, node, width).move_by(0, y))
            y += inner.height + 2 * _PAD
        if free:
            rest = (
                self._free(free) if parts else _arrange_rows([self._skill(skill) for skill in free])
            )
            stacked.append(rest.move_by(0, y + _GAP))
            y, width = y + _GAP + rest.height, max(width, rest.width)
        return combine(stacked, width, y)

    def _free(self, skills: Sequence[Node]) -> Block:
        inner = self._below(
            text_block([("name", say("graph.nowhere", self._graph.lang))], _HEADING),
            _arrange_rows([self._skill(skill) for skill in skills]),
        )
        return self._around(inner, None, inner.width + 2 * _PAD)

    def _inner(self, node: Node) -> Block:
        heading = text_block(self._lines(node), _HEADING)
        rules: dict[str, list[str]] = {}
        for number, rule in enumerate(self._graph.edges_from(node.id, "priority"), 1):
            told = say("graph.rule", self._graph.lang, number=number, when=rule.label)
            rules.setdefault(rule.target, []).append(told)
        allowed = (edge.target for edge in self._graph.edges_from(node.id, "allows"))
        shown = dict.fromkeys([*allowed, *rules])
        items = [_with_rules(self._item(name, node), rules.get(name, [])) for name in shown]
        return self._below(heading, _arrange_rows(items)) if items else heading

    def _below(self, heading: Block, rows: Block) -> Block:
        y = heading.height + _GAP
        placed = [heading, rows.move_by(0, y)]
        return combine(placed, max(heading.width, rows.width), y + rows.height)

    def _item(self, name: str, place: Node) -> Block:
        skill = self._nodes[name]
        if skill.inside == place.id:
            return self._skill(skill)
        inside = self._nodes.get(skill.inside)
        where = inside.name if inside else say("graph.nowhere", self._graph.lang)
        told = say("graph.elsewhere", self._graph.lang, place=where)
        inner = text_block([("name", skill.name), ("kind", told)], _SKILL)
        return self._around(inner, None, inner.width + 2 * _PAD)

    def _skill(self, skill: Node) -> Block:
        if any(self._graph.edges_from(skill.id, "start")):
            sop = layout_sop(self._graph, skill.id, self._boxed)
            inner = self._below(text_block(self._lines(skill), max(_SKILL, sop.width)), sop)
        else:
            inner = text_block(self._lines(skill), _SKILL)
        return self._around(inner, skill, inner.width + 2 * _PAD)

    def _boxed(self, node: Node, width: float, height: float) -> Block:
        inner = text_block(self._lines(node), _SOP)
        width = max(width, inner.width + 2 * _PAD)
        return self._around(inner, node, width, height=max(height, inner.height + 2 * _PAD))

    def _around(
        self, inner: Block, node: Node | None, width: float, *, height: float = 0.0
    ) -> Block:
        """A box with that inside of it; the inner labels are the box's own texts."""
        height = height or inner.height + 2 * _PAD
        inside = inner.move_by(_PAD, _PAD)
        # What belongs to arrows stays apart from what the box itself says.
        own = tuple(text for text in inside.labels if text.role != "label")
        labels = tuple(text for text in inside.labels if text.role == "label")
        mark = self._marks.of(node.id) if node else None
        role = f"{node.kind} {mark or ''}".strip() if node else "aside"
        title = self._title(node, mark) if node else ""
        box = Box(0, 0, width, height, node.id if node else "", role, title, own)
        return Block(width, height, (box, *inside.boxes), inside.arrows, labels)

    def _lines(self, node: Node) -> list[tuple[TextRole, str]]:
        sign = _SIGNS[self._marks.of(node.id)]
        lines: list[tuple[TextRole, str]] = [("name", sign + node.name)]
        if node.kind != "sop_end":
            lines.append(("kind", kind_line(self._graph, node)))
        return lines + [("detail", line) for line in detail_lines(self._graph, node)]

    def _title(self, node: Node, mark: Mark | None) -> str:
        told = f"{node.name} ({kind_line(self._graph, node)})"
        return f"{told}: {say(f'graph.mark.{mark}', self._graph.lang)}" if mark else told


def _with_rules(item: Block, rules: Sequence[str]) -> Block:
    """With the priority rules that choose it on an arrow from above."""
    if not rules:
        return item
    told = text_block([("label", rule) for rule in rules], max(item.width - 3 * _PAD, _SKILL))
    labels = told.move_by(_RULE + 10, 2)
    top = told.height + 10
    arrow = Arrow(((_RULE, 0), (_RULE, top)), "priority")
    width = max(item.width, told.width + _RULE + 10)
    rule = Block(0, 0, (), (arrow,), labels.labels)
    return combine([rule, item.move_by(0, top)], width, top + item.height)


def _arrange_rows(items: Sequence[Block]) -> Block:
    """Side by side as far as they fit."""
    placed: list[Block] = []
    x = y = widest = highest = 0.0
    for item in items:
        if x and x + item.width > _ROW:
            x, y = 0.0, y + highest + _GAP
            highest = 0.0
        placed.append(item.move_by(x, y))
        x += item.width + _GAP
        widest, highest = max(widest, x - _GAP), max(highest, item.height)
    return combine(placed, widest, y + highest)
