"""A person's own runs: what lists and questions tell of them, and the button that cancels one."""
