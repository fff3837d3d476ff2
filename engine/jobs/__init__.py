"""Job graphs: a Leader decomposes a goal, experts carry out the parts (spec 002)."""
