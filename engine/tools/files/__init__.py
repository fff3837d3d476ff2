"""Tools that read the files of a project."""
