"""Systems of record: what a run learns is copied to an HTTP endpoint, or to a sample file."""
