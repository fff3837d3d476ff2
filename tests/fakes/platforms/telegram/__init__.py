"""A local Telegram."""
