"""HTTP APIs that an OpenAPI document describes."""
