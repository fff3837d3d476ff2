"""A local Slack."""
