"""Settings become the parts of a running service; concrete classes are named only here."""
