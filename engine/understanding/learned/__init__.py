"""The classifier of requests: examples, features, and what it learned of them."""
