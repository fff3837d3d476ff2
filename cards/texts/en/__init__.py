"""What the service says in English, a file for each topic."""
