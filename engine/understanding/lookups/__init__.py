"""Which read-only tool answers a text without a model, and with which arguments (promise 4)."""
