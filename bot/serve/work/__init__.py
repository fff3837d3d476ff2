"""Lanes: whose mail is handled when, by how many, and what becomes of one that fails."""
