"""What the service says in Chinese, a file for each topic."""
