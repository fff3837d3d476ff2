"""From a message to ordered intents, with the reason for each (design §6, spec 001 §5)."""
