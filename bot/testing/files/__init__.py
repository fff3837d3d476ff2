"""Files of tests, read and checked."""
