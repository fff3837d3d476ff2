"""Telegram: verified updates come in, rendered messages go out (design §3, §8)."""
