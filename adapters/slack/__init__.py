"""The Slack room: signed requests or Socket Mode in, Block Kit out."""
