"""Views as Slack messages, forms, files and the Home tab."""
