"""Forms filled in step by step in a chat, and the question whether one is sure."""
