"""Any HTTP API that speaks JSON."""
