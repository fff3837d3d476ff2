"""Recorded runs: explained, and run again against the playbooks as they are now (spec 000 §5)."""
