"""Writes docs/rooms.md out of the packages and what they import (`make reference`)."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import grimp

from tests.docs.reading import ROOT

PAGE = ROOT / "docs" / "rooms.md"
HOUSE = ("bot", "adapters", "engine", "cards")
_HEAD = """# Rooms

`bot > adapters > engine > cards`: each imports only those to its right. Each folder in them is a
room, one thing that the service can do, and the rooms of a folder stand in an order too: none
imports one that imports it. An arrow points from a room to the highest of those it imports. Made by
`make reference`: a test fails when it is not as the imports are, `make check` at a cycle.
"""


def written() -> str:
    """The page as the packages are."""
    graph = grimp.build_graph(*HOUSE)
    return "\n".join([_HEAD, *(line for top in HOUSE for line in _part(graph, top))]) + "\n"


def rooms(folder: str) -> dict[str, str]:
    """What each package of a folder is, by name, as the first sentence of its docstring says."""
    found = {}
    for path in sorted((ROOT / folder).glob("*/__init__.py")):
        doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        found[path.parent.name] = " ".join(doc.split("\n\n")[0].split())
    return found


def _part(graph: grimp.ImportGraph, top: str) -> Iterator[str]:
    named = rooms(top)
    needs = {name: _needed(graph, top, name, named) for name in named}
    yield f"## `{top}/`\n"
    arrows = [f"    {name} --> {' & '.join(sorted(_highest(needs, name)))}" for name in needs]
    drawn = [line for line in arrows if not line.endswith("> ")]
    if drawn:
        yield "\n".join(["```mermaid", "flowchart TB", *drawn, "```\n"])
    yield "| room | |\n|---|---|"
    for name, told in named.items():
        inside = ", ".join(f"`{each}`" for each in rooms(f"{top}/{name}"))
        yield f"| `{name}` | {told}{f' In it: {inside}.' if inside else ''} |"
    yield ""


def _needed(graph: grimp.ImportGraph, top: str, name: str, named: Mapping[str, str]) -> set[str]:
    others = (other for other in named if other != name)
    return {
        other
        for other in others
        if graph.direct_import_exists(
            importer=f"{top}.{name}", imported=f"{top}.{other}", as_packages=True
        )
    }


def _highest(needs: Mapping[str, set[str]], name: str) -> set[str]:
    below = {each for other in needs[name] for each in _all(needs, other)}
    return needs[name] - below


def _all(needs: Mapping[str, set[str]], name: str) -> set[str]:
    return needs[name] | {each for other in needs[name] for each in _all(needs, other)}


def crowded(most: int) -> list[Path]:
    """Folders with more modules than that."""
    folders = (path.parent for top in HOUSE for path in (ROOT / top).rglob("__init__.py"))
    return [each for each in folders if len([*each.glob("[!_]*.py")]) > most]


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
