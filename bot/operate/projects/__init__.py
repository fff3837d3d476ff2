"""What operators do about projects: whose a conversation is, cases, what is remembered."""
