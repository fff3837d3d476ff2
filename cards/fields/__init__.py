"""Types of fields: one table for forms, leaves, arguments and platforms."""
