"""The HTTP API of skills and jobs."""
