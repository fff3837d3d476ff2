"""Questions about a person's own requests and cases: which is meant, and what is asked of it."""
