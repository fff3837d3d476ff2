"""How a model plans tool calls: the prompt, and its answer read and checked."""
