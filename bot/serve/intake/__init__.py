"""From an update to its lane: who may, how often, and what is answered at once."""
