"""A card's values changed by whoever reviews it."""
