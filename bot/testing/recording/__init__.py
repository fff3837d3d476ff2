"""A conversation that was had, written as a test."""
