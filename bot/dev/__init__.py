"""Seeing how messages are read while a project folder is written: `signoff dev`."""
