"""Tests of a project folder: conversations, and what is expected of them (`signoff test`)."""
