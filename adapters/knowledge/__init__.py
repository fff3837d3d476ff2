"""The documents of playbooks, and the search in them."""
