"""Playbooks as checked data: phases, skills, SOPs, rules (spec 000, 003)."""
