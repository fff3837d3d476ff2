"""Questions answered by thinking, acting and observing, with read-only tools (spec 001 §5)."""

from engine.react.engine import Budget, ReActEngine, ReActResult, TraceItem

__all__ = ["Budget", "ReActEngine", "ReActResult", "TraceItem"]
