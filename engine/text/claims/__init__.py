"""Which field of a form a stretch of text is for: by a cue, by its unit or kind, or alone."""
