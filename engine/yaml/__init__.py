"""YAML as people write it: parsed with places, so that a fault names its line."""
