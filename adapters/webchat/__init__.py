"""The web chat: a page, server-sent events, and taps as HTTP requests; visitors choose who they
are, or sign in."""
