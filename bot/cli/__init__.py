"""The commands of the command line, one function each; each loads only what it needs."""

from bot.lean_imports import import_lean

# Our log is JSON: it needs no tracebacks in colour.
import_lean("structlog", "rich", "better_exceptions")
