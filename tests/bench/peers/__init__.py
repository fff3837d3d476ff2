"""Bare bots to compare with, each a small process of its own that listens on the port it is given.

None of them keeps anything, except `floor`, which does the least that our promises ask for.
"""
