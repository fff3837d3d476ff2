"""Forms, which Telegram lacks: prompts to reply to, or a field at a time, and confirmations."""
