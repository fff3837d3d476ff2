"""The store over Redis: keys, scripts, the embedded server."""
