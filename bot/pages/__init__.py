"""The admin pages: runs, what waits, what is blocked, traces; rendered here, for browsers."""
