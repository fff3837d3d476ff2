"""Documents that come out of a run: written section by section, and made into files."""
