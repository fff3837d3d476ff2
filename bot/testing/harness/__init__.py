"""A whole service in this process, over a clock, a chat and tools that a test has in hand."""
