"""A run as stored: a stack of frames, and what advancing one of them gives (design §5)."""
