"""Telegram's updates, by polling or webhook, as the service's own."""
