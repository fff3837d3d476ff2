"""A playbook's graph as an SVG picture."""

from collections.abc import Collection, Iterator
from html import escape

from engine.playbooks.drawing.boxes import SIZES, Arrow, Block, Box, Text
from engine.playbooks.drawing.layout import Marks, layout_playbook
from engine.playbooks.drawing.model import Graph

STYLE = """\
.playbook-graph { --line: #57606a; --muted: #57606a; --phase: #f3f5f8; --skill: #ffffff;
  --node: #eaf1fb; --visited: #1a7f37; --waiting: #b35900; color: #1f2328; background: #ffffff; }
@media (prefers-color-scheme: dark) { .playbook-graph { --line: #8b949e; --muted: #9aa4b0;
  --phase: #161b22; --skill: #1f262e; --node: #1b2c44; --visited: #4ac26b; --waiting: #f0a445;
  color: #e6edf3; background: #0d1117; } }
.playbook-graph rect { stroke: var(--line); }
.playbook-graph .playbook rect, .playbook-graph .phase rect { fill: var(--phase); }
.playbook-graph .skill rect { fill: var(--skill); }
.playbook-graph .sop_node rect, .playbook-graph .job rect { fill: var(--node); }
.playbook-graph .sop_end rect { fill: var(--phase); }
.playbook-graph .visited rect { stroke: var(--visited); stroke-width: 2.5; }
.playbook-graph .waiting rect { stroke: var(--waiting); stroke-width: 2.5; }
.playbook-graph .arrow { color: var(--line); }
.playbook-graph .kind { fill: var(--muted); }
"""
"""The picture's colours; a page whose policy forbids styles in the picture serves these itself."""

_MARGIN = 12.0
_HEAD = 7.0
_CORNERS = {"sop_end": 14, "phase": 4, "playbook": 4}
_DASHED = ' stroke-dasharray="4 3"'


def draw(
    graph: Graph,
    *,
    visited: Collection[str] = (),
    waiting: Collection[str] = (),
    styled: bool = True,
) -> str:
    """The SVG text, the same for the same graph; each node is a group with the node's id.

    Nodes whose id is in `visited` or `waiting` get that class and a sign; ids that the graph has
    not are ignored, as a run may have been through another version of its playbook. Without
    `styled`, the colours of STYLE are for the page to bring.
    """
    block = layout_playbook(graph, Marks(visited, waiting)).move_by(_MARGIN, _MARGIN)
    return "\n".join(_svg(graph, block, STYLE if styled else "")) + "\n"


def _svg(graph: Graph, block: Block, style: str) -> Iterator[str]:
    width, height = _px(block.width + 2 * _MARGIN), _px(block.height + 2 * _MARGIN)
    # Without its style the picture still has the colour of the text around it.
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="playbook-graph" role="img"'
        f' viewBox="0 0 {width} {height}" width="{width}" height="{height}" fill="none"'
        f' stroke="currentColor" font-family="system-ui, sans-serif" lang="{graph.lang}">'
    )
    yield f"<title>{escape(next((n.name for n in graph.nodes), ''), quote=False)}</title>"
    if style:
        yield f"<style>{style}</style>"
    for box in block.boxes:
        yield from _box(box)
    for arrow in block.arrows:
        yield _arrow(arrow)
    for label in block.labels:
        yield _text(label)
    yield "</svg>"


def _box(box: Box) -> Iterator[str]:
    kind = box.role.partition(" ")[0]
    name = f' id="{escape(box.node)}"' if box.node else ""
    yield f'<g{name} class="{box.role}">'
    if box.title:
        yield f"<title>{escape(box.title, quote=False)}</title>"
    dashed = _DASHED if kind == "aside" else ""
    yield (
        f'<rect x="{_px(box.x)}" y="{_px(box.y)}" width="{_px(box.width)}"'
        f' height="{_px(box.height)}" rx="{_CORNERS.get(kind, 8)}"{dashed}/>'
    )
    for text in box.texts:
        yield _text(text)
    yield "</g>"


def _text(text: Text) -> str:
    bold = ' font-weight="600"' if text.role == "name" else ""
    words = escape(text.text, quote=False)
    return (
        f'<text class="{text.role}" x="{_px(text.x)}" y="{_px(text.y)}" fill="currentColor"'
        f' stroke="none" font-size="{_px(SIZES[text.role])}"{bold}>{words}</text>'
    )


def _arrow(arrow: Arrow) -> str:
    line = " ".join(f"{_px(x)},{_px(y)}" for x, y in arrow.points)
    (before_x, before_y), (x, y) = arrow.points[-2:]
    along = ((x > before_x) - (x < before_x), (y > before_y) - (y < before_y))
    back_x, back_y = x - along[0] * _HEAD, y - along[1] * _HEAD
    side_x, side_y = along[1] * _HEAD / 2, along[0] * _HEAD / 2
    head = f"{_px(x)},{_px(y)} {_px(back_x + side_x)},{_px(back_y + side_y)}"
    head += f" {_px(back_x - side_x)},{_px(back_y - side_y)}"
    return (
        f'<g class="arrow {arrow.role}"><polyline points="{line}"/>'
        f'<polygon points="{head}" fill="currentColor"/></g>'
    )


def _px(number: float) -> str:
    """A number in as few characters as a tenth of a pixel needs."""
    return f"{number:.1f}".removesuffix(".0")
