"""The rules of a decision: seats, votes, hand-over, and what is told of them."""
