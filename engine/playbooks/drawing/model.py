"""A playbook as a graph: what it consists of and what follows what; nothing is drawn here."""

import re
from collections.abc import Iterator
from typing import Literal
from urllib.parse import quote

from cards.frozen import Frozen
from cards.model import Lang

NodeKind = Literal["playbook", "phase", "skill", "sop_node", "sop_end", "job"]
EdgeKind = Literal["next", "allows", "priority", "start", "on", "shows"]
_OfPlaybook = Literal["project", "requests", "not_yet"]
_OfPhase = Literal["goal", "gate", "checkpoints", "skills", "for_requests", "done_card"]
_OfSkill = Literal["category", "requires", "card", "calls", "rehearses", "guard", "max_steps"]
_OfSop = Literal["checks", "instruction", "tools", "shows", "sets"]
_OfReview = Literal["roles", "reviewers", "quorum", "four_eyes"]
_OfJob = Literal["state", "experts", "expert", "attempts", "part_of", "error"]
DetailKey = Literal[_OfPlaybook, _OfPhase, _OfSkill, _OfSop, _OfReview, _OfJob]
Value = str | int | bool

# Line ends, controls, and what reorders the text around it: they could fake what stands there.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_ODD = re.compile(r"[^\w.-]")


class Node(Frozen):
    """One piece of a playbook, or a job of a run; `inside` is the id of what it is part of.

    `type` is a skill's kind or an SOP node's type, `key` what the YAML calls it. Texts are single
    lines; `details` are in the order in which they are told.
    """

    id: str
    kind: NodeKind
    key: str
    name: str
    type: str = ""
    inside: str = ""
    details: dict[DetailKey, tuple[Value, ...]] = {}


class Edge(Frozen):
    """From node to node. The label is a priority rule's or a way's condition, or an SOP
    node's `on_*`.

    next: phase order; allows: a phase, or the playbook for all its phases, and a skill; start: a
    skill's first SOP node, or a job that needs no other; on: also from a job to one that needs it;
    shows: a human_review and the skill whose plan its card shows.
    """

    source: str
    target: str
    kind: EdgeKind
    label: str = ""


class Graph(Frozen):
    """Nodes, each after the one that it is inside of, and edges between them, in the file's order.

    Ids are unique. A skill is inside the first phase that allows it, inside the playbook when that
    allows it for all, and inside nothing when nobody does.
    """

    lang: Lang
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def inside(self, node_id: str) -> tuple[Node, ...]:
        """The nodes that are part of that one."""
        return tuple(node for node in self.nodes if node.inside == node_id)

    def edges_from(self, node_id: str, *kinds: EdgeKind) -> Iterator[Edge]:
        """The edges of these kinds that leave it, in order."""
        return (e for e in self.edges if e.source == node_id and e.kind in kinds)


def node_id(kind: Literal["playbook", "phase", "skill", "sop", "job"], *keys: str) -> str:
    """`phase:x`, `skill:y`, `sop:y/node`, `job:z`: fit for an XML id, never the same for others."""
    return f"{kind}:" + "/".join(_ODD.sub(_quote, key) for key in keys)


def one_line(text: str) -> str:
    """The text with single spaces for line ends, and a sign for characters nobody sees."""
    return _UNSEEN.sub("\ufffd", " ".join(text.split()))


def _quote(match: re.Match[str]) -> str:
    return quote(match[0], safe="", errors="surrogatepass")
