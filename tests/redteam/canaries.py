"""Words that stand only where the person who asks may not read."""

STUDY = "SIGNOFF-101"
MATTER = "MATTER-7"
CANARY = {STUDY: "OSPREY4402", MATTER: "KESTREL7731"}
"""Of each project, a word in its memory, files, documents and records."""

VAULT = "HERON9915"
"""What only the reviewers' outside tool tells."""
