"""Ports of what is stored."""
