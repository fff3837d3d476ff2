"""The running service: settings, wiring, web, intake, worker, delivery."""
