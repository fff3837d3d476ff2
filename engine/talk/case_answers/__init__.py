"""Questions about a case: the few facts that answer them, and all that it has."""
