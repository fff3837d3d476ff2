"""From the outbox to the platforms: what is shown where, again and at which rate."""
