"""The web chat in a terminal: a client of the service's own HTTP API (design §3, platforms)."""
