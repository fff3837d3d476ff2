"""Tool plans: fixed calls, and calls that a model plans; each write behind an approval (004)."""
