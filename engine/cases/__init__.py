"""Cases: the state that runs of one thing share, in a lane of its own (design §12)."""
