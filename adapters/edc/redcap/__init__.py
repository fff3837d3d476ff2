"""A study on a REDCap server: its API, its fields, its rows as records."""
