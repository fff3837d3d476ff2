"""The commands of the command line, one function each; each loads only what it needs."""
