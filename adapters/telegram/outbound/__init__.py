"""Views as Telegram messages."""
