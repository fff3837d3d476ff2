"""As much of something as there is room for, and the rest by name."""
