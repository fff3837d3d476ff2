"""The smaller ports of the store, a class each: what is kept beside lanes, cards and runs."""
