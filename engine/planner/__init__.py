"""The planner: which skill next, and when a phase is complete (spec 000)."""
