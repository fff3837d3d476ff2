"""Tools that search a project's documents and memory."""
