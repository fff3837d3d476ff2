"""Words, names, numbers and dates in what people write; nothing here decides anything."""
