"""What the service costs beside bare bots: run it with `make bench`."""
