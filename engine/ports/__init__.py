"""What thinking and the service ask of the outside; adapters implement these (design §2)."""
