"""What holds work back: in its own words, beside it, or in a later sentence."""
