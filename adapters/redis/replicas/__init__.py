"""What replicas must have of a write before it is acknowledged (SIGNOFF_STORE_ACKS)."""
