"""Counts, metrics, spans and logs."""
