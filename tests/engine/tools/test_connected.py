"""Tools of a project folder: read, bound to a connection, asked, and told."""
