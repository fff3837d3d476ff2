"""Tools: what the bot can look up and write; one file each."""
