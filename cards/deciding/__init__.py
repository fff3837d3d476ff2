"""The rules of a decision: seats, votes, hand-over, edits, and their sentences."""
