"""Slack's requests as updates, and the answers to them."""
