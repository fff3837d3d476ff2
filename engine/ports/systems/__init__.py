"""Systems outside, as the engine sees them."""
