"""A turn: one message of a talk lane becomes one reply and, where asked, runs (design §3, §8)."""
