"""How a sentence carries what is asked for: rules as data, a table for each language."""
