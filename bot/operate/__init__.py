"""Commands of the operator: looking at runs, mending, checking."""
