"""Playbooks drawn: as a graph, as Mermaid and as SVG."""
