"""What is known of a piece of work, as a prompt has it."""

from collections.abc import Mapping
from typing import Any, Final

from engine.text.excerpts.excerpt import excerpt
from engine.text.fence import fence_data

STATE_READER: Final = "state__read"
"""The tool that reads what a prompt leaves out."""


def known_lines(tree: Mapping[str, Any], limit: int, *, has_reader: bool = True) -> tuple[str, ...]:
    """What is known as data, in at most so many characters, and what of it is left out by name.

    `has_reader` when the model is offered the tool that reads the rest.
    """
    kept = excerpt(tree, limit)
    line = f"What is known: {fence_data(kept.text)}"
    if not kept.left_out:
        return (line,)
    how = f"; read it with {STATE_READER} before you rely on it" if has_reader else ""
    return line, f"Known too, but too long to be shown here{how}: {fence_data(kept.names)}"


def leaves_out(tree: Mapping[str, Any], limit: int) -> bool:
    """Whether not everything that is known fits."""
    return bool(excerpt(tree, limit).left_out)
