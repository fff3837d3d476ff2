"""The run loop: one step after the other, and how a run changes, ends, migrates and syncs."""
