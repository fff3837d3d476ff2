"""Who reviews, by name, in the picture of a run's playbook."""

from collections.abc import Collection, Sequence
from typing import Final

from bot.pages.views.card import CardWords
from engine.playbooks.drawing.model import DetailKey, Graph, Node, Value, one_line

MOST: Final = 6
"""So many names stand in a box, then how many more there are."""


def with_reviewers(
    graph: Graph, words: CardWords, *, waiting: Collection[str], deciders: Sequence[str]
) -> Graph:
    """The graph whose reviews name their roles, and the people who hold these now.

    At the `waiting` nodes they are the `deciders` of the card that is open there, if one is.
    """

    def told(node: Node) -> Node:
        roles = tuple(map(str, node.details.get("roles", ())))
        if not roles:
            return node
        holders = [words.mask(each.name) for each in words.people.holders(roles)]
        here = node.id in waiting and deciders
        names = [one_line(words.people.role_name(role, words.lang)) for role in roles]
        return _with(node, names, list(deciders) if here else holders)

    return graph.model_copy(update={"nodes": tuple(map(told, graph.nodes))})


def _with(node: Node, roles: Sequence[str], names: Sequence[str]) -> Node:
    details: dict[DetailKey, tuple[Value, ...]] = {}
    for key, values in node.details.items():
        details[key] = tuple(roles) if key == "roles" else values
        if key == "roles" and names:
            more = [f"+{len(names) - MOST}"] if len(names) > MOST else []
            details["reviewers"] = (*map(one_line, names[:MOST]), *more)
    return node.model_copy(update={"details": details})
