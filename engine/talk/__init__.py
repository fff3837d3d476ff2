"""A turn of a conversation: commands, what waits for whom, and what is said back."""
