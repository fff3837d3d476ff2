"""Review cards as data, and the rules of a decision. No I/O; below every other part."""
