"""Texts as long as wanted, of the shapes that a cut could break."""

from collections.abc import Callable

SENTENCES = {
    "en": "The weight of this subject was not measured at the visit.",
    "zh": "这名受试者在本次访视没有测量体重，请研究者补充说明。",
}


def _numbered(text: str, count: int, before: str = "", after: str = "") -> str:
    return "\n".join(f"{before}{n}{after} {text}" for n in range(count))


SHAPES: dict[str, Callable[[str, int], str]] = {
    "paragraphs": lambda text, count: _numbered(text, count, after=".").replace("\n", "\n\n"),
    "table": lambda text, count: "| n | text |\n|---|---|\n" + _numbered(text, count, "| ", " |"),
    "code": lambda text, count: f"```\n{_numbered(text, count)}\n```",
    "open fence": lambda text, count: f"before\n\n```\n{_numbered(text, count)}",
}
"""By name: a Markdown text that says this sentence so often, numbered from 0."""
