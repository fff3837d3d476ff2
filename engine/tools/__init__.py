"""Tools: what the bot can look up, and the one thing it can write; one file each."""
