"""Thinking, platform-free: updates to outcomes. No I/O; what it needs comes through ports."""
