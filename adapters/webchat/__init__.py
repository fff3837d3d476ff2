"""The web chat: a page, server-sent events, and taps as HTTP requests. For a loopback address."""
