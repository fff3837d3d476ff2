"""How long tests wait."""

PATIENCE_S = 90.0
"""For what has to come: longer than it takes on a machine that is busy with something else."""
