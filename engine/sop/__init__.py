"""Standard operating procedures: their nodes, reviews, violations and batches (design §13)."""
