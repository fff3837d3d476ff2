"""Reviews: one way for every answer to a card (design §7)."""
