"""What a picture says of a node, whatever it is drawn with."""

from cards.texts import say
from engine.playbooks.drawing.model import Graph, Node, Value


def kind_line(graph: Graph, node: Node) -> str:
    """What the node is and what the YAML calls it, as in `sop · count-check`."""
    kind = node.type if node.kind in ("skill", "sop_node") else ""
    told = kind or say(f"graph.kind.{node.kind}", graph.lang)
    return told if node.key == node.name else f"{told} · {node.key}"


def detail_lines(graph: Graph, node: Node) -> list[str]:
    """Each detail with its label, a line each."""
    return [
        say(
            "graph.label",
            graph.lang,
            label=say(f"graph.detail.{key}", graph.lang),
            values=say("graph.between", graph.lang).join(_value_text(v, graph) for v in values),
        )
        for key, values in node.details.items()
    ]


def _value_text(value: Value, graph: Graph) -> str:
    if isinstance(value, bool):
        return say("graph.yes" if value else "graph.no", graph.lang)
    return str(value)
