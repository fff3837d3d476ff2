"""A tool plan is made: by rules or a model, read and checked."""
