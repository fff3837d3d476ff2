"""Project folders: read, checked, watched for changes, published to all processes."""
