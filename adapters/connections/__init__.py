"""Systems outside, each kind in a room of its own (design §11)."""
