"""A project folder of one's own: made from answers or a sample, with schemas for editors."""
