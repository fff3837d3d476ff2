"""A message in pieces: where one request ends, and what kind of request each is."""
