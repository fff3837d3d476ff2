"""What a message asks for: requests, answers to open forms, look-ups (design §6)."""
