"""The tools that there are, for a run and for a question."""
