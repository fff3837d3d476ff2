"""A playbook's graph as Mermaid text, for Markdown pages that show such pictures."""

import re
import unicodedata
from collections.abc import Iterator, Mapping

from cards.texts import say
from engine.playbooks.drawing.model import Edge, EdgeKind, Graph, Node
from engine.playbooks.drawing.words import detail_lines, kind_line
from engine.playbooks.skill import SOP_NODE_KINDS

_ARROWS: Mapping[EdgeKind, str] = {
    "next": "==>",
    "allows": "-.->",
    "priority": "-->",
    "start": "-->",
    "on": "-->",
    "shows": "-.->",
}
_BY_PEOPLE = [name for name, kind in SOP_NODE_KINDS.items() if kind.judge == "people"]
# Between two word characters these mean nothing, and names are full of them.
_INNER = re.compile(r"(?<=[^\W_])[._-](?=[^\W_])")
_WWW = re.compile(r"\bwww$", re.IGNORECASE)


def to_mermaid(graph: Graph) -> str:
    """A flowchart; no text of the playbook can be read as Mermaid, Markdown or HTML."""
    return "\n".join(_MermaidText(graph).lines()) + "\n"


def escape(text: str) -> str:
    """Words as they are, all else as numeric entities of Mermaid's (`#35;` is the sign itself)."""
    inner = {match.start() for match in _INNER.finditer(text) if not _links(match)}
    return "".join(
        char if _plain(char) or at in inner else f"#{ord(char)};" for at, char in enumerate(text)
    )


def _links(match: re.Match[str]) -> bool:
    """Markdown makes links of what begins with www and a dot."""
    return match[0] == "." and _WWW.search(match.string, 0, match.start()) is not None


def _plain(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char in " ,"
    # The paragraph sign is among what Mermaid itself puts in the place of an entity.
    return unicodedata.category(char)[0] in "LMNP" and char != "\N{PILCROW SIGN}"


class _MermaidText:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._inside = {node.id: node.inside for node in graph.nodes}
        self._names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
        full = {node.inside for node in graph.nodes}
        # Their own lines stand in a node of its own, since a box shows no more than a name.
        self._boxes = {node.id for node in graph.nodes if node.kind == "phase" or node.id in full}

    def lines(self) -> Iterator[str]:
        yield "flowchart TB"
        for node in self._graph.inside(""):
            yield from self._node(node, "  ")
        for edge in self._graph.edges:
            yield from self._edge(edge)

    def _node(self, node: Node, indent: str) -> Iterator[str]:
        name = self._names[node.id]
        if node.id not in self._boxes:
            opening, closing = _shape(node)
            yield f'{indent}{name}{opening}"{self._label(node, whole=True)}"{closing}'
            return
        yield f'{indent}subgraph {name}["{escape(node.name)}"]'
        yield f'{indent}  {name}about["{self._label(node, whole=False)}"]'
        for child in self._graph.inside(node.id):
            yield from self._node(child, indent + "  ")
        yield f"{indent}end"

    def _label(self, node: Node, *, whole: bool) -> str:
        lines = [node.name] if whole else []
        lines += [kind_line(self._graph, node), *detail_lines(self._graph, node)]
        return "<br/>".join(map(escape, lines))

    def _edge(self, edge: Edge) -> Iterator[str]:
        source, target = self._names[edge.source], self._names[edge.target]
        if edge.kind == "allows" and edge.source == self._inside[edge.target]:
            return
        # A box cannot have an arrow to what is inside of it; its first node stands for it.
        if edge.kind in ("allows", "priority", "start") and edge.source in self._boxes:
            source += "about"
        label = say("graph.detail.shows", self._graph.lang) if edge.kind == "shows" else edge.label
        told = f'|"{escape(label)}"|' if label else ""
        yield f"  {source} {_ARROWS[edge.kind]}{told} {target}"


def _shape(node: Node) -> tuple[str, str]:
    if node.type in _BY_PEOPLE:
        return "{{", "}}"
    return ("([", "])") if node.kind == "sop_end" else ("[", "]")
