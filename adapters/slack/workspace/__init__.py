"""Workspaces that have the app: installation, accounts, what the doctor checks."""
