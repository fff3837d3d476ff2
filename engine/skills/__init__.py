"""Prompt skills: what people or a model fill in, checked before it becomes state (spec 003)."""
