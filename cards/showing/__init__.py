"""Cards as views that a platform draws."""
