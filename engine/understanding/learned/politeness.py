"""Politeness around a request, which says nothing about what is asked for."""

from engine.understanding.grammar.reading import GRAMMAR


def strip_politeness(said: str) -> tuple[str, bool]:
    """A folded text without politeness at either end, and whether its question was part of that.

    What is nothing but politeness stays as it is.
    """
    core = GRAMMAR.core(said)
    return said[core.start : core.end] or said, core.favour
