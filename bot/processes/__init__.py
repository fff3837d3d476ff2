"""Processes of the service: web, worker, supervisor, watchdog."""
