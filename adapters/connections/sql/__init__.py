"""Databases: SQLite files, PostgreSQL."""
