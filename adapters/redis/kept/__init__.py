"""Small stores, one module for each port of engine/ports/storage."""
