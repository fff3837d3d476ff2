"""The embedded server: its binary, its life, its supervisor."""
