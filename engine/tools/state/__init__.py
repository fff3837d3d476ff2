"""The tool that reads what a run knows."""
