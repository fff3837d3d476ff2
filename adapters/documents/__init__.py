"""Documents that come out: Markdown and values, in a Word template, kept as versions."""
